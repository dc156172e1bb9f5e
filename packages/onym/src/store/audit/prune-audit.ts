// Removes the oldest audit records: whole prefixes of chains, each of which then begins at an anchor.

import { sql, type Transaction } from "kysely";
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

export interface ShrinkOptions extends PruneOptions {
  readonly maxBytes: number;
  /** How much the audit takes now, about: in a file, with all else that is in it. */
  readonly bytes: () => Promise<number>;
}

/** So that it is not shrunk again at once. */
const SHRUNK = 0.9;
/** Rows that go in one commit. Calls wait for it: some milliseconds. As many stay, unless they alone take too much. */
const SLICE = 500;

/** Removes the oldest, some at a time, as long as there are too many. Returns how many went. */
export async function shrinkAudit({ session, sealer, maxBytes, bytes }: ShrinkOptions): Promise<number> {
  if ((await bytes()) <= maxBytes) return 0;
  let removed = 0;
  for (;;) {
    const excess = (await bytes()) - maxBytes * SHRUNK;
    const before = excess > 0 ? await findCut(session, { excess, maxBytes }) : undefined;
    const some = before === undefined ? 0 : await pruneAudit(before, { session, sealer });
    // The clock went back once: what is left of the oldest time lies behind something newer.
    if (some === 0) return removed;
    removed += some;
  }
}

/** The time before which rows go; `undefined` where the rest stays. */
async function findCut(
  session: StoreSession,
  { excess, maxBytes }: { readonly excess: number; readonly maxBytes: number },
): Promise<number | undefined> {
  const oldest = await session.read((db) =>
    db
      .selectFrom("onym_audit")
      .select(["at", sql<number>`octet_length(body)`.as("bytes")])
      .orderBy("at")
      .limit(2 * SLICE)
      .execute(),
  );
  if (oldest.length > SLICE) return cutAfter(oldest.slice(0, oldest.length - SLICE + 1), excess);
  // Few rows can be large. What else is in the file does not count against them.
  const own = oldest.reduce((sum, row) => sum + row.bytes, 0);
  return own <= maxBytes ? undefined : cutAfter(oldest, own - maxBytes * SHRUNK);
}

/** Where the rows before it take at least so many bytes; the last one stays. */
function cutAfter(
  rows: readonly { readonly at: number; readonly bytes: number }[],
  excess: number,
): number | undefined {
  let sum = 0;
  const end = rows.findIndex((row) => {
    sum += row.bytes;
    return sum >= excess;
  });
  const next = end === -1 ? rows.length - 1 : Math.min(end + 1, rows.length - 1);
  const [first] = rows;
  // Rows of one moment go together.
  return rows.slice(next).find(({ at }) => at > (first?.at ?? at))?.at;
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
