import { describe, expect, it } from "vitest";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import type { DownstreamRequest, RequestPlace } from "../downstream.js";
import { OWN_ORIGIN } from "../protocol/request.js";
import { createTestClock } from "../testing/start-downstream.js";
import { CALLER_IN_FLIGHT, FairQueue, GIVEN_UP_MS, QUIET_MS, SHARED_MS } from "./fair-queue.js";

/** A server that answers when the test says so, in the order it was asked. */
function serve(limit: number) {
  /** The requests that it takes until it has to read first. */
  let room = Number.POSITIVE_INFINITY;
  let now = 0;
  const clock = { ...createTestClock(), now: () => now };
  const queue = new FairQueue({ label: "server", limit, isFull: () => room <= 0, clock });
  const sent: string[] = [];
  const open = new Map<string, (reply: Reply) => void>();
  const places = new Map<string, RequestPlace>();
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
    return queue
      .run(
        full,
        (place) =>
          new Promise<Reply>((resolve) => {
            sent.push(name);
            room -= 1;
            places.set(name, place);
            open.set(name, (reply) => {
              open.delete(name);
              resolve(reply);
              queue.finish(place, full, reply);
            });
          }),
      )
      .then((reply) => (reply.kind === "error" ? reply.error.message : reply.kind === "result" ? name : ""));
  };
  /** Answers the oldest, and lets what follows from it happen. */
  const answer = async (times = 1): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      const [oldest] = open.keys();
      if (oldest !== undefined) open.get(oldest)?.(resultReply({ name: oldest }));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const takeUpTo = (requests: number): void => {
    room = requests;
    queue.resume();
  };
  /** Its caller gave up. */
  const giveUp = (name: string): void => {
    places.get(name)?.giveUp();
    open.get(name)?.(errorReply(-32603, "The request was cancelled"));
  };
  const answerLate = (name: string): void => places.get(name)?.answerLate();
  const reply = (name: string, result: Reply): void => open.get(name)?.(result);
  const pass = (ms: number): void => {
    now += ms;
    clock.fire();
  };
  return { queue, ask, answer, reply, sent, takeUpTo, giveUp, answerLate, pass };
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
    // The greedy one has more than its share in flight, since it has the server no longer to itself.
    expect(sent.slice(1000)).toEqual(["m1", "t1", "m2"]);
    await answer(1000 - CALLER_IN_FLIGHT - 6);
    expect(sent).toHaveLength(1003);
    await answer(2);
    expect(sent.slice(1003)).toEqual(["g1000", "g1001"]);
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

const numbered = (name: string, length: number): string[] =>
  Array.from({ length }, (_, n) => `${name}${n + 1}`);

