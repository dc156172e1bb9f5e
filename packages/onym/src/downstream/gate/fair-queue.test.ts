import { describe, expect, it } from "vitest";
import { type Reply, resultReply } from "../../mcp/message.js";
import type { DownstreamRequest } from "../downstream.js";
import { OWN_ORIGIN } from "../protocol/request.js";
import { createFairQueue } from "./fair-queue.js";

/** A server that answers when the test says so, in the order it was asked. */
function serve(limit: number) {
  /** The requests that it takes until it has to read first. */
  let room = Number.POSITIVE_INFINITY;
  const queue = createFairQueue({ label: "server", limit, isFull: () => room <= 0 });
  const sent: string[] = [];
  const open: (() => void)[] = [];
  const ask = (callerKey: string, name: string, more: Partial<DownstreamRequest> = {}): Promise<string> => {
    const from = { ...OWN_ORIGIN, callerKey };
    const signal = new AbortController().signal;
    const full: DownstreamRequest = {
      method: name,
      params: {},
      origin: from,
      signal,
      timeoutMs: 60_000,
      ...more,
    };
    const send = () =>
      new Promise<Reply>((resolve) => {
        sent.push(name);
        room -= 1;
        open.push(() => {
          resolve(resultReply({ name }));
          queue.done();
        });
      });
    return queue
      .run(full, send)
      .then((reply) => (reply.kind === "error" ? reply.error.message : reply.kind === "result" ? name : ""));
  };
  /** Answers the oldest, and lets what follows from it happen. */
  const answer = async (times = 1): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const takeUpTo = (requests: number): void => {
    room = requests;
    queue.resume();
  };
  return { ask, answer, sent, takeUpTo };
}

/** Arguments of this many bytes. */
function bytes(length: number): Partial<DownstreamRequest> {
  return { argumentsText: { of: {}, text: "x".repeat(length) } };
}

describe("requests to one server", () => {
  it("are sent at once up to the limit: one below, at and one above (limits.pending) (SAFE-5)", async () => {
    const { ask, answer, sent } = serve(3);
    const all = ["a1", "a2"].map((name) => ask("a", name));
    expect(sent).toEqual(["a1", "a2"]);
    all.push(ask("a", "a3"));
    expect(sent).toEqual(["a1", "a2", "a3"]);
    all.push(ask("a", "a4"));
    expect(sent).toHaveLength(3);
    await answer();
    expect(sent).toEqual(["a1", "a2", "a3", "a4"]);
    await answer(3);
    expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "a4"]);
  });

  it("of one caller do not starve those of another: callers take turns (SAFE-5)", async () => {
    const { ask, answer, sent } = serve(1000);
    const greedy = Array.from({ length: 2000 }, (_, n) => ask("greedy", `g${n}`));
    const modest = ["m1", "m2"].map((name) => ask("modest", name));
    const third = ask("third", "t1");
    expect(sent).toHaveLength(1000);
    await answer(6);
    expect(sent.slice(1000)).toEqual(["g1000", "m1", "t1", "g1001", "m2", "g1002"]);
    // Three of the greedy one gave way to those who came last.
    await answer(3000);
    const outcomes = await Promise.all(greedy);
    expect(outcomes.filter((text) => text.includes("was not sent"))).toHaveLength(3);
    expect(await Promise.all([...modest, third])).toEqual(["m1", "m2", "t1"]);
  });

  it("are refused where as many wait already, the newest of who has most (SAFE-5)", async () => {
    const { ask, answer, sent } = serve(2);
    const first = ["a1", "a2", "a3", "a4"].map((name) => ask("a", name));
    expect(await ask("a", "a5")).toMatch(/^server has 2 requests in flight and 2 waiting already.*not sent$/);
    const other = ask("b", "b1");
    expect(await first[3]).toContain("was not sent");
    expect(await ask("a", "a6")).toContain("was not sent");
    expect(await ask("b", "b2")).toContain("was not sent");
    await answer(4);
    expect(sent).toEqual(["a1", "a2", "a3", "b1"]);
    expect(await other).toBe("b1");
  });

  it("that are cancelled or wait too long are never sent, and leave room (SAFE-6)", async () => {
    const { ask, answer, sent } = serve(1);
    const first = ask("a", "a1");
    const cancel = new AbortController();
    const cancelled = ask("a", "a2", { signal: cancel.signal });
    cancel.abort();
    expect(await cancelled).toBe("The request was cancelled");
    expect(await ask("b", "late", { timeoutMs: 1 })).toBe(
      "server has too many requests in flight or too much to read: late waited 1 ms and was not sent",
    );
    const next = ask("b", "b1");
    await answer(2);
    expect(sent).toEqual(["a1", "b1"]);
    expect(await Promise.all([first, next])).toEqual(["a1", "b1"]);
  });
});

describe("requests to a server that has much to read", () => {
  it("wait, and are sent in turns once it has read (SAFE-5)", async () => {
    const { ask, answer, sent, takeUpTo } = serve(100);
    const first = ask("a", "a1");
    takeUpTo(0);
    const rest = [ask("a", "a2"), ask("a", "a3"), ask("b", "b1")];
    await answer();
    expect([await first, sent]).toEqual(["a1", ["a1"]]);
    takeUpTo(Number.POSITIVE_INFINITY);
    expect(sent).toEqual(["a1", "a2", "b1", "a3"]);
    await answer(3);
    expect(await Promise.all(rest)).toEqual(["a2", "a3", "b1"]);
  });

  it("take as many turns as they have bytes, while others wait (SAFE-5)", async () => {
    const { ask, sent, takeUpTo } = serve(100);
    takeUpTo(0);
    for (const name of ["g1", "g2", "g3"]) void ask("greedy", name, bytes(3 * 65_536));
    for (const name of ["m1", "m2", "m3", "m4", "m5"]) void ask("modest", name, bytes(65_535));
    for (let times = 0; times < 8; times += 1) takeUpTo(1);
    expect(sent).toEqual(["g1", "m1", "m2", "m3", "m4", "g2", "m5", "g3"]);
  });

  it.each([
    ["one below", 32 * 1_048_576 - 1, false],
    ["at", 32 * 1_048_576, false],
    ["one above", 32 * 1_048_576 + 1, true],
  ])(
    "have bytes of one caller, %s the limit; the caller is told when to try again (SAFE-5)",
    async (_, length, isRefused) => {
      const { ask, sent, takeUpTo } = serve(100);
      takeUpTo(0);
      // One request may be larger: it is as large as a message may be.
      const large = ask("a", "a1", bytes(length - 100));
      const second = ask("a", "a2", bytes(100));
      const other = ask("b", "b1", bytes(100));
      takeUpTo(Number.POSITIVE_INFINITY);
      expect(sent).toEqual(isRefused ? ["a1", "b1"] : ["a1", "b1", "a2"]);
      if (isRefused)
        expect(await second).toMatch(/^server has to read 33554432 bytes of this caller's.*not sent$/);
      void large;
      void other;
    },
  );
});
