// Removes the oldest audit records: whole prefixes of chains, each of which then begins at an anchor.

import type { Transaction } from "kysely";
import { joinBodies, type Sealer } from "../../audit/audit-chain.js";
import type { Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import { checkWritten, storeCorrupt, storeUnavailable } from "../store-errors.js";
import { lockChain, readRow } from "./read-audit.js";

export interface PruneOptions {
  readonly session: StoreSession;
  /** Without a key, sealed chains cannot be pruned. */
  readonly sealer: Sealer | undefined;
}

/** Returns how many went. */
export function pruneAudit(before: number, { session, sealer }: PruneOptions): Promise<number> {
  return session.write(async (tx) => {
    const chains = await tx.selectFrom("onym_chains").select("chain").orderBy("chain").execute();
    let removed = 0;
    for (const { chain } of chains) removed += await pruneChain(tx, { session, chain, before, sealer });
    return removed;
  });
}

/** Removes the oldest, some at a time, as long as there are too many. Returns how many went. */
export async function shrinkAudit(
  isTooLarge: () => Promise<boolean>,
  { session, sealer }: PruneOptions,
): Promise<number> {
  let removed = 0;
  while (await isTooLarge()) {
    const before = await findOldest(session);
    const some = before === undefined ? 0 : await pruneAudit(before, { session, sealer });
    // The clock went back once: what is left of the oldest time lies behind something newer.
    if (some === 0) break;
    removed += some;
  }
  return removed;
}

/** Rows that go in one commit. Calls wait for it: some milliseconds. */
const SLICE = 500;

/** The time up to which the oldest rows go; `undefined` where there are no more than are kept in any case. */
async function findOldest(session: StoreSession): Promise<number | undefined> {
  const row = await session.read((db) =>
    db.selectFrom("onym_audit").select("at").orderBy("at").offset(SLICE).limit(1).executeTakeFirst(),
  );
  return row?.at;
}

interface Pruned extends PruneOptions {
  readonly chain: string;
  readonly before: number;
}

async function pruneChain(
  tx: Transaction<Tables>,
  { session, chain, before, sealer }: Pruned,
): Promise<number> {
  const held = await lockChain(tx, session, chain);
  if (held === undefined) return 0;
  const rowsOf = () => tx.selectFrom("onym_audit").selectAll().where("chain", "=", chain);
  const kept = await rowsOf().where("at", ">=", before).orderBy("seq").limit(1).executeTakeFirst();
  const records = kept === undefined ? [] : readRow(kept, session.place);
  const first = records.findIndex(({ content }) => content.at >= before);
  const end = (records[first]?.seq ?? held.head_seq + 1) - 1;
  if (end <= held.anchor_seq) return 0;
  const gone = first > 0 ? [] : await rowsOf().where("seq", "=", end).execute();
  const anchor = records[first - 1] ?? gone.flatMap((row) => readRow(row, session.place)).at(-1);
  if (anchor === undefined)
    throw storeCorrupt(session.place, `the audit record ${end} of ${chain} is missing; nothing was pruned`);
  if (sealer === undefined && held.head_seal !== null)
    throw storeUnavailable(session.place, "its audit is sealed, and pruning it takes the key");
  const { numUpdatedRows } = await tx
    .updateTable("onym_chains")
    .set({ anchor_seq: anchor.seq, anchor_hash: anchor.hash, anchor_seal: sealer?.anchor(anchor) ?? null })
    .where("chain", "=", chain)
    .executeTakeFirst();
  checkWritten(session.place, numUpdatedRows, { what: "the beginning of the audit's chain" });
  await tx.deleteFrom("onym_audit").where("chain", "=", chain).where("seq", "<=", end).execute();
  if (kept !== undefined && first > 0)
    await tx
      .updateTable("onym_audit")
      .set({ body: joinBodies(records.slice(first)) })
      .where("chain", "=", chain)
      .where("seq", "=", kept.seq)
      .execute();
  return end - held.anchor_seq;
}
