import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  AbandonedError,
  CallerTurns,
  leaveTurn,
  MAX_LEFT_TURNS,
  runInSlices,
  SharedTurn,
  type SlicedFor,
  type Steps,
  type TurnKey,
} from "./run-slices.js";

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

  it("leaves turns to new connections, but not all of them (SAFE-5)", async () => {
    const { stepsOf, turns, stop } = createWork();
    let isWaiting = true;
    const wait = (): void => {
      leaveTurn();
      if (isWaiting) setImmediate(wait);
    };
    setImmediate(wait);
    await runInSlices(stepsOf("a", 9));
    isWaiting = false;
    // Nobody waits any more, which the next slice notices.
    await runInSlices(stepsOf("a", 1));
    stop();
    const [first = 0, second = 0, third = 0] = new Set(turns.map((each) => Number.parseInt(each, 10)));
    expect([second - first, third - second]).toEqual([MAX_LEFT_TURNS + 1, MAX_LEFT_TURNS + 1]);
  });

  it("has the turn of the caller it was begun for, until another waits for it, too (SAFE-5)", async () => {
    const { stepsOf, stop } = createWork();
    const done: string[] = [];
    const make = (name: string, whom: SlicedFor) =>
      runInSlices(stepsOf(name, 6), whom)
        .then(() => runInSlices(stepsOf(name, 6), whom))
        .then(() => done.push(name));
    const turns = ["a", "b", "c", "d", "e", "f"].map((name) => {
      const turn = new SharedTurn({ callerKey: "first" });
      return { turn, made: make(name, turn) };
    });
    const other = make("other", { callerKey: "other" });
    turns[4]?.turn.join("first");
    turns[5]?.turn.join("other");
    await Promise.all([other, ...turns.map(({ made }) => made)]);
    stop();
    expect(done.slice(0, 2).toSorted()).toEqual(["f", "other"]);
    expect(done.slice(2)).toEqual(["a", "b", "c", "d", "e"]);
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

function takeAll<T>(turns: CallerTurns<T>): T[] {
  const taken: T[] = [];
  while (!turns.isEmpty) {
    expect(turns.peek()).toBe(turns.peek());
    const peeked = turns.peek();
    const item = turns.take() as T;
    expect(item).toBe(peeked);
    taken.push(item);
  }
  expect(turns.take()).toBeUndefined();
  return taken;
}

describe("callers take turns (SAFE-5)", () => {
  it.each<readonly [string, readonly (readonly [TurnKey, string])[], string]>([
    [
      "of one caller, in order",
      [
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
      ],
      "123",
    ],
    [
      "of two, in turns",
      [
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
        ["b", "x"],
        ["b", "y"],
      ],
      "1x2y3",
    ],
    [
      "of nobody, each with a turn of its own",
      [
        ["a", "1"],
        ["a", "2"],
        [undefined, "x"],
        [undefined, "y"],
      ],
      "1xy2",
    ],
  ])("%s", (_, items, order) => {
    const turns = new CallerTurns<string>();
    for (const [key, item] of items) turns.add(key, item);
    expect(takeAll(turns).join("")).toBe(order);
  });

  it("whatever comes, nothing is lost, each caller's order stays, and nobody has two turns while another waits", () => {
    const items = fc.array(fc.tuple(fc.constantFrom("a", "b", "__proto__", undefined), fc.boolean()), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(items, (added) => {
        const turns = new CallerTurns<{ readonly key: TurnKey; readonly at: number }>();
        const taken: { readonly key: TurnKey; readonly at: number }[] = [];
        const waiting = new Map<TurnKey, number>();
        /** Who had the last turn while others were waiting. */
        let last: TurnKey;
        const count = (key: TurnKey, by: number): void => {
          waiting.set(key, (waiting.get(key) ?? 0) + by);
        };
        const take = (): void => {
          const item = turns.take();
          if (item === undefined) return;
          taken.push(item);
          if (last !== undefined) expect(item.key).not.toBe(last);
          count(item.key, -1);
          last = [...waiting].some(([key, left]) => key !== item.key && left > 0) ? item.key : undefined;
        };
        for (const [at, [key, isTaking]] of added.entries()) {
          turns.add(key, { key, at });
          count(key, 1);
          if (isTaking) take();
        }
        while (!turns.isEmpty) take();
        expect(taken.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(added.map((_, at) => at));
        for (const key of ["a", "b", "__proto__"]) {
          const own = taken.filter((item) => item.key === key).map(({ at }) => at);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
