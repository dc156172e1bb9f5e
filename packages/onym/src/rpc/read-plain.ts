// The usual messages, recognised by how they are written: calls and results as most programs and the SDKs write them. Only
// what is passed on is parsed, and that it is one value proves that nothing else stands beside it. That costs half of parsing
// everything and then looking for that value in the text.

import { isJsonObject, type JsonObject } from "./json.js";
import type { Message, RequestId } from "./message.js";
import { parseJson } from "./parse-json.js";

/** Text in quotes that means what it shows: no escapes. */
const LETTERS = "[ !#-[\\]-\\uffff]*";
const ID = `(0|-?[1-9]\\d{0,14}|"${LETTERS}")`;
const BEFORE = `(?:"result":|"method":"tools/call","params":\\{"name":"(${LETTERS})","arguments":)`;
const META = ',"_meta":';

/** With the envelope first. */
const HEAD_FIRST = new RegExp(`^\\{"jsonrpc":"2\\.0","id":${ID},${BEFORE}`);
/** With the envelope last: it is looked for from the end, and not found where the id is long. */
const HEAD_LAST = new RegExp(`^\\{${BEFORE}`);
const ENVELOPE = ',"jsonrpc":"2.0","id":';
const ENVELOPE_LENGTH = 100;
const ENVELOPE_ID = new RegExp(`${ID}\\}$`, "y");

/** Larger messages are worth another way of reading. */
const MOST_LETTERS = 8192;

/**
 * What `readMessage` would make of it; `undefined` for what is written in any other way, right or wrong.
 *
 * @example
 * readPlain('{"jsonrpc":"2.0","id":1,"result":{}}')?.kind; // "response"
 * readPlain('{ "jsonrpc": "2.0", "id": 1, "result": {} }'); // undefined
 */
export function readPlain(text: string): Message | undefined {
  if (text.length > MOST_LETTERS) return undefined;
  const first = HEAD_FIRST.exec(text);
  if (first !== null) return readBetween(text, first[0].length, text.length - 1, first[1], first[2]);
  const last = HEAD_LAST.exec(text);
  if (last === null) return undefined;
  const from = Math.max(0, text.length - ENVELOPE_LENGTH);
  const end = from + text.slice(from).lastIndexOf(ENVELOPE);
  if (end < from) return undefined;
  ENVELOPE_ID.lastIndex = end + ENVELOPE.length;
  return readBetween(text, last[0].length, end, ENVELOPE_ID.exec(text)?.[1], last[1]);
}

/** `end`: just behind the result, or the params. */
function readBetween(
  text: string,
  start: number,
  end: number,
  idText: string | undefined,
  name: string | undefined,
): Message | undefined {
  if (idText === undefined || !text.endsWith("}")) return undefined;
  const id: RequestId = idText.startsWith('"') ? idText.slice(1, -1) : Number(idText);
  if (name !== undefined) return readCall(text, start, end - 1, id, name);
  const result = readObject(text, start, end, 1);
  if (result === undefined) return undefined;
  return { kind: "response", message: { jsonrpc: "2.0", id, result: result.of, resultText: result.text } };
}

function readCall(
  text: string,
  start: number,
  end: number,
  id: RequestId,
  name: string,
): Message | undefined {
  if (text[end] !== "}") return undefined;
  const metaAt = text.lastIndexOf(META, end);
  const meta = metaAt < start ? undefined : readObject(text, metaAt + META.length, end, 2);
  if (metaAt >= start && meta === undefined) return undefined;
  const args = readObject(text, start, meta === undefined ? end : metaAt, 2);
  if (args === undefined) return undefined;
  const params =
    meta === undefined ? { name, arguments: args.of } : { name, arguments: args.of, _meta: meta.of };
  return {
    kind: "request",
    message: { jsonrpc: "2.0", id, method: "tools/call", params, argumentsText: args },
  };
}

/** Messages are lines and events in places, so that what has line ends in it is not for here. */
function readObject(
  text: string,
  start: number,
  end: number,
  outer: number,
): { readonly of: JsonObject; readonly text: string } | undefined {
  // Its own letters, and no white space around them.
  if (text[start] !== "{" || text[end - 1] !== "}") return undefined;
  const own = text.slice(start, end);
  if (own.includes("\n") || own.includes("\r")) return undefined;
  const parsed = parseJson(own, outer);
  return parsed.ok && isJsonObject(parsed.value) ? { of: parsed.value, text: own } : undefined;
}
