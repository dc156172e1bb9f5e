import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { answerOnce, buildOwnRequest, formatRequest } from "./request.js";

const format = (params: JsonObject, argumentsText?: { of: unknown; text: string | Buffer }) =>
  formatRequest(7, { ...buildOwnRequest("tools/call", params), argumentsText }).toString();

describe("a request to a downstream", () => {
  it("says the same, whether its arguments are written anew or passed on", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (others, args) => {
        const params = { ...others, name: "x", arguments: args };
        const text = JSON.stringify(args);
        expect(JSON.parse(format(params, { of: args, text }))).toEqual(JSON.parse(format(params)));
      }),
    );
  });

  it("holds the arguments byte for byte (GW-5)", () => {
    const args = { n: 1 };
    const text = '{"n":  1.0e0,"id":12345678901234567890}';
    expect(format({ name: "x", arguments: args, _meta: { a: 1 } }, { of: args, text })).toBe(
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":${text},"_meta":{"a":1}}}`,
    );
  });

  it("never holds the text of other arguments", () => {
    const line = format({ name: "x", arguments: { n: 2 } }, { of: { n: 2 }, text: '{"n":3}' });
    expect(JSON.parse(line).params.arguments).toEqual({ n: 2 });
  });
});

describe("the deadline of a request", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["one below", 63_999, false],
    ["at", 64_000, true],
    ["one above", 64_001, true],
  ])("gives up a call when its time is over: %s (limits.callMs)", async (_, ms, expected) => {
    const timeoutMs = 64_000;
    const given: string[] = [];
    let reply: Reply | undefined;
    const ask = { method: "tools/call", timeoutMs, signal: new AbortController().signal };
    void answerOnce(ask, 'server "test"', () => (why) => given.push(why)).then((came) => {
      reply = came;
    });
    await vi.advanceTimersByTimeAsync(ms);
    expect([reply !== undefined, given.length === 1]).toEqual([expected, expected]);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(reply).toMatchObject({ kind: "error", error: { data: { outcome: "unknown" } } });
  });
});
