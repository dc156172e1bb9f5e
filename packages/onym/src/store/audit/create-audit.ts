// Records of calls in the store: appended to this process's chain in one commit, read in order, pruned to an anchor.

import { sql, type Transaction } from "kysely";
import type { AuditAnchor } from "../../audit/audit-anchor.js";
import {
  type AuditRow,
  buildAuditRows,
  type ChainLink,
  FIRST_HASH,
  joinBodies,
  type Sealer,
} from "../../audit/audit-chain.js";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Engine, EngineKind } from "../engine.js";
import type { ChainRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { AuditStore } from "../store.js";
import { storeCorrupt, storeUnavailable } from "../store-errors.js";
import { readAudit, readRow } from "./read-audit.js";
import { verifyAudit } from "./verify-audit.js";

export interface AuditOptions {
  readonly session: StoreSession;
  readonly engine: Pick<Engine, "appendAudit" | "auditBytes">;
  /** This process's own: no other process writes to it. */
  readonly chain: string;
  /** Without a key, chains are neither sealed nor held against seals. */
  readonly sealer: Sealer | undefined;
  readonly anchor: AuditAnchor | undefined;
}

export function createAudit({ session, engine, chain, sealer, anchor }: AuditOptions): AuditStore {
  const { appendAudit } = engine;
  const bytes = (): Promise<number> => session.read(engine.auditBytes);
  const prune = (before: number): Promise<number> =>
    session.write(async (tx) => {
      const chains = await tx.selectFrom("onym_chains").select("chain").orderBy("chain").execute();
      let removed = 0;
      for (const { chain } of chains) removed += await pruneChain(tx, { session, chain, before, sealer });
      return removed;
    });
  return {
    async append(records) {
      if (records.length === 0) return;
      const head = await (appendAudit === undefined
        ? session.write((tx) => append(tx, { session, chain, records, sealer }))
        : session.commit(() => appendAudit(chain, records)));
      if (head !== undefined) anchor?.due(head);
    },
    read: (filter) => session.read((db) => readAudit(db, session.place, filter)),
    verify: async () => verifyAudit(session, { sealer, outside: await anchor?.read() }),
    prune,
    bytes,
    async shrink(maxBytes) {
      if ((await bytes()) <= maxBytes) return 0;
      let removed = 0;
      while ((await bytes()) > maxBytes * SHRUNK) {
        const before = await findOldest(session);
        const some = before === undefined ? 0 : await prune(before);
        // The clock went back once: what is left of the oldest time lies behind something newer.
        if (some === 0) break;
        removed += some;
      }
      return removed;
    },
  };
}

/** So that it is not shrunk again at once. */
const SHRUNK = 0.9;
/** Rows that go in one commit. Calls wait for it: some milliseconds. */
const SLICE = 500;

/** The time up to which the oldest rows go; `undefined` where there are no more than are kept in any case. */
async function findOldest(session: StoreSession): Promise<number | undefined> {
  const row = await session.read((db) =>
    db.selectFrom("onym_audit").select("at").orderBy("at").offset(SLICE).limit(1).executeTakeFirst(),
  );
  return row?.at;
}

interface Appended extends Pick<AuditOptions, "session" | "chain" | "sealer"> {
  readonly records: readonly AuditRecord[];
}

async function append(
  tx: Transaction<Tables>,
  { session, chain, records, sealer }: Appended,
): Promise<ChainLink | undefined> {
  const head = (await lockChain(tx, session, chain)) ?? (await beginChain(tx, session, chain));
  const rows = buildAuditRows({ chain, seq: head.head_seq, hash: head.head_hash }, records);
  for (const part of partsOf(rows)) await insertRows(tx, session.kind, part);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const end = { chain, seq: last.seq, hash: last.hash };
  await tx
    .updateTable("onym_chains")
    .set({ head_seq: end.seq, head_hash: end.hash, head_seal: sealer?.head(end) ?? null })
    .where("chain", "=", chain)
    .execute();
  return end;
}

/** More in one text than this is hard on memory: arguments may be kept with each record. */
const PART_CHARACTERS = 8_000_000;

function partsOf(rows: readonly AuditRow[]): readonly (readonly AuditRow[])[] {
  const parts: AuditRow[][] = [];
  let room = 0;
  for (const row of rows) {
    if (row.body.length > room) {
      parts.push([]);
      room = PART_CHARACTERS;
    }
    parts.at(-1)?.push(row);
    room -= row.body.length;
  }
  return parts;
}

/** As one value, so that it is the same statement for any number of rows and is prepared once. */
async function insertRows(
  tx: Transaction<Tables>,
  kind: EngineKind,
  rows: readonly AuditRow[],
): Promise<void> {
  const values = JSON.stringify(rows);
  const from =
    kind === "postgres"
      ? sql`select chain, seq, at, hash, body from json_to_recordset(${values}::json)
          as row(chain text, seq bigint, at double precision, hash text, body text)`
      : sql`select value ->> 'chain', value ->> 'seq', value ->> 'at', value ->> 'hash', value ->> 'body'
          from json_each(${values})`;
  await sql`insert into onym_audit (chain, seq, at, hash, body) ${from}`.execute(tx);
}

/** Read from the store each time: after a lost connection nobody knows whether the last commit arrived. */
function lockChain(
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

/** Two first appends at once are possible; the second waits for the first and goes on from there. */
async function beginChain(tx: Transaction<Tables>, session: StoreSession, chain: string): Promise<ChainRow> {
  const ends = { anchor_seq: 0, anchor_hash: FIRST_HASH, head_seq: 0, head_hash: FIRST_HASH };
  const row = { chain, ...ends, head_seal: null, anchor_seal: null };
  await tx
    .insertInto("onym_chains")
    .values(row)
    .onConflict((on) => on.doNothing())
    .execute();
  return (await lockChain(tx, session, chain)) ?? row;
}

interface Pruned extends Pick<AuditOptions, "session" | "chain" | "sealer"> {
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
  await tx
    .updateTable("onym_chains")
    .set({ anchor_seq: anchor.seq, anchor_hash: anchor.hash, anchor_seal: sealer?.anchor(anchor) ?? null })
    .where("chain", "=", chain)
    .execute();
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
