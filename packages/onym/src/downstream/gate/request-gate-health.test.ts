import { describe, expect, it } from "vitest";
import { errorReply, type Reply, resultReply, withTrouble } from "../../mcp/message.js";
import type { Unhealthy } from "../downstream.js";
import { createHealth, type Health, MAX_FAILURES } from "./request-gate.js";

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
