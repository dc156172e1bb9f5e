// What records say of decisions, compared with the decisions in the store. A decision has a seal of its own, so whoever can write
// the store without its key can still take one out, or put back what it was before it was revoked (POL-4, SAFE-7).

import type { Content, Sealer } from "../../audit/audit-chain.js";
import { parseApprovalRule } from "../../audit/audit-record.js";
import { keySealOf, rowToApproval } from "../parts/approval-rows.js";
import { chunksOf } from "../schema/chunks-of.js";
import type { StoreSession } from "../session.js";
import type { AuditCheck } from "../store.js";

type DecisionRow = Parameters<typeof rowToApproval>[0];

/** By their numbers; of each, the record that says most. */
export type RecordedDecisions = Map<number, RecordedDecision>;

interface RecordedDecision {
  readonly chain: string;
  readonly seq: number;
  readonly isRevoked: boolean;
}

export function noteDecision(decisions: RecordedDecisions, content: Content): void {
  const { kind, decision, rule, chain, seq } = content;
  const id = kind === "decision" ? parseApprovalRule(rule) : undefined;
  if (id === undefined || decisions.get(id)?.isRevoked === true) return;
  decisions.set(id, { chain: String(chain), seq: Number(seq), isRevoked: decision === "revoked" });
}

/** A decision is written before its record, so rows that are read after the records have all that these say. */
export async function compareDecisions(
  session: StoreSession,
  decisions: RecordedDecisions,
  sealer: Sealer | undefined,
): Promise<AuditCheck["broken"]> {
  const broken: AuditCheck["broken"][number][] = [];
  for (const ids of chunksOf([...decisions.keys()])) {
    const rows = await session.read((db) =>
      db.selectFrom("onym_approvals").selectAll().where("id", "in", ids).execute(),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const recorded = decisions.get(id);
      const problem = recorded && compareDecision(recorded, byId.get(id), sealer);
      if (problem !== undefined)
        broken.push({ chain: "(decisions)", seq: 0, problem: `decision ${id} ${problem}` });
    }
  }
  return broken;
}

function compareDecision(
  { chain, seq, isRevoked }: RecordedDecision,
  row: DecisionRow | undefined,
  sealer: Sealer | undefined,
): string | undefined {
  if (row === undefined) return `is gone: record ${seq} of ${chain} says that it was made`;
  const isIntact = rowToApproval(row) !== undefined;
  const isOfKey = sealer === undefined || row.key_seal === keySealOf(row, sealer);
  if (!isIntact || !isOfKey) return `was altered since record ${seq} of ${chain}, and does not count`;
  if (isRevoked && row.revoked_at === null)
    return `counts again, though record ${seq} of ${chain} says that it was revoked: revoke it`;
  return undefined;
}
