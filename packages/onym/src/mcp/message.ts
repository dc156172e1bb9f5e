// JSON-RPC 2.0 messages as MCP uses them: text → JSON → request, notification or response; and replies → text. Also the envelope
// that modern requests have.

import {
  LARGE,
  OF_CLIENT,
  OF_SERVER,
  type ParsedMessage,
  parseDeepResponse,
  parseLargeSteps,
  parseRefusedResponse,
} from "./fast-path/parse-large.js";
import { parseUsual } from "./fast-path/parse-usual.js";
import { runAtOnce, type Steps } from "./fast-path/scan.js";
import { changeMembers, type UnreadSource, unreadBytesOf } from "./fast-path/unread-object.js";
import {
  hasMoreMembers,
  isJsonObject,
  isLongerJson,
  type JsonObject,
  type MessageText,
  memberText,
  ownValue,
  parseJson,
} from "./json.js";
import { METHODS } from "./methods.js";
import { CODES, isLogLevel, META, MODERN_REVISION } from "./protocol.js";

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
export function readMessage(value: unknown, text?: MessageText): ReadMessage {
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
    const argumentsText = METHODS.get(method)?.runsTool === true ? argumentsTextOf(params, text) : undefined;
    return { kind: "request", message: { jsonrpc, id, method, params, argumentsText } };
  }
  const { result, error } = value;
  const hasResult = isJsonObject(result);
  const hasError = isRpcError(error);
  if (hasResult === hasError) return invalid("neither a request nor a response", named);
  if (!isRequestId(id) && id !== null && !(hasError && id === undefined))
    return invalid('"id" must be a string or a whole number', null);
  if (!hasResult) return { kind: "response", message: { jsonrpc, id: id ?? null, error: error as RpcError } };
  const resultText = text === undefined ? unreadBytesOf(result) : oneLine(text, RESULT);
  return { kind: "response", message: { jsonrpc, id: id ?? null, result, resultText } };
}

/** Characters of the id of a request: it is kept until the answer (SAFE-5). */
export const MAX_ID_LENGTH = 1_024;

/** The same for a message of a client: a request with a longer id is invalid. */
export function readClientMessage(value: unknown, text?: MessageText): ReadMessage {
  const read = readMessage(value, text);
  if (read.kind !== "request" || !isLongId(read.message.id)) return read;
  return invalid(LONG_ID, read.message.id);
}

export const LONG_ID = `"id" has more than ${MAX_ID_LENGTH.toLocaleString("en")} characters`;

/** A number is short. */
export function isLongId(id: RequestId): boolean {
  return typeof id === "string" && id.length > MAX_ID_LENGTH;
}

const RESULT = ["result"];
const ARGUMENTS = ["params", "arguments"];

function argumentsTextOf(params: JsonObject, text: MessageText | undefined): ValueText | undefined {
  const { arguments: args } = params;
  if (args === undefined) return undefined;
  const own = text === undefined ? unreadBytesOf(args) : oneLine(text, ARGUMENTS);
  return own === undefined ? undefined : { of: args, text: own };
}

