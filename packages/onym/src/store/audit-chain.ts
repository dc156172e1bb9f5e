// The chain of audit records (POL-4): each hash covers the record and the hash before it.

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

/** The rows that follow a link, in order. */
export function buildAuditRows(before: ChainLink, records: readonly AuditRecord[]): readonly AuditRow[] {
  let last = before;
  return records.map((record) => {
    const row = buildAuditRow(last, record);
    last = row;
    return row;
  });
}

function buildAuditRow(before: ChainLink, record: AuditRecord): AuditRow {
  const { chain } = before;
  const seq = before.seq + 1;
  const body = formatBody(record, chain, seq);
  return { chain, seq, at: record.at, hash: hashOf(before.hash, body), body };
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

/** What is wrong with a row that should follow `before`; `undefined` where nothing is. */
export function checkAuditRow(before: ChainLink, row: AuditRow): string | undefined {
  if (row.seq !== before.seq + 1) return "the record is missing";
  if (row.hash !== hashOf(before.hash, row.body)) return "the record does not match its hash";
  const body = parseBody(row.body);
  if (body?.["chain"] !== row.chain || body["seq"] !== row.seq || body["at"] !== row.at)
    return "the record stands in another place than where it was written";
  return undefined;
}

/** `undefined` where the row does not hold a record. */
export function rowToRecord(row: AuditRow): StoredAuditRecord | undefined {
  const body = parseBody(row.body);
  if (body === undefined) return undefined;
  const text = (field: string): string | undefined => {
    const value = body[field];
    return typeof value === "string" ? value : undefined;
  };
  const { kind, ms } = body;
  return {
    chain: row.chain,
    seq: row.seq,
    hash: row.hash,
    kind: kind as StoredAuditRecord["kind"],
    at: row.at,
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
