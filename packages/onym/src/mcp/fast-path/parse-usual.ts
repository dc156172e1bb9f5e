// Parses calls and results in the forms that clients and SDKs write: the envelope first or last, no spaces, no escapes in the name.
// Only what is forwarded is parsed, the arguments or the result. If that text is one JSON object, then nothing else can stand beside
// it, so it is also the text to forward. The plain way parses the whole message and searches it for that member afterwards: a call
// over stdio takes 12 % more CPU time so (2026-11-18, both builds in turns). The plain way is the oracle of the tests.

import { type ForwardedText, isJsonObject, type JsonObject, parseJson } from "../json.js";
import type { ParsedMessage } from "./parse-large.js";

const ENVELOPE_FIRST = /^\{"jsonrpc":"2\.0","id":(0|-?[1-9]\d{0,14}|"[ !#-[\]-\uffff]*"),/;
const ENVELOPE_LAST = /,"jsonrpc":"2\.0","id":(0|-?[1-9]\d{0,14}|"[ !#-[\]-\uffff]{0,60}")\}$/;
/** Longer envelopes at the end are parsed the plain way. */
const MAX_LAST_ENVELOPE = 100;

const RESULT = '"result":';
const CALL = '"method":"tools/call","params":{';
const META_FIRST = '"_meta":';
const AFTER_META = ',"name":"';
const NAME = /"name":"([ !#-[\]-\uffff]*)","arguments":/y;
const META_LAST = ',"_meta":';

/**
 * What `parseMessage` returns for this text; `undefined` if the text is written in any other way, or is no message.
 * @example
 * parseUsual('{"jsonrpc":"2.0","id":1,"result":{}}')?.ok; // true
 * parseUsual('{ "jsonrpc": "2.0", "id": 1, "result": {} }'); // undefined
 */
export function parseUsual(text: string): ParsedMessage | undefined {
  const first = ENVELOPE_FIRST.exec(text);
  if (first !== null) {
    if (!text.endsWith("}")) return undefined;
    return parseMembers({ text, start: first[0].length, end: text.length - 1 }, first[1]);
  }
  const tailAt = Math.max(0, text.length - MAX_LAST_ENVELOPE);
  const last = text.startsWith("{") ? ENVELOPE_LAST.exec(text.slice(tailAt)) : null;
  return last === null ? undefined : parseMembers({ text, start: 1, end: tailAt + last.index }, last[1]);
}

/** A part of a text, without copying it. */
interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The members beside the envelope. */
function parseMembers({ text, start, end }: Part, idText = ""): ParsedMessage | undefined {
  const id = idText.startsWith('"') ? idText.slice(1, -1) : Number(idText);
  if (text.startsWith(RESULT, start)) {
    const result = parseObject({ text, start: start + RESULT.length, end }, 1);
    if (result === undefined) return undefined;
    return { ok: true, value: { jsonrpc: "2.0", id, result: result.value }, text: result };
  }
  if (!text.startsWith(CALL, start) || text[end - 1] !== "}") return undefined;
  return parseCall({ text, start: start + CALL.length, end: end - 1 }, id);
}

/** A call with these params: name and arguments, and `_meta` before or after them. */
function parseCall({ text, start, end }: Part, id: string | number): ParsedMessage | undefined {
  const isMetaFirst = text.startsWith(META_FIRST, start);
  const nameAt = isMetaFirst ? text.indexOf(AFTER_META, start) + 1 : start;
  NAME.lastIndex = nameAt;
  const named = NAME.exec(text);
  if (named === null) return undefined;
  const [before, name] = named;
  const argumentsAt = nameAt + before.length;
  const metaAt = isMetaFirst ? -1 : text.lastIndexOf(META_LAST, end);
  const isMetaLast = metaAt >= argumentsAt;
  const args = parseObject({ text, start: argumentsAt, end: isMetaLast ? metaAt : end }, 2);
  if (args === undefined) return undefined;
  const call = (params: JsonObject): ParsedMessage => ({
    ok: true,
    value: { jsonrpc: "2.0", id, method: "tools/call", params },
    text: args,
  });
  if (!isMetaFirst && !isMetaLast) return call({ name, arguments: args.value });
  const meta = isMetaFirst
    ? parseObject({ text, start: start + META_FIRST.length, end: nameAt - 1 }, 2)
    : parseObject({ text, start: metaAt + META_LAST.length, end }, 2);
  if (meta === undefined) return undefined;
  return isMetaFirst
    ? call({ _meta: meta.value, name, arguments: args.value })
    : call({ name, arguments: args.value, _meta: meta.value });
}

/** One object and nothing else. Text with line ends is left to the plain way, which serializes it again. */
function parseObject({ text, start, end }: Part, outer: number): ForwardedText | undefined {
  if (text[start] !== "{" || text[end - 1] !== "}") return undefined;
  const forwarded = text.slice(start, end);
  if (forwarded.includes("\n") || forwarded.includes("\r")) return undefined;
  const parsed = parseJson(forwarded, outer);
  return parsed.ok && isJsonObject(parsed.value) ? { value: parsed.value, forwarded } : undefined;
}
