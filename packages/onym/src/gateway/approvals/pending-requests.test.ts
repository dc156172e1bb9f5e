import { describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { createMemoryStore } from "../../store/create-memory-store.js";
import { pendingOf } from "../../store/testing/test-place.js";
import { createPendingRequests } from "./pending-requests.js";

/** A store whose writes are done when they are ended, in the order in which they came to it. */
function createStage() {
  const { approvals } = createMemoryStore(silentLog);
  const writes: string[] = [];
  const ends: (() => void)[] = [];
  const requests = createPendingRequests({
    findWaiting: approvals.findWaiting,
    async await(pending) {
      writes.push(pending.digest);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (pending.digest === "broken") throw new Error("broken");
      return approvals.await(pending);
    },
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    approvals,
    writes,
    ask: (caller: string, digest: string, signal = new AbortController().signal) =>
      requests.add(pendingOf({ principal: caller, digest }), { callerKey: caller, signal }),
    turn,
    /** Ends the oldest writes that go on. */
    async end(count = 1): Promise<void> {
      for (const end of ends.splice(0, count)) end();
      await turn();
    },
  };
}

describe("approval requests (SAFE-5, POL-3)", () => {
  it("go to the store one at a time of each caller, so that nobody waits for all of another", async () => {
    const { ask, writes, turn, end } = createStage();
    const all = ["a1", "a2", "a3", "b1", "c1", "b2"].map((digest) => ask(digest[0] ?? "", digest));
    await turn();
    expect(writes).toEqual(["a1", "b1", "c1"]);
    await end(2);
    expect(writes.slice(3)).toEqual(["a2", "b2"]);
    await end(3);
    expect(writes.slice(5)).toEqual(["a3"]);
    await end();
    expect(new Set(await Promise.all(all)).size).toBe(6);
  });

  it("that are the same are written once, and not again while they wait", async () => {
    const { ask, approvals, writes, turn, end } = createStage();
    const all = Array.from({ length: 100 }, () => ask("ann", "same"));
    await turn();
    await end();
    const ids = new Set(await Promise.all(all));
    expect(ids).toEqual(new Set([await ask("ann", "same")]));
    expect(ids).toEqual(new Set([await approvals.findWaiting(pendingOf({ digest: "same" }))]));
    expect(writes).toEqual(["same"]);
  });

  it("beyond a caller's share are refused without a write, also those that were in line", async () => {
    const { ask, writes, turn, end } = createStage();
    const all = Array.from({ length: 103 }, (_, at) => ask("ann", `digest-${at}`));
    const settled = Promise.allSettled(all);
    for (let at = 0; at < 100; at += 1) {
      await turn();
      await end();
    }
    const outcomes = (await settled).map(({ status }) => status);
    expect(outcomes).toEqual([...new Array(100).fill("fulfilled"), "rejected", "rejected", "rejected"]);
    await expect(ask("ann", "one more")).rejects.toMatchObject({ code: "too-many-requests" });
    expect(writes).toHaveLength(100);
  });

  it("of clients that have left while they were in line are not written", async () => {
    const { ask, writes, turn, end } = createStage();
    const leaving = new AbortController();
    const first = ask("ann", "first", leaving.signal);
    const left = [ask("ann", "left", leaving.signal), ask("ann", "left too", AbortSignal.abort())];
    const last = ask("ann", "last");
    await turn();
    leaving.abort();
    await end();
    expect(await Promise.all(left)).toEqual([undefined, undefined]);
    await end();
    expect(writes).toEqual(["first", "last"]);
    // What was begun is finished: it waits.
    expect(await first).toBeDefined();
    expect(await last).toBeDefined();
  });

  it("that cannot be written are errors, and the next one goes on", async () => {
    const { ask, writes, turn, end } = createStage();
    const broken = expect(ask("ann", "broken")).rejects.toThrow("broken");
    const next = ask("ann", "next");
    await turn();
    await end();
    await broken;
    await end();
    expect(await next).toBeDefined();
    expect(writes).toEqual(["broken", "next"]);
  });
});
