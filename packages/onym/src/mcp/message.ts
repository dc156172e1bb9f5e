// JSON-RPC 2.0 messages as MCP uses them: text → JSON → request, notification or response.

import { memberText } from "./fast-path/member-text.js";
import { type Member, type Members, scanMembers } from "./fast-path/scan-members.js";
import { endOfString, skipSpace } from "./fast-path/scan-scalars.js";
import { createUnreadObject, lettersOf, type UnreadSource } from "./fast-path/unread-object.js";
import { isJsonObject, type JsonObject, MAX_DEPTH, type ParsedJson, parseJson, TOO_DEEP } from "./json.js";
import { CODES } from "./protocol.js";

export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
  /** The raw JSON of a call's arguments. Never from the wire: `readMessage` sets it. */
  readonly argumentsText?: ValueText | undefined;
}

/** A value and the one line of JSON it was parsed from. Valid only for this value. */
export interface ValueText {
  readonly of: unknown;
  /** Bytes if it arrived as bytes. */
  readonly text: string | Buffer;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcResponse {
  readonly jsonrpc: "2.0";
  /** `null` if the request could not be read. */
  readonly id: RequestId | null;
  readonly result?: JsonObject;
  /** The raw result in one line. Never from the wire: `readMessage` sets it. */
  readonly resultText?: string | Buffer | undefined;
  readonly error?: RpcError;
}

export type Message =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | { readonly kind: "response"; readonly message: RpcResponse };

export type ReadMessage =
  | Message
  | { readonly kind: "invalid"; readonly reason: string; readonly id: RequestId | null };

/**
 * Classifies parsed JSON. Checks only the envelope; params and results pass unchanged. With the source text,
 * or if they are still unparsed, arguments and results can be forwarded byte for byte.
 * @example
 * readMessage({ jsonrpc: "2.0", id: 1, method: "ping" }).kind; // "request"
 */
export function readMessage(value: unknown, text?: string): ReadMessage {
  if (!isJsonObject(value)) return invalid("a message is a JSON object", null);
  const { jsonrpc, id, method, params } = value;
  const named = isRequestId(id) ? id : null;
  if (jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"', named);
  if (typeof method === "string") {
    if (params !== undefined && !isJsonObject(params)) return invalid('"params" must be an object', named);
    if (!Object.hasOwn(value, "id"))
      return { kind: "notification", message: value as unknown as RpcNotification };
    if (!isRequestId(id)) return invalid('"id" must be a string or a whole number', null);
    if (params === undefined) return { kind: "request", message: { jsonrpc, id, method } };
    const argumentsText = method === "tools/call" ? argumentsTextOf(params, text) : undefined;
    return { kind: "request", message: { jsonrpc, id, method, params, argumentsText } };
  }
  const { result, error } = value;
  const hasResult = isJsonObject(result);
  const hasError = isRpcError(error);
  if (hasResult === hasError) return invalid("neither a request nor a response", named);
  if (!isRequestId(id) && id !== null && !(hasError && id === undefined))
    return invalid('"id" must be a string or a whole number', null);
  if (!hasResult) return { kind: "response", message: { jsonrpc, id: id ?? null, error: error as RpcError } };
  const resultText = text === undefined ? lettersOf(result) : oneLine(text, RESULT);
  return { kind: "response", message: { jsonrpc, id: id ?? null, result, resultText } };
}

const RESULT = ["result"];
const ARGUMENTS = ["params", "arguments"];

function argumentsTextOf(params: JsonObject, text: string | undefined): ValueText | undefined {
  const { arguments: args } = params;
  if (args === undefined) return undefined;
  const own = text === undefined ? lettersOf(args) : oneLine(text, ARGUMENTS);
  return own === undefined ? undefined : { of: args, text: own };
}

/** Some transports frame messages as lines or events, so text with line ends is serialized again. */
function oneLine(text: string, path: readonly string[]): string | undefined {
  const own = memberText(text, path);
  return own === undefined || own.includes("\n") || own.includes("\r") ? undefined : own;
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

function isRpcError(value: unknown): value is RpcError {
  return isJsonObject(value) && typeof value["code"] === "number" && typeof value["message"] === "string";
}

function invalid(reason: string, id: RequestId | null): ReadMessage {
  return { kind: "invalid", reason, id };
}

// Parses a message. In a large one, parts that are only forwarded stay unparsed: the arguments of a call, and
// results.

/**
 * `text`: the source, if all of it was parsed. `isRefused`: not parsed, because it contains too many values.
 */
export type ParsedMessage = ParsedJson & { readonly text?: string; readonly isRefused?: true };

/** From this size on, scanning for positions is cheaper than parsing values. */
const LARGE = 8192;

/**
 * Maximum parsed values per message: 20,000 take up to 50 ms, the millions that fit into one 2 s (SAFE-4).
 * Unparsed parts do not count.
 */
export const MAX_VALUES = 20_000;

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const OPEN_OBJECT = 123;
const SPACE = 32;
const LINE_ENDS = [10, 13];

/**
 * Parses a message, and never throws. Bytes that are not UTF-8 are shown as U+FFFD.
 * @example
 * parseMessage('{"jsonrpc":"2.0","method":"ping"}'); // { ok: true, value: { … }, text: … }
 */
export function parseMessage(source: string | Buffer): ParsedMessage {
  if (source.length >= LARGE) {
    const bytes = typeof source === "string" ? Buffer.from(source) : source;
    const members = scanMembers(bytes, INSIDE);
    const parsed = members === undefined ? undefined : parseMembers(bytes, members);
    if (parsed !== undefined) return parsed;
    const values = countValues(bytes, { start: 0, end: bytes.length });
    if (values > MAX_VALUES) return values === Infinity ? TOO_DEEP : TOO_MANY_VALUES;
  }
  const text = source.toString();
  const parsed = parseJson(text);
  return parsed.ok ? { ok: true, value: parsed.value, text } : parsed;
}

/**
 * The same for a message of a server. A response whose result is nested too deeply is still a response: its
 * result stays unparsed, and `unreadSourceOf` marks it as deep. A list loses only the entries that are nested
 * too deeply.
 */
export function parseServerMessage(source: string | Buffer): ParsedMessage {
  const parsed = parseMessage(source);
  return parsed.ok || !parsed.isDeep ? parsed : (parseDeepResponse(source) ?? parsed);
}

/** Ids of Onym's requests are short numbers. */
const MAX_ID_BYTES = 100;

function parseDeepResponse(source: string | Buffer): ParsedMessage | undefined {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  const members = scanMembers(bytes, INSIDE, "any");
  const textOf = (key: string): string => {
    const { start, end } = members?.get(key) ?? { start: 0, end: 0 };
    return bytes.toString("utf8", start, Math.min(end, start + MAX_ID_BYTES));
  };
  const id = parseJson(textOf("id"));
  if (members === undefined || textOf("jsonrpc") !== '"2.0"' || !id.ok) return undefined;
  const envelope = { jsonrpc: "2.0", id: id.value };
  const result = members.get("result");
  if (members.has("error") && result === undefined)
    return { ok: true, value: { ...envelope, error: { code: CODES.internal, message: TOO_DEEP.reason } } };
  if (members.has("error") || result?.members === undefined) return undefined;
  return {
    ok: true,
    value: { ...envelope, result: createUnreadObject({ bytes, ...result, isDeep: true }) },
  };
}

const TOO_MANY_VALUES: ParsedMessage = {
  ok: false,
  isRefused: true,
  reason: `a message holds at most ${MAX_VALUES} values beside the arguments of a call`,
};

/** A message whose arguments or result stay unparsed. */
function parseMembers(bytes: Buffer, members: Members): ParsedMessage {
  let values = 0;
  const read = (member: Member): unknown => {
    values += countValues(bytes, member);
    return values > MAX_VALUES ? undefined : JSON.parse(bytes.toString("utf8", member.start, member.end));
  };
  const leave = (member: Member): unknown => {
    if (bytes[member.start] !== OPEN_OBJECT) return read(member);
    if (isOneLine(bytes, member)) return createUnreadObject({ bytes, ...member });
    return countValues(bytes, member) > MAX_VALUES
      ? createUnreadObject(inOneLine(bytes, member))
      : read(member);
  };
  const readParams = (params: Members): JsonObject =>
    mapMembers(params, (key, member) => (key === "arguments" ? leave(member) : read(member)));
  const value = mapMembers(members, (key, member) => {
    if (key === "result") return leave(member);
    return key === "params" && member.members !== undefined ? readParams(member.members) : read(member);
  });
  return values > MAX_VALUES ? TOO_MANY_VALUES : { ok: true, value };
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;

/**
 * The number of values in a JSON text, up to one more than the limit; in invalid JSON, those before the
 * error. Infinity if it is nested too deeply.
 */
function countValues(bytes: Buffer, { start, end }: Pick<Member, "start" | "end">): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let values = 1;
  let level = 0;
  for (let at = start; at < end && values <= MAX_VALUES; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, view, at);
      if (at < 0) break;
      continue;
    }
    at += 1;
    if (byte === COMMA) values += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) level -= 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      level += 1;
      if (level > MAX_DEPTH) return Infinity;
      const first = bytes[skipSpace(bytes, at)];
      if (first !== CLOSE_OBJECT && first !== CLOSE_LIST) values += 1;
    }
  }
  return values;
}

/** Some transports frame messages as lines or events, so text with line ends is serialized again. */
function isOneLine(bytes: Buffer, { start, end }: Member): boolean {
  return LINE_ENDS.every((byte) => {
    const at = bytes.indexOf(byte, start);
    return at === -1 || at >= end;
  });
}

/**
 * JSON strings contain no line ends: they all stand between values, so replacing them keeps every position.
 */
function inOneLine(bytes: Buffer, member: Member): UnreadSource {
  const line = Buffer.from(bytes);
  for (const byte of LINE_ENDS)
    for (let at = line.indexOf(byte); at !== -1; at = line.indexOf(byte, at + 1)) line[at] = SPACE;
  return { bytes: line, ...member };
}

function mapMembers(members: Members, read: (key: string, member: Member) => unknown): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, read(key, member)]));
}