/** Some transports frame messages as lines or events, so text with line ends is serialized again. */
function oneLine(text: MessageText, path: readonly string[]): string | undefined {
  if (typeof text !== "string") return text.forwarded;
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

/**
 * Parses a message of a client, and never throws. Bytes that are not UTF-8 are shown as U+FFFD.
 * @example
 * parseMessage('{"jsonrpc":"2.0","method":"ping"}'); // { ok: true, value: { … }, text: … }
 */
export function parseMessage(source: string | Buffer): ParsedMessage {
  if (source.length >= LARGE) return runAtOnce(parseMessageSteps(ownBytes(source)));
  return parseSmall(source.toString());
}

/** The same in steps, for a large message as bytes that are nobody else's. */
export function* parseMessageSteps(bytes: Buffer, reading = OF_CLIENT): Steps<ParsedMessage> {
  return (yield* parseLargeSteps(bytes, reading)) ?? parsePlain(bytes.toString());
}

function parseSmall(text: string): ParsedMessage {
  return parseUsual(text) ?? parsePlain(text);
}

function parsePlain(text: string): ParsedMessage {
  const parsed = parseJson(text);
  return parsed.ok ? { ok: true, value: parsed.value, text } : parsed;
}

function ownBytes(source: string | Buffer): Buffer {
  return typeof source === "string" ? Buffer.from(source) : source;
}

/**
 * The same for a message of a server. A response whose result is nested too deeply is still a response: its
 * result stays unparsed, and `unreadSourceOf` marks it as deep. A list loses only the entries that are nested
 * too deeply. A response with too many values is an error: its request must not wait for ever.
 */
export function parseServerMessage(source: string | Buffer): ParsedMessage {
  if (source.length >= LARGE) return runAtOnce(parseServerMessageSteps(ownBytes(source)));
  if (!mayBeMessage(source)) return NO_MESSAGE;
  const parsed = parseSmall(source.toString());
  return parsed.ok || !parsed.isDeep ? parsed : runAtOnce(parseOtherResponse(ownBytes(source), parsed));
}

/** The same in steps, for a large message as bytes that are nobody else's. */
export function* parseServerMessageSteps(bytes: Buffer): Steps<ParsedMessage> {
  if (!mayBeMessage(bytes)) return NO_MESSAGE;
  const parsed = yield* parseMessageSteps(bytes, OF_SERVER);
  return parsed.ok ? parsed : yield* parseOtherResponse(bytes, parsed);
}

/** A message that was not parsed, if it is a response nevertheless. */
function* parseOtherResponse(
  bytes: Buffer,
  parsed: ParsedMessage & { readonly ok: false },
): Steps<ParsedMessage> {
  if (!parsed.isDeep && !parsed.isRefused) return parsed;
  const deep = parsed.isDeep ? yield* parseDeepResponse(bytes) : undefined;
  return deep ?? parseRefusedResponse(bytes, parsed.reason) ?? parsed;
}

/** White space that a message of a server may begin with. */
const MAX_LEADING_SPACE = 1_024;
const NO_MESSAGE: ParsedMessage = { ok: false, reason: "neither an object nor a list" };

/** An object or a list of them, after little white space: anything else is not parsed, as each failure creates an error. */
function mayBeMessage(source: string | Buffer): boolean {
  const first = source[0];
  if (first === "{" || first === 0x7b) return true;
  const start =
    typeof source === "string"
      ? source.slice(0, MAX_LEADING_SPACE + 1)
      : source.toString("latin1", 0, MAX_LEADING_SPACE + 1);
  return /^\s*[{[]/.test(start);
}

// The outcome of a request as a value: a result or an error. Nothing is thrown.

export type Reply =
  /** `text`: the raw result, in one line of JSON; absent if it was created or changed here. */
  | { readonly kind: "result"; readonly result: JsonObject; readonly text?: string | Buffer | undefined }
  /** The result as prebuilt JSON text. */
  | { readonly kind: "json"; readonly json: string }
  /** The same as bytes, in chunks split between characters: for large results that are sent repeatedly. */
  | { readonly kind: "bytes"; readonly pieces: readonly Buffer[] }
  | {
      readonly kind: "error";
      readonly error: RpcError;
      /** Why the server gave no proper reply; absent if this is its own reply. Not forwarded. */
      readonly trouble?: Trouble | undefined;
      /**
       * The result that became this error because it is nested too deeply; parts of it may be read. Not
       * forwarded.
       */
      readonly deepResult?: UnreadSource | undefined;
    };

/** What a request without a proper reply says about its server's health. */
export type Trouble =
  /** `what` completes "its last request came to": `HTTP 500`. */
  | { readonly kind: "failed"; readonly what: string; readonly retryAfterMs?: number | undefined }
  /** Nothing: it was refused here, or abandoned by its caller. */
  | { readonly kind: "unknown" };

export function resultReply(result: JsonObject): Reply {
  return { kind: "result", result };
}

/** The result of a server with other members; the rest of it stays as it is, and as its bytes. */
export function changedReply(result: JsonObject, changes: JsonObject): Reply {
  const { object, text } = changeMembers(result, changes);
  return { kind: "result", result: object, text };
}

export function errorReply(code: number, message: string, data?: unknown): Reply {
  return { kind: "error", error: data === undefined ? { code, message } : { code, message, data } };
}

export function withTrouble(reply: Reply, trouble: Trouble): Reply {
  return reply.kind === "error" ? { ...reply, trouble } : reply;
}

/** The response as one line of JSON. */
export function formatReply(id: RequestId | null, reply: Reply): string {
  const start = `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},`;
  return reply.kind === "error"
    ? `${start}"error":${JSON.stringify(reply.error)}}`
    : `${start}"result":${formatResult(reply)}}`;
}

/** The result as one line of JSON. */
export function formatResult(reply: Exclude<Reply, { readonly kind: "error" }>): string {
  switch (reply.kind) {
    case "json":
      return reply.json;
    case "bytes":
      return reply.pieces.join("");
    case "result":
      return reply.text?.toString() ?? JSON.stringify(reply.result);
  }
}

// The envelope of a modern request in `params._meta`: what it says, and what is wrong with it (GW-1).

/** Revisions are dates, and compare as text. */
export function isModernRevision(revision: string): boolean {
  return revision >= MODERN_REVISION;
}

interface EnvelopeProblem {
  readonly key: string;
  readonly problem: string;
}

const SUPPORTED_MODERN: readonly string[] = [MODERN_REVISION];

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.["_meta"];
  return isJsonObject(meta) ? meta : undefined;
}

const MAX_PARAMS_MEMBERS = 256;
const MAX_META_MEMBERS = 256;
/** What a client says of itself may take half of it. */
const MAX_META_LENGTH = 128 * 1_024;

/** `undefined` for params that are not too large to be copied and forwarded at once; arguments have limits of their own. */
export function refuseLargeParams(params: JsonObject | undefined): Reply | undefined {
  if (params === undefined) return undefined;
  if (hasMoreMembers(params, MAX_PARAMS_MEMBERS))
    return tooLarge('"params" has', "members", { limit: "params members", max: MAX_PARAMS_MEMBERS });
  const { _meta: meta } = params;
  if (isJsonObject(meta) && hasMoreMembers(meta, MAX_META_MEMBERS))
    return tooLarge('"_meta" has', "members", { limit: "_meta members", max: MAX_META_MEMBERS });
  return meta !== undefined && isLongerJson(meta, MAX_META_LENGTH)
    ? tooLarge('The JSON of "_meta" has', "characters", { limit: "_meta characters", max: MAX_META_LENGTH })
    : undefined;
}

function tooLarge(what: string, unit: string, data: { readonly limit: string; readonly max: number }): Reply {
  const message = `Invalid params: ${what} more than ${data.max.toLocaleString("en")} ${unit}. Send less of it.`;
  return errorReply(CODES.invalidParams, message, data);
}

/** A request is modern if and only if its envelope names a revision. */
export function isEnveloped(params: JsonObject | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, META.protocolVersion);
}

export function revisionOf(params: JsonObject | undefined): string | undefined {
  const meta = metaOf(params);
  const revision = meta === undefined ? undefined : ownValue(meta, META.protocolVersion);
  return typeof revision === "string" ? revision : undefined;
}

/** The problems of an envelope, missing members first. */
export function checkEnvelope(meta: JsonObject): readonly EnvelopeProblem[] {
  const problems: EnvelopeProblem[] = [];
  for (const key of [META.protocolVersion, META.clientCapabilities]) {
    if (!Object.hasOwn(meta, key)) problems.push({ key, problem: "missing" });
  }
  const expect = (key: string, wanted: string, fits: (value: unknown) => boolean) => {
    const value = ownValue(meta, key);
    if (value !== undefined && !fits(value)) problems.push({ key, problem: `must be ${wanted}` });
  };
  expect(META.protocolVersion, "a string", (value) => typeof value === "string");
  expect(META.clientCapabilities, "an object", isJsonObject);
  expect(META.clientInfo, "an object with name and version", isImplementation);
  expect(META.logLevel, "a log level", isLogLevel);
  return problems;
}

/** A complete envelope of a modern revision: it makes even `initialize` a modern request. */
export function isModernRequest(params: JsonObject | undefined): boolean {
  const revision = revisionOf(params);
  if (revision === undefined || !isModernRevision(revision)) return false;
  const meta = metaOf(params);
  return meta !== undefined && checkEnvelope(meta).length === 0;
}

export function explainEnvelope(problem: EnvelopeProblem): Reply {
  const message = `Invalid _meta envelope for protocol revision ${MODERN_REVISION}: ${problem.key}: ${problem.problem}`;
  return errorReply(CODES.invalidParams, message, { envelope: problem });
}

/** `undefined` for a revision that is supported. */
export function refuseRevision(revision: string | undefined): Reply | undefined {
  return revision !== undefined && SUPPORTED_MODERN.includes(revision)
    ? undefined
    : unsupportedRevision(revision);
}

export function unsupportedRevision(requested: string | undefined): Reply {
  return errorReply(CODES.unsupportedRevision, "Unsupported protocol version", {
    supported: SUPPORTED_MODERN,
    requested: requested ?? "unknown",
  });
}

function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}