describe("requests of one caller to a server that others use", () => {
  it.each([
    ["one below", CALLER_IN_FLIGHT - 1, CALLER_IN_FLIGHT - 1],
    ["at", CALLER_IN_FLIGHT, CALLER_IN_FLIGHT],
    ["one above", CALLER_IN_FLIGHT + 1, CALLER_IN_FLIGHT],
  ])(
    "are in flight up to a share, %s, and those of others are sent at once (limits: CALLER_IN_FLIGHT of fair-queue) (SAFE-5)",
    (_, times, expected) => {
      const { ask, sent } = serve(1000);
      void ask("modest", "m1");
      for (const name of numbered("g", times)) void ask("greedy", name);
      void ask("modest", "m2");
      expect(sent).toEqual(["m1", ...numbered("g", expected), "m2"]);
    },
  );

  it("take turns beyond their shares, each as its own are answered (SAFE-5)", async () => {
    const { ask, answer, sent } = serve(1000);
    for (const caller of ["a", "b"])
      for (const name of numbered(caller, CALLER_IN_FLIGHT + 2)) void ask(caller, name);
    // The first caller had the server to itself until the second came.
    expect(sent).toEqual([...numbered("a", CALLER_IN_FLIGHT + 2), ...numbered("b", CALLER_IN_FLIGHT)]);
    await answer(CALLER_IN_FLIGHT + 3);
    expect(sent.slice(-1)).toEqual([`b${CALLER_IN_FLIGHT + 1}`]);
  });

  it.each([
    ["one below", SHARED_MS - 1, CALLER_IN_FLIGHT],
    ["at", SHARED_MS, 2 * CALLER_IN_FLIGHT],
    ["one above", SHARED_MS + 1, 2 * CALLER_IN_FLIGHT],
  ])(
    "are as many as may be once no other has used it for so long: %s (limits: SHARED_MS of fair-queue) (SAFE-5)",
    (_, ms, expected) => {
      const { ask, sent, pass } = serve(1000);
      void ask("modest", "m1");
      pass(ms);
      for (const name of numbered("g", 2 * CALLER_IN_FLIGHT)) void ask("greedy", name);
      expect(sent).toHaveLength(1 + expected);
    },
  );

  it.each([
    ["one below", QUIET_MS - 1, CALLER_IN_FLIGHT],
    ["at", QUIET_MS, 2 * CALLER_IN_FLIGHT],
    ["one above", QUIET_MS + 1, 2 * CALLER_IN_FLIGHT],
  ])(
    "are as many again once none was answered for so long: %s (limits: QUIET_MS of fair-queue) (SAFE-5)",
    (_, ms, expected) => {
      const { ask, sent, pass } = serve(1000);
      void ask("modest", "m1");
      for (const name of numbered("g", 3 * CALLER_IN_FLIGHT)) void ask("greedy", name);
      pass(ms);
      expect(sent).toHaveLength(1 + expected);
    },
  );

  it("are as many again where none was answered for long, so that long calls lock nobody out (SAFE-5)", async () => {
    const { ask, answer, sent, pass } = serve(1000);
    void ask("modest", "m1");
    for (const name of numbered("g", 3 * CALLER_IN_FLIGHT)) void ask("greedy", name);
    pass(QUIET_MS - 1);
    await answer(2);
    expect(sent).toHaveLength(1 + CALLER_IN_FLIGHT + 1);
    pass(QUIET_MS - 1);
    expect(sent).toHaveLength(1 + CALLER_IN_FLIGHT + 1);
    pass(1);
    expect(sent).toHaveLength(1 + 2 * CALLER_IN_FLIGHT + 1);
    // Those that counted no more make no more room when they are answered.
    await answer(CALLER_IN_FLIGHT);
    expect(sent).toHaveLength(1 + 2 * CALLER_IN_FLIGHT + 1);
    await answer(1);
    expect(sent).toHaveLength(1 + 2 * CALLER_IN_FLIGHT + 2);
  });

  it("are as many as may be in all, with those that wait (limits.pending: one below, at and one above)", async () => {
    const { ask, sent } = serve(CALLER_IN_FLIGHT);
    void ask("modest", "m1");
    const all = numbered("g", 2 * CALLER_IN_FLIGHT).map((name) => ask("greedy", name));
    expect(sent).toHaveLength(CALLER_IN_FLIGHT);
    expect(await all.at(-1)).toMatch(/^server has 32 requests in flight and 32 waiting already.*not sent$/);
  });
});

