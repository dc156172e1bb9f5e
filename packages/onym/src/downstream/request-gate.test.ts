import { describe, expect, it } from "vitest";
import { errorReply, type Reply, resultReply, withTrouble } from "../mcp/message.js";
import type { DownstreamRequest, Unhealthy } from "./downstream.js";
import { OWN_ORIGIN } from "./protocol/request.js";
import { createFairQueue, createHealth, type Health, MAX_FAILURES } from "./request-gate.js";

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

  it.each([
    ["one below one turn", 65_535, ["g1", "m1", "g2", "m2", "g3", "m3", "m4", "m5"]],
    ["at one turn", 65_536, ["g1", "m1", "m2", "g2", "m3", "m4", "g3", "m5"]],
    ["one above one turn", 65_537, ["g1", "m1", "m2", "g2", "m3", "m4", "g3", "m5"]],
    ["at three turns", 3 * 65_536, ["g1", "m1", "m2", "m3", "m4", "g2", "m5", "g3"]],
  ])(
    "take as many turns as they have bytes, while others wait: %s (limits: TURN_BYTES of request-gate) (SAFE-5)",
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
    "have bytes of one caller, %s the limit; the caller is told when to try again (limits: MAX_WAITING_BYTES of request-gate) (SAFE-5)",
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

const OK = resultReply({});
const ANSWERED = errorReply(-32602, "no such thing");
const broken = (what = "HTTP 500", retryAfterMs?: number): Reply =>
  withTrouble(errorReply(-32603, "x"), { kind: "failed", what, retryAfterMs });
const GIVEN_UP = withTrouble(errorReply(-32603, "cancelled"), { kind: "unknown" });

function start() {
  let time = 1_000_000;
  const changes: (Unhealthy | undefined)[] = [];
  const health: Health = createHealth({
    clock: { now: () => time, after: () => () => {} },
    random: () => 0,
    onChange: (_, now) => changes.push(now),
  });
  /** One request; `refused` where it was not let through. */
  const ask = (reply: Reply, ms = 0, caller = "ann"): string => {
    const admitted = health.admit(caller);
    if (admitted === undefined) return "refused";
    time += ms;
    health.note(admitted, reply);
    return admitted.isProbe ? "probe" : "sent";
  };
  const fail = (times: number) => Array.from({ length: times }, () => ask(broken()));
  const wait = (ms: number): void => {
    time += ms;
  };
  return { health, ask, fail, wait, changes };
}

describe("the health of a server (SAFE-5)", () => {
  it.each([
    ["one below", MAX_FAILURES - 1, "sent"],
    ["at", MAX_FAILURES, "refused"],
    ["one above", MAX_FAILURES + 1, "refused"],
  ])(
    "after so many failures in a row the next request is refused: %s (limits: MAX_FAILURES of request-gate)",
    (_, times, expected) => {
      const { fail, ask } = start();
      fail(times);
      expect(ask(OK)).toBe(expected);
    },
  );

  it.each([
    ["a result", OK],
    ["an error of its own", ANSWERED],
  ])("%s ends the row", (_, reply) => {
    const { fail, ask } = start();
    fail(MAX_FAILURES - 1);
    ask(reply);
    fail(MAX_FAILURES - 1);
    expect(ask(OK)).toBe("sent");
  });

  it.each([
    ["only one caller's requests fail", "sent", 0],
    ["another's fail less often in a row than one caller's may", "sent", MAX_FAILURES - 1],
    ["another's fail as often", "refused", MAX_FAILURES],
  ])("%s: others are %s", (_, expected, times) => {
    const { health, fail, ask, wait } = start();
    fail(2 * MAX_FAILURES);
    for (let time = 0; time < times; time += 1) expect(ask(broken(), 0, "bob")).toBe("sent");
    expect(ask(OK)).toBe("refused");
    expect([ask(GIVEN_UP, 0, "bob"), ask(GIVEN_UP, 0, "eve")]).toEqual([expected, expected]);
    wait(60_000);
    const isClosed = expected === "refused";
    expect([ask(OK, 0, "eve"), health.unhealthy]).toEqual([isClosed ? "probe" : "sent", undefined]);
  });

  it("lets no caller's failures close it to others, whoever began", () => {
    const { ask, wait } = start();
    ask(broken(), 0, "bob");
    for (let time = 0; time < MAX_FAILURES; time += 1) ask(broken());
    for (let time = 0; time < 3; time += 1) {
      wait(60_000);
      expect(ask(broken())).toBe("probe");
    }
    expect([ask(OK), ask(broken(), 0, "bob"), ask(OK, 0, "bob")]).toEqual(["refused", "sent", "sent"]);
  });

  it("refuses everybody when requests of many fail", () => {
    const { ask } = start();
    const callers = Array.from({ length: MAX_FAILURES + 1 }, (_, n) => `caller ${n}`);
    for (const caller of callers) expect(ask(broken(), 0, caller)).toBe("sent");
    expect([ask(OK, 0, "caller 0"), ask(OK, 0, "eve")]).toEqual(["refused", "refused"]);
  });

  it("is healthy again when another caller's request is answered", () => {
    const { health, fail, ask } = start();
    fail(MAX_FAILURES);
    expect([ask(OK, 0, "bob"), health.unhealthy, ask(OK)]).toEqual(["sent", undefined, "sent"]);
  });

  it("lets one request through when its time has come, and recovers when that one is answered", () => {
    const { health, fail, wait, ask, changes } = start();
    fail(MAX_FAILURES);
    expect(health.unhealthy).toEqual({
      since: 1_000_000,
      reason: "HTTP 500",
      failures: MAX_FAILURES,
      retryAt: 1_004_000,
    });
    wait(3_999);
    expect(ask(OK)).toBe("refused");
    wait(1);
    const probe = health.admit("ann");
    expect(probe?.isProbe).toBe(true);
    expect(health.admit("ann")).toBeUndefined();
    if (probe !== undefined) health.note(probe, OK);
    expect(ask(OK)).toBe("sent");
    expect(changes.map((each) => each?.failures)).toEqual([MAX_FAILURES, undefined]);
  });

  it("waits twice as long after each probe in vain, up to a minute", () => {
    const { health, fail, wait, ask } = start();
    fail(MAX_FAILURES);
    const waits: number[] = [];
    let now = 1_000_000;
    for (let probe = 0; probe < 6; probe += 1) {
      const left = (health.unhealthy?.retryAt ?? 0) - now;
      waits.push(left);
      wait(left);
      now += left;
      expect(ask(broken("HTTP 502"))).toBe("probe");
    }
    expect(waits).toEqual([4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(health.unhealthy).toMatchObject({ since: 1_000_000, reason: "HTTP 502" });
  });

  it("waits as long as the server says", () => {
    const { health, fail, ask } = start();
    fail(MAX_FAILURES - 1);
    ask(broken("HTTP 429", 120_000));
    expect(health.unhealthy?.retryAt).toBe(1_120_000);
  });

  it.each([
    [29_999, "sent"],
    [30_000, "refused"],
    [30_001, "refused"],
  ])("requests that callers give up after %i ms count where that is long: the next is %s", (ms, expected) => {
    const { ask } = start();
    for (let times = 0; times < MAX_FAILURES; times += 1) ask(GIVEN_UP, ms);
    expect(ask(OK)).toBe(expected);
  });

  it("lets another probe through beside one that takes long", () => {
    const { health, fail, wait } = start();
    fail(MAX_FAILURES);
    wait(4_000);
    health.admit("ann");
    wait(29_999);
    expect(health.admit("ann")).toBeUndefined();
    wait(1);
    expect(health.admit("ann")?.isProbe).toBe(true);
  });
});
