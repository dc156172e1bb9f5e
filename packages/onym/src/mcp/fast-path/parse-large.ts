// Parses a large message. Parts that are only forwarded stay unparsed: the arguments of a call, and results. Accepts what
// JSON.parse accepts, which is its oracle in the tests, and has the same value.

import { type JsonObject, type MessageText, type ParsedJson, parseJson, TOO_DEEP } from "../json.js";
import { CODES } from "../protocol.js";
import { MAX_SCANNED, type Member, type Members, Scan, type ScanFailure, type Steps } from "./scan.js";
import { scanFirstMembers, scanMembersSteps } from "./scan-members.js";
import { createUnreadObject, unreadSourceOf } from "./unread-object.js";

/** `text` is absent if parts stay unparsed. `isRefused`: not parsed, because it contains too many values. */
export type ParsedMessage = ParsedJson & { readonly text?: MessageText; readonly isRefused?: true };

/** From this size on, scanning for positions is cheaper than parsing values. */
export const LARGE = 8192;

/** From this size on, messages are parsed in slices: to parse less takes a few milliseconds, whatever it is (SAFE-4). */
export const SLICED_BYTES = 262_144;

/**
 * Maximum parsed values per message: 20,000 take up to 50 ms, the millions that fit into one 2 s (SAFE-4).
 * Unparsed parts do not count.
 */
export const MAX_VALUES = 20_000;

/**
 * The same for a message of a client: calls hold everything in their arguments, and a client sends hundreds of messages at once.
 * 5,000 take up to 5 ms.
 */
export const MAX_CLIENT_VALUES = 5_000;

/** Maximum parsed bytes per message: of plain text, so many take 20 ms to parse and to serialize again (SAFE-4). */
export const MAX_READ_BYTES = 4 * 1_048_576;

/** Maximum backslashes in what is parsed, if it is more than so many bytes: 4 MiB of escapes take up to 100 ms (SAFE-4). */
export const MAX_ESCAPES = 100_000;
const FEW_BYTES = 1_048_576;

/** How much of a message is parsed. Results never are. */
export interface Reading {
  readonly maxValues: number;
  readonly leavesArguments: boolean;
}

export const OF_CLIENT: Reading = { maxValues: MAX_CLIENT_VALUES, leavesArguments: true };
/** A server calls no tools: arguments in what it sends would be parsed whole by whoever passes its params on (SAFE-4). */
export const OF_SERVER: Reading = { maxValues: MAX_VALUES, leavesArguments: false };

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const OPEN_OBJECT = 123;
const BACKSLASH = 92;
const SPACE = 32;
const LF = 10;
const CR = 13;

/**
 * The bytes are the message's own: line ends in what is forwarded become spaces there. `undefined`: JSON.parse may read the message
 * whole.
 */
export function* parseLargeSteps(bytes: Buffer, reading: Reading): Steps<ParsedMessage | undefined> {
  const { maxValues } = reading;
  const members = yield* scanMembersSteps(bytes, INSIDE);
  if (members !== undefined) return yield* parseMembers(bytes, members, reading);
  // Of a text that is refused anyway, the beginning tells why.
  const failure = yield* checkReadable(bytes.subarray(0, MAX_READ_BYTES), maxValues);
  if (failure === "too-deep") return TOO_DEEP;
  return failure === "too-many" || isLong(bytes) ? tooManyValues(maxValues) : undefined;
}

/** Whether a text takes too long to parse, however few values it holds. */
function isLong(bytes: Buffer): boolean {
  return bytes.length > MAX_READ_BYTES || (bytes.length > FEW_BYTES && hasManyEscapes(bytes));
}

function hasManyEscapes(bytes: Buffer): boolean {
  let found = 0;
  for (let at = bytes.indexOf(BACKSLASH); at !== -1; at = bytes.indexOf(BACKSLASH, at + 1)) {
    found += 1;
    if (found > MAX_ESCAPES) return true;
  }
  return false;
}

/** Why JSON must not be parsed in one turn; other failures are for JSON.parse to tell. */
function* checkReadable(bytes: Buffer, values: number): Steps<ScanFailure | undefined> {
  const scan = new Scan(bytes, { values });
  yield* scan.steps();
  return scan.failure;
}

/** Ids of Onym's requests are short numbers. */
const MAX_ID_BYTES = 100;

/** A response whose result is nested too deeply: the result stays unparsed. */
export function* parseDeepResponse(bytes: Buffer): Steps<ParsedMessage | undefined> {
  const members = yield* scanMembersSteps(bytes, INSIDE, "any");
  const envelope = members === undefined ? undefined : readEnvelope(bytes, members);
  if (members === undefined || envelope === undefined) return undefined;
  const result = members.get("result");
  if (members.has("error") && result === undefined)
    return { ok: true, value: { ...envelope, error: { code: CODES.internal, message: TOO_DEEP.reason } } };
  if (members.has("error") || result?.members === undefined) return undefined;
  return {
    ok: true,
    value: { ...envelope, result: createUnreadObject({ bytes, ...result, isDeep: true }) },
  };
}

