// An audit record, and the one table of its fields. Writing, reading (audit-chain.ts), printing and exporting (cli/audit/)
// use the table, so that a new field appears in all of them.

import type { ToolKey } from "@onym/core";

/** One record of a call: the intent before it is forwarded, or its outcome after (POL-4). */
export interface AuditRecord {
  readonly kind: "intent" | "outcome" | "refusal" | "decision";
  /** ms since 1970. */
  readonly at: number;
  /** Joins intent and outcome; unique to the call. */
  readonly call: string;
  readonly caller: string;
  readonly profile: string | undefined;
  /** The name as the client sent it. */
  readonly sent: string | undefined;
  readonly tool: ToolKey | undefined;
  readonly canonical: string | undefined;
  /** The rule that decided. */
  readonly rule: string | undefined;
  readonly decision: string | undefined;
  readonly definition: string | undefined;
  /** SHA-256 of the JSON text of the forwarded arguments; the arguments themselves only if enabled. */
  readonly argumentsDigest: string | undefined;
  readonly arguments: unknown;
  readonly outcome: string | undefined;
  readonly ms: number | undefined;
}

/** The position of a record, which the store adds. */
export interface AuditPlace {
  /** The chain it belongs to: one per writing process. */
  readonly chain: string;
  /** From 1 up, without gaps, in its chain. */
  readonly seq: number;
  /**
   * SHA-256 over the previous hash and this record; the first follows 64 zeros, or the anchor that pruning
   * left.
   */
  readonly hash: string;
}

export interface StoredAuditRecord extends AuditRecord, AuditPlace {}

export interface AuditField {
  /** How its value is written, and checked on reading. `text` and `number` are present in every record. */
  readonly holds: "text" | "number" | "optional-text" | "optional-number" | "json";
  /**
   * The column of the printed line that shows it, alone or with others; `none`: only `--json` and `export`
   * show it.
   */
  readonly column: AuditColumn | "none";
}

/** The columns of a printed line, from left to right. */
export const AUDIT_COLUMNS = ["time", "caller", "name", "decision", "outcome", "ms"] as const;
export type AuditColumn = (typeof AUDIT_COLUMNS)[number];

/** In export order. */
export const AUDIT_FIELDS: Readonly<Record<keyof AuditRecord, AuditField>> = {
  kind: { holds: "text", column: "outcome" },
  at: { holds: "number", column: "time" },
  call: { holds: "text", column: "none" },
  caller: { holds: "text", column: "caller" },
  profile: { holds: "optional-text", column: "none" },
  sent: { holds: "optional-text", column: "name" },
  tool: { holds: "optional-text", column: "name" },
  canonical: { holds: "optional-text", column: "name" },
  rule: { holds: "optional-text", column: "decision" },
  decision: { holds: "optional-text", column: "decision" },
  definition: { holds: "optional-text", column: "none" },
  argumentsDigest: { holds: "optional-text", column: "none" },
  arguments: { holds: "json", column: "none" },
  outcome: { holds: "optional-text", column: "outcome" },
  ms: { holds: "optional-number", column: "ms" },
};

/** `rule` where a stored decision decided, or was made: `approval 12`. */
export function formatApprovalRule(id: number): string {
  return `approval ${id}`;
}

/** The number of the stored decision that a rule names. */
export function parseApprovalRule(rule: unknown): number | undefined {
  const [, id] = typeof rule === "string" ? (/^approval ([1-9][0-9]{0,14})$/.exec(rule) ?? []) : [];
  return id === undefined ? undefined : Number(id);
}