describe("requests that were given up (SAFE-6)", () => {
  const tool = (name: string): Partial<DownstreamRequest> => ({ method: "tools/call", params: { name } });
  /** The greedy caller has given up as many as it may have in flight; the next one waits. */
  function giveUpAll() {
    const server = serve(1000);
    void server.ask("modest", "m1");
    const names = numbered("g", CALLER_IN_FLIGHT);
    for (const name of names) void server.ask("greedy", name, tool("dig"));
    for (const name of names) server.giveUp(name);
    void server.ask("greedy", "next", tool("dig"));
    expect(server.sent).not.toContain("next");
    return server;
  }

  it("count for their caller until the server answers them after all", () => {
    const { sent, answerLate } = giveUpAll();
    answerLate("g7");
    expect(sent).toContain("next");
  });

  it("count until the server has answered what was sent after that, about the same", () => {
    const { sent, ask, reply } = giveUpAll();
    void ask("modest", "m2", tool("look"));
    reply("m2", resultReply({}));
    reply("m1", resultReply({}));
    void ask("modest", "m3", tool("dig"));
    reply("m3", errorReply(-32602, "no such hole"));
    void ask("modest", "m4", tool("dig"));
    reply("m4", resultReply({ isError: true }));
    expect(sent).not.toContain("next");
    void ask("modest", "m5", tool("dig"));
    reply("m5", resultReply({}));
    expect(sent).toContain("next");
  });

  it("do not count less because of what was sent before", () => {
    const { sent, ask, reply, giveUp } = serve(1000);
    void ask("modest", "m1", tool("dig"));
    for (const name of numbered("g", CALLER_IN_FLIGHT)) void ask("greedy", name, tool("dig"));
    for (const name of numbered("g", CALLER_IN_FLIGHT)) giveUp(name);
    reply("m1", resultReply({}));
    void ask("greedy", "next");
    expect(sent).not.toContain("next");
  });

  it("count no more when their connection has ended", () => {
    const { sent, queue } = giveUpAll();
    queue.endGivenUp();
    expect(sent).toContain("next");
  });

  it.each([
    ["one below", GIVEN_UP_MS - 1, false],
    ["at", GIVEN_UP_MS, true],
    ["one above", GIVEN_UP_MS + 1, true],
  ])("count for so long at most: %s (limits: GIVEN_UP_MS of fair-queue)", (_, ms, isSent) => {
    const { sent, pass } = giveUpAll();
    pass(ms);
    expect(sent.includes("next")).toBe(isSent);
  });

  it("are no longer counted when their caller comes again, although nothing waited", () => {
    const { sent, ask, giveUp, pass } = serve(1000);
    void ask("modest", "m1");
    for (const name of numbered("g", CALLER_IN_FLIGHT)) void ask("greedy", name);
    for (const name of numbered("g", CALLER_IN_FLIGHT)) giveUp(name);
    pass(GIVEN_UP_MS);
    void ask("greedy", "next");
    expect(sent).toContain("next");
  });

  it("take no more than half of the places of a server from others (SAFE-5)", async () => {
    const { sent, ask, giveUp } = serve(4);
    for (const name of numbered("g", 4)) void ask("greedy", name);
    for (const name of numbered("g", 4)) giveUp(name);
    for (const name of numbered("m", 3)) void ask("modest", name);
    expect(sent).toEqual([...numbered("g", 4), "m1", "m2"]);
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

  it.each([
    ["one below one turn", 65_535, ["g1", "m1", "g2", "m2", "g3", "m3", "m4", "m5"]],
    ["at one turn", 65_536, ["g1", "m1", "m2", "g2", "m3", "m4", "g3", "m5"]],
    ["one above one turn", 65_537, ["g1", "m1", "m2", "g2", "m3", "m4", "g3", "m5"]],
    ["at three turns", 3 * 65_536, ["g1", "m1", "m2", "m3", "m4", "g2", "m5", "g3"]],
  ])(
    "take as many turns as they have bytes, while others wait: %s (limits: TURN_BYTES of fair-queue) (SAFE-5)",
    (_, length, order) => {
      const { ask, sent, takeUpTo } = serve(100);
      takeUpTo(0);
      for (const name of ["g1", "g2", "g3"]) void ask("greedy", name, bytes(length));
      for (const name of ["m1", "m2", "m3", "m4", "m5"]) void ask("modest", name, bytes(65_535));
      for (let times = 0; times < 8; times += 1) takeUpTo(1);
      expect(sent).toEqual(order);
    },
  );

  it.each([
    ["one below", 32 * 1_048_576 - 1, false],
    ["at", 32 * 1_048_576, false],
    ["one above", 32 * 1_048_576 + 1, true],
  ])(
    "have bytes of one caller, %s the limit; the caller is told when to try again (limits: MAX_WAITING_BYTES of fair-queue) (SAFE-5)",
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
