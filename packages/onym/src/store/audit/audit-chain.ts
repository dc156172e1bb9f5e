// The chain of audit records (POL-4): each hash covers the record and the hash before it. And how they stand in rows.

import { hash } from "node:crypto";
import { canonicalJson, escapeText, type ToolKey } from "@onym/core";
import type { AuditRow } from "../schema/tables.js";
import type { AuditRecord, StoredAuditRecord } from "../store.js";
import { storeCorrupt } from "../store-errors.js";

/** What the first record of a chain follows. */
export const FIRST_HASH = "0".repeat(64);

export interface ChainLink {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** One record of a row; its body is exactly what was hashed. */
export interface ChainRecord extends ChainLink {
  readonly body: string;
  /** `undefined` where no row may have it like this: it is no record, or not of the time of its row. */
  readonly content: Content | undefined;
}

type SoundRecord = ChainRecord & { readonly content: Content };

interface Content extends Readonly<Record<string, unknown>> {
  readonly at: number;
}

/** Bounds what has to be read for one record; a larger one has a row for itself. */
const ROW_CHARACTERS = 65_536;
/** Between the first and the last record of a row. Bounds how far rows of several chains reach into each other. */
export const ROW_MS = 50;

/**
 * The rows that follow a link, in order. Records of one commit share a row, because a row costs more than what is in it:
 * first body, its hash, next body and so on, a line each. The columns are those of its last record. In a row, time only
 * goes forward.
 */
export function buildAuditRows(before: ChainLink, records: readonly AuditRecord[]): readonly AuditRow[] {
  const { chain } = before;
  let { seq, hash } = before;
  let body = "";
  let at = 0;
  let beganAt = 0;
  const rows: AuditRow[] = [];
  for (const record of records) {
    const next = formatBody(record, chain, seq + 1);
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
 * The records of a row, in order. JSON has no line ends, so that none of them can be mistaken for two. Reading and pruning
 * go by the time of rows: it is checked here, for them and for who verifies.
 */
export function splitRow({ chain, seq, at, hash, body }: AuditRow): readonly ChainRecord[] {
  // Who alters a row may leave anything there.
  const lines = typeof body === "string" ? body.split("\n") : [];
  const count = Math.ceil(lines.length / 2);
  if (count === 0 || count > seq) return [{ chain, seq, hash, body: "", content: undefined }];
  // A line too many has the place of a hash, and no record after it.
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

/** The records of a row, for who goes by what it says. */
export function readRow(row: AuditRow, place: string): readonly SoundRecord[] {
  return splitRow(row).map((record) => {
    const { seq, content } = record;
    if (content !== undefined) return { ...record, content };
    throw storeCorrupt(place, `the audit record ${seq} of ${escapeText(row.chain)} was altered`);
  });
}

/** The body of a row of these records. */
export function joinBodies(records: readonly ChainRecord[]): string {
  return records
    .map(({ body, hash }, index) => (index === records.length - 1 ? body : `${body}\n${hash}\n`))
    .join("");
}

/** Canonical JSON: the members are few, known and plain, so that they are written in order instead of sorted each time. */
function formatBody(record: AuditRecord, chain: string, seq: number): string {
  const body = JSON.stringify({
    argumentsDigest: record.argumentsDigest,
    at: record.at,
    call: record.call,
    caller: record.caller,
    canonical: record.canonical,
    chain,
    decision: record.decision,
    definition: record.definition,
    kind: record.kind,
    ms: record.ms,
    outcome: record.outcome,
    profile: record.profile,
    rule: record.rule,
    sent: record.sent,
    seq,
    tool: record.tool,
  });
  const { arguments: args } = record;
  return args === undefined ? body : `{"arguments":${canonicalJson(args)},${body.slice(1)}`;
}

/** What is wrong with a record that should follow `before`; `undefined` where nothing is. */
export function checkRecord(before: ChainLink, record: ChainRecord): string | undefined {
  const { chain, seq, content } = record;
  if (seq > before.seq + 1) return "the record is missing";
  if (record.hash !== hashOf(before.hash, record.body)) return "the record does not match its hash";
  if (seq !== before.seq + 1 || content?.["chain"] !== chain || content["seq"] !== seq)
    return "the record stands in another place than where it was written";
  return undefined;
}

export function parseRecord({ chain, seq, hash, content }: SoundRecord): StoredAuditRecord {
  const text = (field: string): string | undefined => {
    const value = content[field];
    return typeof value === "string" ? value : undefined;
  };
  const { kind, at, ms } = content;
  return {
    chain,
    seq,
    hash,
    kind: kind as StoredAuditRecord["kind"],
    at,
    call: text("call") ?? "",
    caller: text("caller") ?? "",
    profile: text("profile"),
    sent: text("sent"),
    tool: text("tool") as ToolKey | undefined,
    canonical: text("canonical"),
    rule: text("rule"),
    decision: text("decision"),
    definition: text("definition"),
    argumentsDigest: text("argumentsDigest"),
    arguments: content["arguments"],
    outcome: text("outcome"),
    ms: typeof ms === "number" ? ms : undefined,
  };
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
