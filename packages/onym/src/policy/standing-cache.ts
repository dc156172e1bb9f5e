// The approvals in force, indexed by principal and tool. Immutable; rebuilt when the store changes.

import type { ToolDefinition, ToolKey } from "@onym/core";
import { buildStandingRecord, definitionDigest, type StandingRecord } from "@onym/core/approvals";

/** A decision as the store keeps it. */
export interface ApprovalRow {
  /** Increases with each decision. */
  readonly id: number;
  readonly verdict: "approved" | "rejected";
  readonly principal: string;
  readonly tool: ToolKey;
  readonly launch: string;
  readonly digest: string;
  readonly definition: ToolDefinition;
  /** ms since 1970. */
  readonly expiresAt: number | undefined;
  /** Equal to `expiresAt` if the expiry is recorded. */
  readonly revokedAt: number | undefined;
  /** It is for one call. */
  readonly isOnce?: true;
}

/**
 * The state for one principal and tool: the newest decision, whether it is still valid, and core's record of it.
 */
export type StandingState =
  | { readonly kind: "none" }
  | {
      readonly kind: "inForce" | "expired";
      readonly id: number;
      readonly record: StandingRecord;
      /** The definition that was shown for the decision. */
      readonly definition: ToolDefinition;
      readonly isOnce?: true;
    };

/** The principal and the tool to look up. */
export interface StandingSubject {
  readonly principal: string;
  readonly tool: ToolKey;
  /** Former keys of the tool, from declared renames. Decisions under them stay valid (LOCK-5). */
  readonly formerly?: readonly ToolKey[];
}

export interface StandingCache {
  /** The number of indexed decisions, including expired ones. */
  readonly size: number;
  readonly find: (subject: StandingSubject, now: number) => StandingState;
}

const NONE: StandingState = { kind: "none" };
const NO_KEYS: readonly ToolKey[] = [];

/** For one tool under several keys: a valid rejection takes precedence, otherwise the newest decision counts. */
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
 * The newest row of a principal and tool counts, in any input order. A revoked row leaves no decision, and does not
 * restore one that it had replaced.
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
      const state = { id, record: recordOf(row, tool), definition };
      const kind = isExpired ? "expired" : "inForce";
      return row.isOnce === true ? { kind, ...state, isOnce: true } : { kind, ...state };
    },
  };
}

/** A row whose definition does not match its digest approves nothing. A rejection always counts. */
function buildRecord({ verdict, principal, tool, launch, digest, definition }: ApprovalRow): StandingRecord {
  if (verdict === "rejected") return buildStandingRecord([{ verdict, principal, tool }]);
  const actual = definitionDigest(definition);
  if (actual !== digest) return buildStandingRecord([]);
  return buildStandingRecord([{ verdict, principal, tool, launch, digest: actual, definition }]);
}
