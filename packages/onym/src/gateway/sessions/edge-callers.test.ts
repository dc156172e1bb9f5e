import { describe, expect, it } from "vitest";
import { systemEdgeClock } from "../../model/clock.js";
import { silentLog } from "../../model/log.js";
import {
  ALL_REQUESTS,
  CALLER_REQUESTS,
  callerKey,
  createQuotas,
  HeldRequest,
  RequestBytes,
} from "./edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "./edge-limits.js";

describe("the share of a caller (SAFE-5)", () => {
  it.each([
    [undefined, "127.0.0.1", "address:127.0.0.1", true],
    [undefined, "127.255.255.254", "address:127.0.0.1", true],
    [undefined, "::ffff:127.0.0.2", "address:127.0.0.1", true],
    [undefined, "::1", "address:127.0.0.1", true],
    [undefined, "126.255.255.255", "address:126.255.255.255", false],
    [undefined, "128.0.0.1", "address:128.0.0.1", false],
    [undefined, "203.0.113.7", "address:203.0.113.7", false],
    [undefined, "::ffff:203.0.113.7", "address:203.0.113.7", false],
    [undefined, "2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2", false],
    [undefined, "2001:DB8:1:2::9", "address:2001:db8:1:2", false],
    [undefined, "2001:db8::9", "address:2001:db8:0:0", false],
    [undefined, "fe80::1%eth0", "address:fe80:0:0:0", false],
    [undefined, undefined, "address:", false],
    ["ci", "127.0.0.1", "caller:ci", false],
    ["127.0.0.1", "203.0.113.7", "caller:127.0.0.1", false],
  ])("of %s at %s is counted as %s", (principal, address, key, isShared) => {
    expect(callerKey(principal, address)).toEqual({ key, isShared });
  });
});

describe("bytes of requests under way (SAFE-5)", () => {
  const MAX = 100;
  function start() {
    const quotas = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog);
    const shares = ["ann", "bob", "cyd", "dan", "eve"].map((name) => quotas.of(callerKey(name, undefined)));
    return { bytes: new RequestBytes(MAX).all, shares };
  }

  it("of one caller are those of 32 requests of the largest size: one below, at and one above (limits: CALLER_REQUESTS of edge-callers)", () => {
    const { bytes, shares } = start();
    const [ann] = shares;
    if (ann === undefined) throw new Error("nobody");
    const taken = [32 * MAX - 1, 1, 1].map((more) => bytes.take(ann, more) === undefined);
    expect(taken).toEqual([true, true, false]);
    bytes.release(ann, 2);
    expect(bytes.take(ann, 1)).toBeUndefined();
  });

  it("of all are those of 128: beyond that each gets an equal part, one below, at and one above", () => {
    const { bytes, shares } = start();
    const [ann, , , , eve] = shares;
    if (ann === undefined || eve === undefined) throw new Error("nobody");
    for (const share of shares.slice(0, 4)) expect(bytes.take(share, 32 * MAX)).toBeUndefined();
    // The fifth makes it too many for all, and still has less than a fifth of it.
    const part = (128 * MAX) / 5;
    expect([part - 1, 1, 1].map((more) => bytes.take(eve, more) === undefined)).toEqual([true, true, false]);
    expect(bytes.take(ann, 0)).toBe(part);
  });

  it("of all take no part away up to 128: one below, at and one above (limits: ALL_REQUESTS of edge-callers)", () => {
    const { bytes, shares } = start();
    const [ann, bob, cyd, dan, eve] = shares;
    if (ann === undefined || eve === undefined) throw new Error("nobody");
    for (const share of [bob, cyd, dan]) if (share !== undefined) bytes.take(share, 32 * MAX);
    bytes.take(eve, MAX);
    // It has more than a fifth of what all may have.
    const taken = [31 * MAX - 1, 1, 1].map((more) => bytes.take(ann, more) === undefined);
    expect(taken).toEqual([true, true, false]);
  });
});

it("of ever more callers are never more than twice as many (SAFE-5)", () => {
  const quotas = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog);
  const { all } = new RequestBytes(100);
  let taken = 0;
  for (let count = 1; count <= 1_000; count += 1) {
    const caller = quotas.of(callerKey(`caller ${count}`, undefined));
    for (let more = 0; more < 32; more += 1) {
      if (all.take(caller, 100) === undefined) taken += 100;
      else all.release(caller, 100);
    }
  }
  expect(taken).toBe(2 * ALL_REQUESTS * 100);
});

it("a request that is refused for its bytes takes no room from the caller's others (SAFE-5)", () => {
  const all = new RequestBytes(100);
  const caller = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog).of(
    callerKey("ann", undefined),
  );
  const [first, second, third] = Array.from({ length: 3 }, () => new HeldRequest(all, caller));
  for (const each of [first, second, third]) each?.keep();
  expect(first?.add(CALLER_REQUESTS * 100 - 50)).toBe(undefined);
  expect(second?.add(51)?.code).toBe("too-many-requests");
  expect(third?.add(50)).toBe(undefined);
  for (const each of [first, second, third]) each?.release();
  expect(caller.requestBytes).toBe(0);
});

describe("the bytes of a suspended call (SAFE-5)", () => {
  it("stay its caller's until it ends, and leave half of the room to the answers", () => {
    const limits = new RequestBytes(100);
    const caller = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog).of(
      callerKey("ann", undefined),
    );
    const suspendOne = (bytes: number) => {
      const held = new HeldRequest(limits, caller);
      held.keep();
      expect(held.add(bytes)).toBeUndefined();
      const refused = held.suspend();
      held.release();
      return { held, refused };
    };
    const half = (CALLER_REQUESTS / 2) * 100;
    const [first, second] = [suspendOne(half - 1), suspendOne(1)];
    expect([first.refused, second.refused, suspendOne(1).refused]).toEqual([undefined, undefined, half]);
    expect(caller.requestBytes).toBe(half);
    // Suspended once more by the same call, it counts once.
    expect(first.held.suspend()).toBeUndefined();
    first.held.endSuspension();
    expect([caller.requestBytes, caller.suspendedBytes]).toEqual([half, half]);
    first.held.endSuspension();
    expect([caller.requestBytes, caller.suspendedBytes]).toEqual([1, 1]);
    expect(suspendOne(half - 1).refused).toBeUndefined();
  });
});