/** Where the envelope of a response stands. */
const FIRST_BYTES = 1_048_576;

/** A response that is refused as a whole is an error; it is recognized by its first members, and not read on. */
export function parseRefusedResponse(bytes: Buffer, reason: string): ParsedMessage | undefined {
  const members = scanFirstMembers(bytes.subarray(0, FIRST_BYTES));
  const envelope = members.has("method") ? undefined : readEnvelope(bytes, members);
  if (envelope === undefined) return undefined;
  return { ok: true, value: { ...envelope, error: { code: CODES.internal, message: reason } } };
}

/** What every response has. */
function readEnvelope(bytes: Buffer, members: Members): JsonObject | undefined {
  const textOf = (key: string): string => {
    const { start, end } = members.get(key) ?? { start: 0, end: 0 };
    return bytes.toString("utf8", start, Math.min(end, start + MAX_ID_BYTES));
  };
  const id = parseJson(textOf("id"));
  return textOf("jsonrpc") === '"2.0"' && id.ok ? { jsonrpc: "2.0", id: id.value } : undefined;
}

const tooManyValues = (maxValues: number): ParsedMessage => ({
  ok: false,
  isRefused: true,
  reason: `a message holds at most ${maxValues} values or ${MAX_READ_BYTES} bytes, and ${MAX_SCANNED} values with the arguments and the result of a call; of more than ${FEW_BYTES} bytes, those beside them have at most ${MAX_ESCAPES} escapes`,
});

/** A message whose arguments or result stay unparsed. */
function* parseMembers(
  bytes: Buffer,
  members: Members,
  { maxValues, leavesArguments }: Reading,
): Steps<ParsedMessage> {
  let values = 0;
  let length = 0;
  let isTooLong = false;
  const unread: Member[] = [];
  const isTooMuch = (): boolean => values > maxValues || isTooLong;
  const read = (member: Member): unknown => {
    length += member.end - member.start;
    values += member.values ?? 0;
    isTooLong ||= length > MAX_READ_BYTES || isLong(bytes.subarray(member.start, member.end));
    return isTooMuch() ? undefined : JSON.parse(bytes.toString("utf8", member.start, member.end));
  };
  const leave = (member: Member): unknown => {
    if (bytes[member.start] !== OPEN_OBJECT) return read(member);
    unread.push(member);
    return createUnreadObject({ bytes, ...member });
  };
  const readParams = (params: Members): JsonObject =>
    mapMembers(params, (key, member) =>
      leavesArguments && key === "arguments" ? leave(member) : read(member),
    );
  const value = mapMembers(members, (key, member) => {
    if (key === "result") return leave(member);
    return key === "params" && member.members !== undefined ? readParams(member.members) : read(member);
  });
  if (isTooMuch()) return tooManyValues(maxValues);
  for (const member of unread) yield* inOneLine(bytes, member);
  return { ok: true, value };
}

/** Whether an object is parsed, or small enough to be parsed in one turn (SAFE-4). */
export function isReadable(object: JsonObject): boolean {
  const source = unreadSourceOf(object);
  if (source === undefined) return true;
  const bytes = source.bytes.subarray(source.start, source.end);
  return !isLong(bytes) && (source.values ?? countValues(bytes)) <= MAX_VALUES;
}

/** The same for a text that is to be parsed. */
export function isReadableText(text: string): boolean {
  if (text.length < LARGE) return true;
  const bytes = Buffer.from(text);
  return !isLong(bytes) && countValues(bytes) <= MAX_VALUES;
}

/** Up to one more than the limit; in invalid JSON, those before the error. */
function countValues(bytes: Buffer): number {
  const scan = new Scan(bytes, { values: MAX_VALUES });
  scan.run();
  return scan.failure === "too-many" || scan.failure === "too-deep" ? MAX_VALUES + 1 : MAX_VALUES - scan.left;
}

/** Bytes per step. */
const STEP_BYTES = 262_144;

/**
 * Some transports frame messages as lines or events. JSON strings contain no line ends: they all stand between values, so replacing
 * them keeps every position.
 */
function* inOneLine(bytes: Buffer, { start, end }: Member): Steps<void> {
  for (let from = start; from < end; from += STEP_BYTES) {
    const piece = bytes.subarray(from, Math.min(from + STEP_BYTES, end));
    if (piece.includes(LF) || piece.includes(CR)) replaceLineEnds(piece);
    yield;
  }
}

function replaceLineEnds(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LF || bytes[at] === CR) bytes[at] = SPACE;
}

function mapMembers(members: Members, read: (key: string, member: Member) => unknown): JsonObject {
  return Object.fromEntries([...members].map(([key, member]) => [key, read(key, member)]));
}
