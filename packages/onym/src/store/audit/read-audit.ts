// Audit records in the order of their time, out of rows that hold several each.

import { escapeText } from "@onym/core";
import type { Kysely, Transaction } from "kysely";
import { type AuditRow, parseRecord, ROW_MS, type SoundRecord, splitRow } from "../../audit/audit-chain.js";
import type { StoredAuditRecord } from "../../audit/audit-record.js";
import type { ChainRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { AuditFilter } from "../store.js";
import { storeCorrupt } from "../store-errors.js";

type Position = NonNullable<AuditFilter["after"]>;

const READ_LIMIT = 1000;
/** Rows: for few records a few, then more and more. */
const FEW = 8;
const MANY = 512;

export async function readAudit(
  db: Kysely<Tables>,
  place: string,
  filter: AuditFilter,
): Promise<readonly StoredAuditRecord[]> {
  const { after, limit = READ_LIMIT, last = false } = filter;
  const found: StoredAuditRecord[] = [];
  let seen: AuditRow | undefined;
  for (let max = FEW; ; max = Math.min(2 * max, MANY)) {
    const rows = await readRows(db, filter, { beyond: seen, max });
    for (const record of rows.flatMap((row) => readRow(row, place)).map(parseRecord))
      if (after === undefined || compare(record, after) > 0) found.push(record);
    seen = rows.at(-1);
    if (seen === undefined || rows.length < max) break;
    // What rows to come may hold lies on the other side of this moment.
    const edge = last ? seen.at : seen.at - ROW_MS;
    if (found.filter(({ at }) => (last ? at > edge : at < edge)).length >= limit) break;
  }
  found.sort(compare);
  return last ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit);
}

function compare(a: Position, b: Position): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1;
  return a.seq - b.seq;
}

/** The place of a row is that of its last record, before which the others are. */
async function readRows(
  db: Kysely<Tables>,
  { chain, after, last = false }: AuditFilter,
  { beyond, max }: { readonly beyond: Position | undefined; readonly max: number },
): Promise<readonly AuditRow[]> {
  let query = db.selectFrom("onym_audit").selectAll();
  if (chain !== undefined) query = query.where("chain", "=", chain);
  const bounds: readonly (readonly [">" | "<", Position | undefined])[] = last
    ? [
        [">", after],
        ["<", beyond],
      ]
    : [[">", beyond ?? after]];
  for (const [side, bound] of bounds) {
    if (bound === undefined) continue;
    const { at, chain, seq } = bound;
    query = query.where((eb) =>
      eb.or([
        eb("at", side, at),
        eb.and([eb("at", "=", at), eb("chain", side, chain)]),
        eb.and([eb("at", "=", at), eb("chain", "=", chain), eb("seq", side, seq)]),
      ]),
    );
  }
  const order = last ? "desc" : "asc";
  return query.orderBy("at", order).orderBy("chain", order).orderBy("seq", order).limit(max).execute();
}

/** The records of a row, parsed. */
export function readRow(row: AuditRow, place: string): readonly SoundRecord[] {
  return splitRow(row).map((record) => {
    const { seq, content } = record;
    if (content !== undefined) return { ...record, content };
    throw storeCorrupt(place, `the audit record ${seq} of ${escapeText(row.chain)} was altered`);
  });
}

/** Read from the store each time: after a lost connection nobody knows whether the last commit arrived. */
export function lockChain(
  tx: Transaction<Tables>,
  session: StoreSession,
  chain: string,
): Promise<ChainRow | undefined> {
  return tx
    .selectFrom("onym_chains")
    .selectAll()
    .where("chain", "=", chain)
    .$if(session.kind === "postgres", (query) => query.forUpdate())
    .executeTakeFirst();
}
