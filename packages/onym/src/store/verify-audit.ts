// Recomputes every chain of audit records, a page at a time, while others go on writing and pruning.

import { type ChainLink, checkRecord, splitRow } from "./audit-chain.js";
import type { Session } from "./session.js";
import type { AuditVerdict } from "./store.js";
import type { AuditRow, ChainRow } from "./tables.js";

interface ChainVerdict {
  readonly records: number;
  readonly broken: AuditVerdict["broken"][number] | undefined;
}

const PAGE = 100;

export async function verifyAudit(session: Session): Promise<AuditVerdict> {
  const chains = await session.read(async (db) => {
    const known = await db.selectFrom("onym_chains").select("chain").execute();
    const used = await db.selectFrom("onym_audit").select("chain").distinct().execute();
    return [...new Set([...known, ...used].map(({ chain }) => chain))].sort();
  });
  const verdicts: ChainVerdict[] = [];
  for (const chain of chains) verdicts.push(await verifyChain(session, chain));
  return {
    records: verdicts.reduce((sum, { records }) => sum + records, 0),
    chains: chains.length,
    broken: verdicts.flatMap(({ broken }) => broken ?? []),
  };
}

async function verifyChain(session: Session, chain: string): Promise<ChainVerdict> {
  let records = 0;
  let last: ChainLink | undefined;
  for (;;) {
    const { ends, rows, hasStray } = await loadPage(session, chain, last?.seq);
    const fail = (seq: number, problem: string): ChainVerdict => ({
      records,
      broken: { chain, seq, problem },
    });
    if (ends === undefined) return fail(rows[0]?.seq ?? 1, "the chain has no beginning on record");
    if (hasStray) return fail(ends.anchor_seq, "a record that was pruned is back");
    // Pruning may have taken what was to come next; its anchor stands for it.
    if (last === undefined || last.seq < ends.anchor_seq)
      last = { chain, seq: ends.anchor_seq, hash: ends.anchor_hash };
    for (const record of rows.flatMap(splitRow)) {
      const problem = checkRecord(last, record);
      if (problem !== undefined) return fail(last.seq + 1, problem);
      records += 1;
      last = record;
    }
    if (rows.length === PAGE) continue;
    if (last.seq !== ends.head_seq) return fail(last.seq + 1, "the record is missing");
    if (last.hash !== ends.head_hash) return fail(last.seq, "the record is not the one the chain ends with");
    return { records, broken: undefined };
  }
}

function loadPage(
  session: Session,
  chain: string,
  after: number | undefined,
): Promise<{
  readonly ends: ChainRow | undefined;
  readonly rows: readonly AuditRow[];
  readonly hasStray: boolean;
}> {
  return session.read(async (db) => {
    const ends = await db.selectFrom("onym_chains").selectAll().where("chain", "=", chain).executeTakeFirst();
    const anchor = ends?.anchor_seq ?? 0;
    const from = Math.max(after ?? anchor, anchor);
    const rows = await db
      .selectFrom("onym_audit")
      .selectAll()
      .where("chain", "=", chain)
      .where("seq", ">", from)
      .orderBy("seq")
      .limit(PAGE)
      .execute();
    const stray = await db
      .selectFrom("onym_audit")
      .select("seq")
      .where("chain", "=", chain)
      .where("seq", "<=", anchor)
      .limit(1)
      .execute();
    return { ends, rows, hasStray: stray.length > 0 };
  });
}
