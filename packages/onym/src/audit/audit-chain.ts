// The chain of audit records (POL-4): each hash covers the record and the hash before it. Also their row
// format, and the seals on the ends of a chain.

import { createHmac, createSecretKey, hash } from "node:crypto";
import { canonicalJson } from "@onym/core/identity";
import {
  AUDIT_FIELDS,
  type AuditField,
  type AuditPlace,
  type AuditRecord,
  type StoredAuditRecord,
} from "./audit-record.js";

/** The predecessor hash of a chain's first record. */
export const FIRST_HASH = "0".repeat(64);

/** The position of a record, which the next one continues. */
export type ChainLink = AuditPlace;

/** One record, or several consecutive ones; the other columns are those of the last. */
export interface AuditRow extends ChainLink {
  readonly at: number;
  /**
   * Canonical JSON of each record with chain and seq, exactly what was hashed; between two of them, the hash
   * of the first.
   */
  readonly body: string;
}

/** One record of a row; its body is exactly what was hashed. */
export interface ChainRecord extends ChainLink {
  readonly body: string;
  /** `undefined` if it is invalid in its row: not a record, or outside the time of the row. */
  readonly content: Content | undefined;
}

/** A valid record. */
export type SoundRecord = ChainRecord & { readonly content: Content };

export interface Content extends Readonly<Record<string, unknown>> {
  readonly at: number;
}

/** Limits how much is read for one record; a larger record has its own row. */
const ROW_CHARACTERS = 65_536;
/**
 * Maximum time between the first and the last record of a row. Limits how far rows of several chains overlap.
 */
export const ROW_MS = 50;

/**
 * The rows that follow a link, in order. Records of one commit share a row, because a row costs more than its
 * content: first body, its hash, next body and so on, one per line. The columns are those of the last record.
 * Within a row, time never goes back.
 */
export function buildAuditRows(before: ChainLink, records: readonly AuditRecord[]): readonly AuditRow[] {
  const { chain } = before;
  let { seq, hash } = before;
  let body = "";
  let at = 0;
  let beganAt = 0;
  const rows: AuditRow[] = [];
  for (const record of records) {
    const next = formatAuditBody(record, { chain, seq: seq + 1 });
    const isFull = body.length + next.length > ROW_CHARACTERS;
    if (body !== "" && (isFull || record.at < at || record.at > beganAt + ROW_MS)) {
      rows.push({ chain, seq, at, hash, body });
      body = "";
    }
    if (body === "") beganAt = record.at;
    body = body === "" ? next : `${body}\n${hash}\n${next}`;
    at = record.at;
    seq += 1;
    hash = hashOf(hash, next);
  }
  if (body !== "") rows.push({ chain, seq, at, hash, body });
  return rows;
}

/**
 * The records of a row, in order. JSON has no line ends, so splitting is unambiguous. Reading and pruning
 * rely on the time of rows, so it is checked here, for them and for verification.
 */
export function splitRow({ chain, seq, at, hash, body }: AuditRow): readonly ChainRecord[] {
  // An altered row may contain anything.
  const lines = typeof body === "string" ? body.split("\n") : [];
  const count = Math.ceil(lines.length / 2);
  if (count === 0 || count > seq) return [{ chain, seq, hash, body: "", content: undefined }];
  // An extra line takes the place of a hash, with no record after it.
  const endsAt = lines.length % 2 === 1 ? at : undefined;
  const records: ChainRecord[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < count; index += 1) {
    const body = lines[2 * index] ?? "";
    const content = parseBody(body);
    const time = content?.at ?? Number.NaN;
    const isInTime = time >= from && time + ROW_MS >= at && (index < count - 1 || time === endsAt);
    records.push({
      chain,
      seq: seq - count + 1 + index,
      hash: lines[2 * index + 1] ?? hash,
      body,
      content: isInTime ? content : undefined,
    });
    from = time;
  }
  return records;
}

/** The body of a row of these records. */
export function joinBodies(records: readonly ChainRecord[]): string {
  return records
    .map(({ body, hash }, index) => (index === records.length - 1 ? body : `${body}\n${hash}\n`))
    .join("");
}

