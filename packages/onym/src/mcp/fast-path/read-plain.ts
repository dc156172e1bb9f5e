// The usual messages, recognised by how they are written: calls and results as most programs and the SDKs write them. Only
// what is passed on is parsed, and that it is one value proves that nothing else stands beside it. That costs half of parsing
// everything and then looking for that value in the text.

import { isJsonObject, type JsonObject } from "../json.js";
import type { Message, RequestId } from "../message.js";
import { parseJson } from "../parse-json.js";

/** Text in quotes that means what it shows: no escapes. */
const LETTERS = "[ !#-[\\]-\\uffff]*";
const ID = `(0|-?[1-9]\\d{0,14}|"${LETTERS}")`;
/** What is taken for `_meta` here is parsed as well, and found wanting where it ends elsewhere. */
const META_FIRST = '(?:"_meta":(\\{[^]*?\\}),)?';
const BEFORE = `(?:"result":|"method":"tools/call","params":\\{${META_FIRST}"name":"(${LETTERS})","arguments":)`;
const META_LAST = ',"_meta":';

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
export function readPlain(source: string | Buffer): Message | undefined {
  if (source.length > MOST_LETTERS) return undefined;
  const text = source.toString();
  const first = HEAD_FIRST.exec(text);
  if (first !== null) {
    const [head, id, meta, name] = first;
    return readBetween({ text, start: head.length, end: text.length - 1, meta, name }, id);
  }
  const last = HEAD_LAST.exec(text);
  if (last === null) return undefined;
  const from = Math.max(0, text.length - ENVELOPE_LENGTH);
  const end = from + text.slice(from).lastIndexOf(ENVELOPE);
  if (end < from) return undefined;
  ENVELOPE_ID.lastIndex = end + ENVELOPE.length;
  const [head, meta, name] = last;
  return readBetween({ text, start: head.length, end, meta, name }, ENVELOPE_ID.exec(text)?.[1]);
}

interface Inner {
  readonly text: string;
  /** Where the result begins, or the arguments. */
  readonly start: number;
  /** Just behind the result, or the params. */
  readonly end: number;
  /** Of a call that has it first. */
  readonly meta: string | undefined;
  /** Of a call. */
  readonly name: string | undefined;
}

function readBetween(inner: Inner, idText: string | undefined): Message | undefined {
  const { text, start, end, name } = inner;
  if (idText === undefined || !text.endsWith("}")) return undefined;
  const id: RequestId = idText.startsWith('"') ? idText.slice(1, -1) : Number(idText);
  if (name !== undefined) return readCall(inner, id, name);
  const result = readObject(text, start, end, 1);
  if (result === undefined) return undefined;
  return { kind: "response", message: { jsonrpc: "2.0", id, result: result.of, resultText: result.text } };
}

function readCall(
  { text, start, end, meta: first }: Inner,
  id: RequestId,
  name: string,
): Message | undefined {
  const stop = end - 1;
  if (text[stop] !== "}") return undefined;
  const lastAt = first === undefined ? text.lastIndexOf(META_LAST, stop) : -1;
  const isLast = lastAt >= start;
  const args = readObject(text, start, isLast ? lastAt : stop, 2);
  if (args === undefined) return undefined;
  let params: JsonObject = { name, arguments: args.of };
  if (first !== undefined || isLast) {
    const meta =
      first === undefined
        ? readObject(text, lastAt + META_LAST.length, stop, 2)
        : readObject(first, 0, first.length, 2);
    if (meta === undefined) return undefined;
    params = isLast
      ? { name, arguments: args.of, _meta: meta.of }
      : { _meta: meta.of, name, arguments: args.of };
  }
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
