// The chain of audit records (POL-4): each hash covers the record and the hash before it. And how they stand in rows.

import { hash } from "node:crypto";
import { canonicalJson, type ToolKey } from "@onym/core";
import type { AuditRecord, StoredAuditRecord } from "./store.js";
import type { AuditRow } from "./tables.js";

/** What the first record of a chain follows. */
export const FIRST_HASH = "0".repeat(64);

export interface ChainLink {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** One record of a row; its body is exactly what was hashed. */
export interface ChainRecord extends ChainLink {
  /** By its row; `undefined` where the row says it of a later one. */
  readonly at: number | undefined;
  readonly body: string;
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

/** The records of a row, in order. JSON has no line ends, so that none of them can be mistaken for two. */
export function splitRow({ chain, seq, at, hash, body }: AuditRow): readonly ChainRecord[] {
  const lines = body.split("\n");
  const count = Math.ceil(lines.length / 2);
  const records: ChainRecord[] = [];
  for (let index = 0; index < count - 1; index += 1)
    records.push({
      chain,
      seq: seq - count + 1 + index,
      at: undefined,
      hash: lines[2 * index + 1] ?? "",
      body: lines[2 * index] ?? "",
    });
  records.push({ chain, seq, at, hash, body: lines[2 * (count - 1)] ?? "" });
  return records;
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
  const { chain, seq, at } = record;
  if (seq !== before.seq + 1) return "the record is missing";
  if (record.hash !== hashOf(before.hash, record.body)) return "the record does not match its hash";
  const body = parseBody(record.body);
  if (body?.["chain"] !== chain || body["seq"] !== seq || (at !== undefined && body["at"] !== at))
    return "the record stands in another place than where it was written";
  return undefined;
}

/** `undefined` where it is none. */
export function parseRecord(record: ChainRecord): StoredAuditRecord | undefined {
  const body = parseBody(record.body);
  const at = record.at ?? body?.["at"];
  if (body === undefined || typeof at !== "number") return undefined;
  const text = (field: string): string | undefined => {
    const value = body[field];
    return typeof value === "string" ? value : undefined;
  };
  const { kind, ms } = body;
  return {
    chain: record.chain,
    seq: record.seq,
    hash: record.hash,
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
    arguments: body["arguments"],
    outcome: text("outcome"),
    ms: typeof ms === "number" ? ms : undefined,
  };
}

function hashOf(before: string, body: string): string {
  return hash("sha256", before + body, "hex");
}

function parseBody(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
