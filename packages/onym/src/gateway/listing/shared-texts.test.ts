import { describe, expect, it } from "vitest";
import { createCancelSource } from "../../mcp/fast-path/in-flight.js";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import { createSharedTexts, joinSteps } from "./shared-texts.js";

const joined = (...args: Parameters<typeof joinSteps<number>>): string => `${runAtOnce(joinSteps(...args))}`;

const READER = { callerKey: "caller" };

describe("entries", () => {
  it.each([
    [20, 1, 0],
    [21, 1, 1],
    [1_000, 1, 49],
    [8, 64 * 1024, 7],
  ])("are written in steps of 20, or of 64 KB: %i of %i characters (SAFE-4)", (count, length, yields) => {
    const steps = joinSteps(Array(count).fill("a".repeat(length)), JSON.stringify);
    let taken = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) taken += 1;
    expect(taken).toBe(yields);
    expect(JSON.parse(`[${step.value}]`)).toHaveLength(count);
  });

  it("without a text are left out", () => {
    expect(joined([1, 2, 3], (each) => (each === 2 ? undefined : `${each}`))).toBe("1,3");
    expect(joined([], () => "")).toBe("");
  });

  it.each([19, 20, 21, 40, 45])("are left out at either end of %i, too", (count) => {
    const entries = Array.from({ length: count }, (_, at) => at);
    for (const isKept of [(at: number) => at < 20, (at: number) => at >= 20])
      expect(JSON.parse(`[${joined(entries, (at) => (isKept(at) ? `${at}` : undefined))}]`)).toEqual(
        entries.filter(isKept),
      );
  });
});

describe("a text that callers share (SAFE-4)", () => {
  /** A text of three steps, and how often it was built and finished. */
  function createStage() {
    const counts = { begun: 0, done: 0 };
    const steps = function* (): Steps<Buffer> {
      counts.begun += 1;
      yield;
      yield;
      yield;
      counts.done += 1;
      return Buffer.from("text");
    };
    return { texts: createSharedTexts(), counts, steps };
  }

  it("is built once, for those who wait for it and for those who come later", async () => {
    const { texts, counts, steps } = createStage();
    const key = {};
    const got = await Promise.all([1, 2, 3].map(() => texts.take(["a", key], steps, READER)));
    expect(texts.take(["a", key], steps, READER)).toBe(got[0]);
    expect(new Set(got).size).toBe(1);
    expect(counts).toEqual({ begun: 1, done: 1 });
  });

  it("is another one for every part of the key, and for objects that look the same", async () => {
    const { texts, counts, steps } = createStage();
    const key = {};
    const keys = [["a", key], ["b", key], ["a", {}], ["a", 1], ["a", "1"], ["a", undefined], ["a"], [["a"]]];
    for (const each of keys) await texts.take(each, steps, READER);
    expect(counts.begun).toBe(keys.length);
  });

  it("is given up when all that wait for it have left, and built anew for the next", async () => {
    const { texts, counts, steps } = createStage();
    const clients = [createCancelSource(), createCancelSource()];
    const waiting = clients.map(({ signal }) => texts.take(["a"], steps, { ...READER, signal }));
    for (const { cancel } of clients) cancel();
    const next = texts.take(["a"], steps, READER);
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(`${await next}`).toBe("text");
    expect(counts).toEqual({ begun: 2, done: 1 });
  });

  it("goes on while one is left", async () => {
    const { texts, counts, steps } = createStage();
    const { signal, cancel } = createCancelSource();
    const waiting = [texts.take(["a"], steps, { ...READER, signal }), texts.take(["a"], steps, READER)];
    cancel();
    expect((await Promise.all(waiting)).map(String)).toEqual(["text", "text"]);
    expect(counts).toEqual({ begun: 1, done: 1 });
  });

  it("is not kept where building it failed", async () => {
    const { texts, steps } = createStage();
    const fail = function* (): Steps<Buffer> {
      yield;
      throw new Error("no");
    };
    await expect(texts.take(["a"], fail, READER)).rejects.toThrow("no");
    expect(`${await texts.take(["a"], steps, READER)}`).toBe("text");
  });
});
