// Recomputes every chain of audit records, a page at a time, while others go on writing and pruning.

import { sql } from "kysely";
import { type ChainLink, checkRecord, splitRow } from "./audit-chain.js";
import type { Session } from "./session.js";
import type { AuditVerdict } from "./store.js";
import type { AuditRow, ChainRow } from "./tables.js";

interface ChainVerdict {
  readonly records: number;
  readonly broken: AuditVerdict["broken"][number] | undefined;
}

/** As many bytes as its body has; what follows a NUL, SQLite keeps and does not show. */
interface MeasuredRow extends AuditRow {
  readonly bytes: number;
}

const PAGE = 100;

/** With `most`, about as many of the last ones; of each chain at least its last row. */
export async function verifyAudit(
  session: Session,
  most: number = Number.POSITIVE_INFINITY,
): Promise<AuditVerdict> {
  const chains = await session.read(async (db) => {
    const known = await db.selectFrom("onym_chains").select("chain").execute();
    const used = await db.selectFrom("onym_audit").select("chain").distinct().execute();
    return [...new Set([...known, ...used].map(({ chain }) => chain))].sort();
  });
  const verdicts: ChainVerdict[] = [];
  let room = most;
  for (const chain of chains) {
    const verdict = await verifyChain(session, chain, room);
    verdicts.push(verdict);
    room = Math.max(1, room - verdict.records);
  }
  return {
    records: verdicts.reduce((sum, { records }) => sum + records, 0),
    chains: chains.length,
    broken: verdicts.flatMap(({ broken }) => broken ?? []),
  };
}

async function verifyChain(session: Session, chain: string, most: number): Promise<ChainVerdict> {
  let records = 0;
  let last = Number.isFinite(most) ? await findStart(session, chain, most) : undefined;
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
    for (const row of rows) {
      for (const record of splitRow(row)) {
        const problem = checkRecord(last, record);
        if (problem !== undefined) return fail(last.seq + 1, problem);
        records += 1;
        last = record;
      }
      if (Buffer.byteLength(row.body) !== row.bytes)
        return fail(row.seq, "something is hidden after the record");
    }
    if (rows.length === PAGE) continue;
    if (last.seq !== ends.head_seq) return fail(last.seq + 1, "the record is missing");
    if (last.hash !== ends.head_hash) return fail(last.seq, "the record is not the one the chain ends with");
    return { records, broken: undefined };
  }
}

/** `undefined` where that is the beginning of the chain. */
function findStart(session: Session, chain: string, most: number): Promise<ChainLink | undefined> {
  return session.read(async (db) => {
    const ends = await db.selectFrom("onym_chains").selectAll().where("chain", "=", chain).executeTakeFirst();
    if (ends === undefined) return undefined;
    return db
      .selectFrom("onym_audit")
      .select(["chain", "seq", "hash"])
      .where("chain", "=", chain)
      .where("seq", "<=", ends.head_seq - most)
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
  });
}

function loadPage(
  session: Session,
  chain: string,
  after: number | undefined,
): Promise<{
  readonly ends: ChainRow | undefined;
  readonly rows: readonly MeasuredRow[];
  readonly hasStray: boolean;
}> {
  return session.read(async (db) => {
    const ends = await db.selectFrom("onym_chains").selectAll().where("chain", "=", chain).executeTakeFirst();
    const anchor = ends?.anchor_seq ?? 0;
    const from = Math.max(after ?? anchor, anchor);
    const rows = await db
      .selectFrom("onym_audit")
      .selectAll()
      .select(sql<number>`octet_length(body)`.as("bytes"))
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
