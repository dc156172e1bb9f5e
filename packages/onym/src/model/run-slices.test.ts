import { afterEach, describe, expect, it, vi } from "vitest";
import { AbandonedError, runInSlices, type Steps } from "./run-slices.js";

/** Steps of four milliseconds on a clock of the test's own; each notes the turn it ran in. */
function createWork() {
  let now = 0;
  let turn = 0;
  const turns: string[] = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  let isCounting = true;
  const count = (): void => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const stepsOf = function* (name: string, steps: number): Steps<string> {
    for (let step = 0; step < steps; step += 1) {
      now += 4;
      turns.push(`${turn}${name}`);
      yield;
    }
    return name;
  };
  const perTurn = (): number[] =>
    [...new Set(turns.map((each) => Number.parseInt(each, 10)))].map(
      (each) => turns.filter((one) => Number.parseInt(one, 10) === each).length,
    );
  const stop = (): void => {
    isCounting = false;
  };
  return { stepsOf, turns, perTurn, stop };
}

afterEach(() => vi.restoreAllMocks());

describe("work in slices (SAFE-4)", () => {
  it("shares the slice of a turn with all other sliced work, in turns", async () => {
    const { stepsOf, turns, perTurn, stop } = createWork();
    const names = ["a", "b", "c"];
    expect(await Promise.all(names.map((name) => runInSlices(stepsOf(name, 6))))).toEqual(names);
    stop();
    // Ten milliseconds hold three steps of four, whoever they are for.
    expect(Math.max(...perTurn())).toBe(3);
    expect(turns.map((each) => each.at(-1)).join("")).toBe("aaabbbcccaaabbbccc");
  });

  it("gives callers turns, however much one of them has waiting (SAFE-5)", async () => {
    const { stepsOf, turns, stop } = createWork();
    const flood = Array.from({ length: 50 }, () => runInSlices(stepsOf("a", 3), { callerKey: "a" }));
    const other = runInSlices(stepsOf("b", 6), { callerKey: "b" });
    const shared = runInSlices(stepsOf("c", 6));
    await Promise.all([...flood, other, shared]);
    stop();
    const order = turns.map((each) => each.at(-1)).join("");
    expect(order.slice(0, 18)).toBe("aaabbbcccaaabbbccc");
    expect(order.slice(18)).toBe("a".repeat(48 * 3));
  });

  it("stops before the next slice once nobody needs it, and holds up nobody else (SAFE-5)", async () => {
    const { stepsOf, turns, stop } = createWork();
    const leaving = new AbortController();
    const left = runInSlices(stepsOf("a", 100), { signal: leaving.signal });
    const other = runInSlices(stepsOf("b", 4));
    await new Promise(setImmediate);
    leaving.abort();
    const [one, two] = await Promise.allSettled([left, other]);
    stop();
    expect(one).toEqual({ status: "rejected", reason: expect.any(AbandonedError) });
    expect(two).toMatchObject({ status: "fulfilled", value: "b" });
    expect(turns.filter((each) => each.endsWith("a"))).toHaveLength(3);
  });

  it("starts what is added while other work runs, and fails alone", async () => {
    const { stepsOf, stop } = createWork();
    const failing = function* (): Steps<string> {
      yield* stepsOf("b", 4);
      throw new Error("b failed");
    };
    const first = runInSlices(stepsOf("a", 8));
    await new Promise(setImmediate);
    const [one, other] = await Promise.allSettled([first, runInSlices(failing())]);
    expect(one).toMatchObject({ status: "fulfilled", value: "a" });
    expect(other).toMatchObject({ status: "rejected", reason: { message: "b failed" } });
    expect(await runInSlices(stepsOf("c", 1))).toBe("c");
    stop();
  });
});
