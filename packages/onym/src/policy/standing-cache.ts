// The approvals in force, indexed: one look-up by principal and tool. Immutable; built again when the store has moved.

import {
  buildStandingRecord,
  definitionDigest,
  type StandingRecord,
  type ToolDefinition,
  type ToolKey,
} from "@onym/core";

/** A decision as the store keeps it. */
export interface ApprovalRow {
  /** Later ones are greater. */
  readonly id: number;
  readonly verdict: "approved" | "rejected";
  readonly principal: string;
  readonly tool: ToolKey;
  readonly launch: string;
  readonly digest: string;
  readonly definition: ToolDefinition;
  /** ms since 1970. */
  readonly expiresAt: number | undefined;
  /** The same as `expiresAt` where it is on record that it has expired. */
  readonly revokedAt: number | undefined;
}

/** What stands for one principal and tool: the newest decision, whether it still counts, and what core makes of it. */
export type StandingState =
  | { readonly kind: "none" }
  | {
      readonly kind: "inForce" | "expired";
      readonly id: number;
      readonly record: StandingRecord;
      /** What was shown when it was decided. */
      readonly definition: ToolDefinition;
    };

/** Whose decisions are asked for, about which tool. */
export interface StandingSubject {
  readonly principal: string;
  readonly tool: ToolKey;
  /** Other keys that the tool had, by declared renames: what was decided about it under them holds on (LOCK-5). */
  readonly formerly?: readonly ToolKey[];
}

export interface StandingCache {
  /** How many decisions are indexed, expired ones included. */
  readonly size: number;
  readonly find: (subject: StandingSubject, now: number) => StandingState;
}

const NONE: StandingState = { kind: "none" };
const NO_KEYS: readonly ToolKey[] = [];

/** Of one tool under several keys: a rejection that stands counts before everything else, else the newest decision. */
function newestOf(
  keys: readonly ToolKey[],
  tools: ReadonlyMap<ToolKey, ApprovalRow>,
  now: number,
): ApprovalRow | undefined {
  const rows = [...new Set(keys)].flatMap((key) => tools.get(key) ?? []).sort((a, b) => b.id - a.id);
  return rows.find((row) => isStanding(row, now) && row.verdict === "rejected") ?? rows[0];
}

function isStanding({ expiresAt, revokedAt }: ApprovalRow, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/**
 * Of several rows for one principal and tool the newest counts, in whatever order they come; a revoked one leaves
 * nothing, and brings none back that it had replaced.
 *
 * @example
 * buildStandingCache(rows).find({ principal: "ann", tool: tool.key }, now).kind; // "inForce"
 */
export function buildStandingCache(rows: readonly ApprovalRow[]): StandingCache {
  const byPrincipal = new Map<string, Map<ToolKey, ApprovalRow>>();
  let size = 0;
  for (const row of rows) {
    const tools = byPrincipal.get(row.principal) ?? new Map<ToolKey, ApprovalRow>();
    byPrincipal.set(row.principal, tools);
    const before = tools.get(row.tool);
    if (before === undefined) size += 1;
    if (before === undefined || before.id < row.id) tools.set(row.tool, row);
  }
  const records = new WeakMap<ApprovalRow, StandingRecord>();
  const recordOf = (row: ApprovalRow, tool: ToolKey): StandingRecord => {
    if (row.tool !== tool) return buildRecord({ ...row, tool });
    const made = records.get(row) ?? buildRecord(row);
    records.set(row, made);
    return made;
  };
  return {
    size,
    find({ principal, tool, formerly = NO_KEYS }, now) {
      const tools = byPrincipal.get(principal);
      if (tools === undefined) return NONE;
      const row = formerly.length === 0 ? tools.get(tool) : newestOf([tool, ...formerly], tools, now);
      if (row === undefined) return NONE;
      const { expiresAt, revokedAt } = row;
      const hasEnded = revokedAt !== undefined && revokedAt === expiresAt;
      if (revokedAt !== undefined && !hasEnded) return NONE;
      const isExpired = hasEnded || (expiresAt !== undefined && expiresAt <= now);
      const { id, definition } = row;
      return { kind: isExpired ? "expired" : "inForce", id, record: recordOf(row, tool), definition };
    },
  };
}

/** A row whose definition is not the one that its digest is of approves nothing. A rejection counts in any state. */
function buildRecord({ verdict, principal, tool, launch, digest, definition }: ApprovalRow): StandingRecord {
  if (verdict === "rejected") return buildStandingRecord([{ verdict, principal, tool }]);
  const actual = definitionDigest(definition);
  if (actual !== digest) return buildStandingRecord([]);
  return buildStandingRecord([{ verdict, principal, tool, launch, digest: actual, definition }]);
}
