import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadMessage, readMessage } from "../message.js";
import { parseJson } from "../parse-json.js";
import { readPlain } from "./read-plain.js";

/** As every message may be read. */
function readAnyhow(text: string): ReadMessage | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? readMessage(parsed.value, text) : undefined;
}

const text = (...members: readonly string[]): string => `{${members.join(",")}}`;
const RPC = '"jsonrpc":"2.0"';
const CALL = '"method":"tools/call"';

describe("a message that is written plainly", () => {
  it.each([
    ["a call", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":{"n":1.0,"x":[]}}')],
    ["a call as SDKs write it", text(CALL, '"params":{"name":"ä 😀","arguments":{}}', RPC, '"id":"x"')],
    [
      "a call with _meta",
      text(RPC, '"id":0', CALL, '"params":{"name":"a","arguments":{},"_meta":{"progressToken":1}}'),
    ],
    [
      "a call with _meta first",
      text(
        RPC,
        '"id":0',
        CALL,
        '"params":{"_meta":{"a":{"b":"},"},"c":{}},"name":"a","arguments":{"n":1.0}}',
      ),
    ],
    ["a result", text(RPC, '"id":-12', '"result":{"content":[],"_meta":{}}')],
    ["a result as SDKs write it", text('"result":{"content":[{"a":"\\""}]}', RPC, '"id":999999999999999')],
  ])("is read as any other, to the letter: %s (GW-5)", (_, written) => {
    expect(readPlain(written)).toEqual(readAnyhow(written));
    expect(readPlain(written)).toBeDefined();
  });

  it.each([
    ["spaces", `{ ${RPC},"id":1,"result":{}}`],
    ["spaces at the end", `${text(RPC, '"id":1', '"result":{}')} `],
    ["escapes in the name", text(RPC, '"id":1', CALL, '"params":{"name":"\\u0061","arguments":{}}')],
    ["escapes in the id", text(RPC, '"id":"\\n"', '"result":{}')],
    ["an id that no double holds", text(RPC, '"id":1234567890123456789', '"result":{}')],
    ["a fraction for an id", text(RPC, '"id":1.5', '"result":{}')],
    ["two results", text(RPC, '"id":1', '"result":{"a":1}', '"result":{"a":2}')],
    ["two ids", text('"result":{}', RPC, '"id":1', RPC, '"id":2')],
    ["another id behind", text(RPC, '"id":1', '"result":{}', '"id":2')],
    ["two arguments", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":{},"arguments":{"a":1}}')],
    [
      "two of _meta",
      text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":{},"_meta":{},"_meta":{"a":1}}'),
    ],
    [
      "two of _meta, one of them first",
      text(RPC, '"id":1', CALL, '"params":{"_meta":{},"name":"a","arguments":{},"_meta":{"a":1}}'),
    ],
    [
      "what looks like a name inside of _meta",
      text(
        RPC,
        '"id":1',
        CALL,
        '"params":{"_meta":{"a":{},"name":"b","arguments":{}},"name":"a","arguments":{}}',
      ),
    ],
    ["another name behind", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":{},"name":"b"}')],
    ["params behind params", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":{}},"params":{}')],
    ["arguments that are none", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":[]}')],
    ["a result that is none", text(RPC, '"id":1', '"result":null')],
    ["an error", text(RPC, '"id":1', '"error":{"code":1,"message":"no"}')],
    ["another method", text(RPC, '"id":1', '"method":"ping"')],
    ["space around its arguments", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments": {} }')],
    ["space around its result", text(RPC, '"id":1', '"result":{} ')],
    ["line ends", text(RPC, '"id":1', '"result":{\r}')],
    ["something behind", `${text(RPC, '"id":1', '"result":{}')}}`],
    ["its end missing", '{"jsonrpc":"2.0","id":1,"result":{}'],
    ["the end of its params missing", `{${RPC},"id":1,${CALL},"params":{"name":"a","arguments":{}}`],
    ["too many ends", `{${RPC},"id":1,${CALL},"params":{"name":"a","arguments":{}}}}`],
    ["nothing in it", ""],
    ["more than reason nests", text(RPC, '"id":1', `"result":{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`)],
    ["a long text", text(RPC, '"id":1', `"result":{"a":"${"x".repeat(9000)}"}`)],
  ])("is none that has %s", (_, written) => {
    expect(readPlain(written)).toBeUndefined();
  });

  it.each([996, 997, 998, 999, 1000])("nests %i levels in its arguments as any other may", (levels) => {
    const nested = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    for (const written of [
      text(RPC, '"id":1', `"result":${nested}`),
      text(RPC, '"id":1', CALL, `"params":{"name":"a","arguments":${nested}}`),
    ])
      expect(readPlain(written)?.kind).toBe(readAnyhow(written)?.kind);
  });

  it("is never read as anything else than it is, whatever stands in it", () => {
    const part = fc.constantFrom(
      ...[RPC, '"id":1', '"id":"b"', CALL, '"result":', "{", "}", "{}", ",", '"params":{', '"name":"a"'],
      ...['"arguments":', '"_meta":', '"_meta":{}', '"a":1', '"},"_meta":{"', "\\", '"'],
    );
    const inside = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
    const frames = fc.constantFrom<readonly [string, string]>(
      ['{"jsonrpc":"2.0","id":1,"result":', "}"],
      ['{"result":', ',"jsonrpc":"2.0","id":1}'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":', "}}"],
      ['{"method":"tools/call","params":{"name":"a","arguments":', '},"jsonrpc":"2.0","id":1}'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":', ',"name":"a","arguments":{}}}'],
      [
        '{"method":"tools/call","params":{"_meta":{"a":',
        '},"name":"a","arguments":{}},"jsonrpc":"2.0","id":1}',
      ],
      ["", ""],
    );
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(frames, fc.oneof(object, inside), inside, ([before, behind], value, more) => {
        for (const written of [`${before}${value}${behind}`, `${before}${value}${more}${behind}`]) {
          const read = readPlain(written);
          if (read !== undefined) expect(read).toEqual(readAnyhow(written));
        }
      }),
      { numRuns: 3000 },
    );
  });
});
