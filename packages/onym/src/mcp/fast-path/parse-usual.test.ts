import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, parseJson } from "../json.js";
import { type ReadMessage, readMessage } from "../message.js";
import { parseUsual } from "./parse-usual.js";

/** The oracle: parses everything, then looks for the member to forward. */
function readPlainly(text: string): ReadMessage | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? readMessage(parsed.value, text) : undefined;
}

function readUsual(text: string): ReadMessage | undefined {
  const parsed = parseUsual(text);
  return parsed?.ok ? readMessage(parsed.value, parsed.text) : undefined;
}

const text = (...members: readonly string[]): string => `{${members.join(",")}}`;
const RPC = '"jsonrpc":"2.0"';
const CALL = '"method":"tools/call"';

describe("a message in a usual form", () => {
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
  ])("is read as the plain way reads it, byte for byte: %s (GW-5)", (_, written) => {
    expect(readUsual(written)).toEqual(readPlainly(written));
    expect(readUsual(written)).toBeDefined();
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
    ["arguments that are no object", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments":[]}')],
    ["a result that is no object", text(RPC, '"id":1', '"result":null')],
    ["an error", text(RPC, '"id":1', '"error":{"code":1,"message":"no"}')],
    ["another method", text(RPC, '"id":1', '"method":"ping"')],
    ["space around its arguments", text(RPC, '"id":1', CALL, '"params":{"name":"a","arguments": {} }')],
    ["space around its result", text(RPC, '"id":1', '"result":{} ')],
    ["line ends", text(RPC, '"id":1', '"result":{\r}')],
    ["something behind", `${text(RPC, '"id":1', '"result":{}')}}`],
    ["its end missing", '{"jsonrpc":"2.0","id":1,"result":{}'],
    ["the end of its params missing", `{${RPC},"id":1,${CALL},"params":{"name":"a","arguments":{}}`],
    ["too many ends", `{${RPC},"id":1,${CALL},"params":{"name":"a","arguments":{}}}}`],
    ["no text", ""],
    ["too many levels", text(RPC, '"id":1', `"result":{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`)],
  ])("is left to the plain way with %s", (_, written) => {
    expect(readUsual(written)).toBeUndefined();
  });

  it.each([4, 3, 2, 1, 0].map((less) => MAX_DEPTH - less))(
    "may nest %i levels as any other may",
    (levels) => {
      const nested = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
      for (const written of [
        text(RPC, '"id":1', `"result":${nested}`),
        text(RPC, '"id":1', CALL, `"params":{"name":"a","arguments":${nested}}`),
      ])
        expect(readUsual(written)?.kind).toBe(readPlainly(written)?.kind);
    },
  );

  it("means what the plain way reads, whatever it contains", () => {
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
          const read = readUsual(written);
          if (read !== undefined) expect(read).toEqual(readPlainly(written));
        }
      }),
      { numRuns: 3000 },
    );
  });
});
