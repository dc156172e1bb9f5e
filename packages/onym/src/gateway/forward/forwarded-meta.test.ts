import { describe, expect, it } from "vitest";
import { stripMeta } from "./forward-request.js";

describe("stripMeta", () => {
  it("takes the envelope and the progress token off, and leaves the rest (GW-5)", () => {
    const params = {
      name: "a",
      arguments: { _meta: 1 },
      _meta: {
        progressToken: "t",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {},
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "debug",
        traceparent: "00-1",
      },
    };
    expect(stripMeta(params)).toEqual({
      params: { name: "a", arguments: { _meta: 1 }, _meta: { traceparent: "00-1" } },
      progressToken: "t",
    });
  });

  it("leaves no empty _meta behind", () => {
    expect(stripMeta({ _meta: { progressToken: 0 } })).toEqual({ params: {}, progressToken: 0 });
    expect(stripMeta({ _meta: "text" })).toEqual({ params: {}, progressToken: undefined });
  });

  it("takes off what asks for a task: nobody could ask for it later (GW-5)", () => {
    const task = { ttl: 60_000 };
    expect(stripMeta({ name: "a", arguments: { task }, task })).toEqual({
      params: { name: "a", arguments: { task } },
      progressToken: undefined,
    });
    expect(stripMeta({ name: "a", task, _meta: { progressToken: 1, own: 2 } })).toEqual({
      params: { name: "a", _meta: { own: 2 } },
      progressToken: 1,
    });
  });

  it("takes no token that is none", () => {
    for (const progressToken of [null, {}, true, []])
      expect(stripMeta({ _meta: { progressToken } }).progressToken).toBeUndefined();
  });

  it("keeps keys named like prototypes as plain members (SAFE-1)", () => {
    const params = JSON.parse('{"__proto__":{"polluted":1},"_meta":{"__proto__":{"polluted":2}}}');
    const stripped = stripMeta(params).params;
    expect(JSON.stringify(stripped)).toBe(
      '{"__proto__":{"polluted":1},"_meta":{"__proto__":{"polluted":2}}}',
    );
    expect((stripped as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
