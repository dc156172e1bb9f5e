import { describe, expect, it } from "vitest";
import { type CallId, callIdOf } from "../layers/call-id.js";
import { toolKeyOf } from "../tool-key.js";
import { type CallFingerprint, callFingerprintOf, checkReplay } from "./check-replay.js";

const callId = callIdOf({ call_id: "c1" });
const key = toolKeyOf({ server: "docs", raw: "search" });
const fingerprint = callFingerprintOf({ key, arguments: { text: "a", limit: 1 } });
const earlier = new Map(callId === undefined ? [] : [[callId, fingerprint]]);

describe("replayed calls", () => {
  it("are first while nothing else has their id (ID-6)", () => {
    expect(checkReplay({ callId, fingerprint }, new Map())).toEqual({ outcome: "first" });
    expect(checkReplay({ callId: callIdOf({ id: "c2" }), fingerprint }, earlier).outcome).toBe("first");
  });

  it("are recognised, so that they need not run again, whatever the order of the arguments (ID-6)", () => {
    const again = callFingerprintOf({ key, arguments: { limit: 1, text: "a" } });
    expect(checkReplay({ callId, fingerprint: again }, earlier)).toEqual({ outcome: "replay" });
  });

  it.each([
    { key, arguments: { text: "b", limit: 1 } },
    { key, arguments: { text: "a", limit: "1" } },
    { key, arguments: '{"text":"a","limit":1}' },
    { key, arguments: undefined },
    { key: toolKeyOf({ server: "mail", raw: "search" }), arguments: { text: "a", limit: 1 } },
  ])("are an error with other arguments or another tool: %j (ID-6)", (call) => {
    const replay = checkReplay({ callId, fingerprint: callFingerprintOf(call) }, earlier);
    expect(replay).toMatchObject({
      outcome: "conflict",
      problem: {
        code: "call-id-reused",
        severity: "error",
        message: 'Call id "c1" was already used for another tool or other arguments.',
        fix: "Give every new call its own id; repeat an id only to repeat the very same call.",
      },
    });
  });

  it("are not recognised without an id, and never throw (ID-6)", () => {
    expect(checkReplay({ callId: undefined, fingerprint }, earlier)).toEqual({ outcome: "first" });
  });

  it("show a hostile id escaped (SAFE-1)", () => {
    const hostile = callIdOf({ id: "c\u202e\n1" }) as CallId;
    const other = callFingerprintOf({ key, arguments: {} });
    const seen = new Map<CallId, CallFingerprint>([[hostile, fingerprint]]);
    expect(checkReplay({ callId: hostile, fingerprint: other }, seen)).toMatchObject({
      problem: { message: expect.stringContaining('"c\\u{202E}\\u{000A}1"') },
    });
  });
});