/** The problem with a record that should follow `before`; `undefined` if there is none. */
export function checkRecord(before: ChainLink, record: ChainRecord): string | undefined {
  const { chain, seq, content } = record;
  if (seq > before.seq + 1) return "the record is missing";
  if (record.hash !== hashOf(before.hash, record.body)) return "the record does not match its hash";
  if (seq !== before.seq + 1 || content?.["chain"] !== chain || content["seq"] !== seq)
    return "the record stands in another place than where it was written";
  return undefined;
}

/** The record as it was appended, and its position. */
export function parseRecord({ content, ...place }: SoundRecord): StoredAuditRecord {
  return readAuditRecord(content, place);
}

function hashOf(before: string, body: string): string {
  return hash("sha256", before + body, "hex");
}

function parseBody(body: string): Content | undefined {
  try {
    const parsed = JSON.parse(body) as Partial<Content> | null;
    return typeof parsed?.at === "number" ? (parsed as Content) : undefined;
  } catch {
    return undefined;
  }
}

// A record as text, and back, by the table of its fields.

const NAMES = Object.keys(AUDIT_FIELDS) as readonly (keyof AuditRecord)[];
const IN_JSON = NAMES.filter((name) => AUDIT_FIELDS[name].holds === "json");
/** By code point, as in canonical JSON. */
const PLAIN = ([...NAMES, "chain", "seq"] as const).filter((name) => !isJson(name)).sort();

/**
 * What is hashed and stored: canonical JSON. The members are few and known, so they are written in order
 * instead of being sorted each time. Untrusted values come first: `arguments` sorts before all others.
 */
export function formatAuditBody(
  record: AuditRecord,
  { chain, seq }: Pick<AuditPlace, "chain" | "seq">,
): string {
  const plain: Record<string, unknown> = {};
  for (const name of PLAIN) plain[name] = name === "chain" ? chain : name === "seq" ? seq : record[name];
  let body = JSON.stringify(plain);
  for (const name of IN_JSON)
    if (record[name] !== undefined) body = `{"${name}":${canonicalJson(record[name])},${body.slice(1)}`;
  return body;
}

/** Parses a record from its body. Fields of the wrong type are left out. */
export function readAuditRecord(
  content: Readonly<Record<string, unknown>>,
  place: AuditPlace,
): StoredAuditRecord {
  const record: Record<string, unknown> = { chain: place.chain, seq: place.seq, hash: place.hash };
  for (const name of NAMES) record[name] = readField(AUDIT_FIELDS[name].holds, content[name]);
  return record as unknown as StoredAuditRecord;
}

function readField(holds: AuditField["holds"], value: unknown): unknown {
  switch (holds) {
    case "text":
      return typeof value === "string" ? value : "";
    case "number":
    case "optional-number":
      return typeof value === "number" ? value : undefined;
    case "optional-text":
      return typeof value === "string" ? value : undefined;
    case "json":
      return value;
  }
}

function isJson(name: string): boolean {
  return name in AUDIT_FIELDS && AUDIT_FIELDS[name as keyof AuditRecord].holds === "json";
}

// Seals that only the holder of the key can write: of decisions, and of the two ends of each audit chain.
// Hashes chain the records between the ends, so sealing each record would cost time and detect nothing more
// (POL-4).

export interface Sealer {
  /** The current end of a chain. */
  readonly head: (link: ChainLink) => string;
  /** The start of a chain, as pruning left it. */
  readonly anchor: (link: ChainLink) => string;
  /**
   * A chain from before there was a key: only its name, since a process of that version may still append to
   * it.
   */
  readonly earlier: (chain: string) => string;
  /** Any other texts; the first one names their purpose. */
  readonly seal: (...texts: readonly string[]) => string;
}

export function createSealer(key: Uint8Array): Sealer {
  const secret = createSecretKey(key);
  const seal = (...texts: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(texts)).digest("hex");
  return {
    head: ({ chain, seq, hash }) => seal("head 1", chain, String(seq), hash),
    anchor: ({ chain, seq, hash }) => seal("anchor 1", chain, String(seq), hash),
    earlier: (chain) => seal("earlier 1", chain),
    seal,
  };
}
