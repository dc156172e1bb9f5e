import { describe, expect, it } from "vitest";
import { systemEdgeClock } from "../../model/clock.js";
import { silentLog } from "../../model/log.js";
import { type CallerShare, createQuotas } from "./edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "./edge-limits.js";
import { createReadQueue, MAX_CALLER_READS, MAX_READS, type ReadOutcome } from "./read-queue.js";

/** Reads that last until they are ended, in the order in which they began. */
function createStage() {
  const quotas = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog);
  const queue = createReadQueue();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const shareOf = (key: string): CallerShare => quotas.of({ key, isShared: false });
  return {
    began,
    ask: (
      caller: string,
      name: string,
      signal = new AbortController().signal,
    ): Promise<ReadOutcome<string>> =>
      queue.run(shareOf(caller), signal, () => {
        began.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(name)));
      }),
    fail: (caller: string, signal = new AbortController().signal) =>
      queue.run(shareOf(caller), signal, () => Promise.reject(new Error("broken"))),
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

async function settledOf(asked: Promise<ReadOutcome<string>>): Promise<string> {
  const waits = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  const done = await Promise.race([asked, waits]);
  return done === undefined ? "waits" : done.outcome === "refused" ? done.refusal.code : done.outcome;
}

describe("reads beside MCP (SAFE-5)", () => {
  it("run one at a time of each caller, four in all, and callers take turns", async () => {
    const { ask, began, end } = createStage();
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1", "d1", "e1"]) void ask(name[0] ?? "", name);
    await new Promise(setImmediate);
    expect(began).toEqual(["a1", "b1", "c1", "d1"]);
    await end("a1");
    // It has waited for longer than the next of a caller that has read already.
    expect(began.slice(4)).toEqual(["e1"]);
    await end("b1");
    await end("c1");
    expect(began.slice(5)).toEqual(["a2", "b2"]);
    await end("d1");
    expect(began).toHaveLength(7);
    await end("a2");
    expect(began.slice(7)).toEqual(["a3"]);
  });

  it("wait up to a caller's share, and keep nobody else from reading: one below, at and one above (limits: MAX_CALLER_READS of read-queue)", async () => {
    const { ask, began } = createStage();
    void ask("a", "running");
    for (let count = 2; count < MAX_CALLER_READS; count += 1) void ask("a", `waiting ${count}`);
    expect(await settledOf(ask("a", "one below"))).toBe("waits");
    expect(await settledOf(ask("a", "at"))).toBe("waits");
    expect(await ask("a", "one more")).toMatchObject({
      outcome: "refused",
      refusal: { code: "too-many-requests", data: { limit: "callerReads", max: 32, retryAfterMs: 1000 } },
    });
    void ask("b", "other");
    await new Promise(setImmediate);
    expect(began).toEqual(["running", "other"]);
  });

  it("wait up to what all callers have together, of which each has a part", async () => {
    const { ask } = createStage();
    const callers = Array.from({ length: 8 }, (_, number) => `caller ${number}`);
    for (const caller of callers)
      for (let count = 0; count < MAX_CALLER_READS + (caller < "caller 4" ? 1 : 0); count += 1)
        void ask(caller, `${caller} ${count}`);
    // A tenth of 256: nine wait, and one more is expected.
    const outcomes = [];
    for (let count = 0; count < 26; count += 1) outcomes.push(settledOf(ask("another", `${count}`)));
    expect(await Promise.all(outcomes)).toEqual([...new Array(25).fill("waits"), "busy"]);
    expect(MAX_READS).toBe(256);
  });

  it("wait together up to their limit, also those of a caller with more than its part: one below, at and one above (limits: MAX_READS of read-queue)", async () => {
    const { ask } = createStage();
    // Four of them run. With a ninth caller and one that is expected, a part is 25.
    for (let number = 0; number < 8; number += 1)
      for (let count = 0; count < 28 + (number < 5 ? 1 : 0); count += 1)
        void ask(`caller ${number}`, `${number} ${count}`);
    for (let count = 0; count < 254 - 225; count += 1) void ask("ninth", `${count}`);
    const outcomes = [];
    for (const name of ["one below", "at", "one above"]) outcomes.push(await settledOf(ask("ninth", name)));
    expect(outcomes).toEqual(["waits", "waits", "busy"]);
  });

  it("never begin for a client that has left, and its place is free", async () => {
    const { ask, began, end } = createStage();
    const leaving = Array.from({ length: MAX_CALLER_READS }, () => new AbortController());
    void ask("a", "running");
    const left = leaving.map(({ signal }, number) => ask("a", `${number}`, signal));
    for (const client of leaving) client.abort();
    expect(new Set((await Promise.all(left)).map(({ outcome }) => outcome))).toEqual(new Set(["left"]));
    expect(await ask("a", "late", AbortSignal.abort())).toEqual({ outcome: "left" });
    const next = ask("a", "next");
    await end("running");
    await end("next");
    expect(await next).toEqual({ outcome: "read", value: "next" });
    expect(began).toEqual(["running", "next"]);
  });

  it("that fail are errors, unless the client has left meanwhile; others go on", async () => {
    const { ask, fail, began } = createStage();
    await expect(fail("a")).rejects.toThrow("broken");
    const leaving = new AbortController();
    const failed = fail("a", leaving.signal);
    leaving.abort();
    expect(await failed).toEqual({ outcome: "left" });
    void ask("a", "next");
    await new Promise(setImmediate);
    expect(began).toEqual(["next"]);
  });
});
