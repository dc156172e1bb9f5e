import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { buildOwnRequest, formatRequest } from "./request.js";

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
