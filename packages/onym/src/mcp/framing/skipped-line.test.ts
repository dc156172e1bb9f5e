import { describe, expect, it } from "vitest";
import { SkippedLine } from "./skipped-line.js";

function skip(...parts: readonly string[]): SkippedLine {
  const line = new SkippedLine();
  for (const part of parts) line.add(Buffer.from(part));
  return line;
}

const X = "x".repeat(2_000);
const content = `{"content":[{"type":"text","text":"${X}"}]}`;

describe("a line that is left out names the request that it answers", () => {
  it.each([
    ["first", `{"jsonrpc":"2.0","id":7,"result":${content}}`],
    ["first, of an error", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"${X}"}}`],
    ["first, with spaces", `{"jsonrpc": "2.0", "id": 7, "result": ${content}}`],
    ["last, with spaces", `{ "result": ${content}, "jsonrpc": "2.0", "id": 7 }`],
    ["last", `{"result":${content},"jsonrpc":"2.0","id":7}`],
    ["last, of an error", `{"error":{"code":1,"message":"${X}"},"jsonrpc":"2.0","id":7}`],
    ["last, before CR", `{"result":${content},"jsonrpc":"2.0","id":7}\r`],
  ])("%s, in as many parts as it comes", (_, text) => {
    expect(skip(text).answeredId).toBe(7);
    expect(skip(...text).answeredId).toBe(7);
    expect(skip(text.slice(0, 20), text.slice(20, -9), text.slice(-9))).toMatchObject({
      answeredId: 7,
      length: text.length,
    });
  });

  it.each([
    ["a request", `{"jsonrpc":"2.0","id":7,"method":"ping","params":${content}}`],
    ["a request as SDKs write it", `{"method":"ping","params":${content},"jsonrpc":"2.0","id":7}`],
    ["an id that is text", `{"jsonrpc":"2.0","id":"7","result":${content}}`],
    ["an id of more digits", `{"jsonrpc":"2.0","id":7777777777777777,"result":${content}}`],
    ["no envelope", X],
    ["an envelope within the result", `{"result":{"a":"${X}","jsonrpc":"2.0","id":7}}`],
    ["an envelope behind garbage", `${X}{"result":{},"jsonrpc":"2.0","id":7}`],
    ["an envelope behind garbage, first", `${X}{"jsonrpc":"2.0","id":7,"result":{}}`],
    ["an envelope in a text", `{"result":{"a":"${X},\\"jsonrpc\\":\\"2.0\\",\\"id\\":7}"}}`],
  ])("but not with %s", (_, text) => {
    expect(skip(text).answeredId).toBeUndefined();
    expect(skip(...text).answeredId).toBeUndefined();
  });
});
