// Records of calls in the store: appended to this process's chain, those that come together in one commit. A while later the end
// of the chain is written to its second place.

import { sql, type Transaction } from "kysely";
import type { AuditAnchor } from "../../audit/audit-anchor.js";
import {
  type AuditRow,
  buildAuditRows,
  type ChainLink,
  FIRST_HASH,
  type Sealer,
} from "../../audit/audit-chain.js";
import type { AuditRecord } from "../../audit/audit-record.js";
import { OnymError } from "../../model/onym-error.js";
import type { Engine } from "../engine.js";
import type { ChainRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { AuditStore, AuditWriter } from "../store.js";
import { checkWritten } from "../store-errors.js";
import { pruneAudit, shrinkAudit } from "./prune-audit.js";
import { lockChain, readAudit } from "./read-audit.js";
import { verifyAudit } from "./verify-audit.js";

export interface AuditOptions {
  readonly session: StoreSession;
  readonly engine: Pick<Engine, "appendAudit" | "auditBytes" | "room">;
  /** This process's own: no other process writes to it. */
  readonly chain: string;
  /** Without a key, chains are neither sealed nor held against seals. */
  readonly sealer: Sealer | undefined;
  readonly anchor: AuditAnchor | undefined;
  /** Writes to the anchor. */
  readonly heads: HeadWriter | undefined;
}

export function createAudit({ session, engine, chain, sealer, anchor, heads }: AuditOptions): AuditStore {
  const { appendAudit } = engine;
  const bytes = (): Promise<number> => session.read(engine.auditBytes);
  const audit: AuditStore = {
    async append(records) {
      if (records.length === 0) return;
      const head = await (appendAudit === undefined
        ? session.write((tx) => append(tx, { session, chain, records, sealer }))
        : session.commit(() => appendAudit(chain, records)));
      if (head !== undefined) heads?.due(head);
    },
    createWriter: () => createAuditWriter(audit, { room: engine.room }),
    read: (filter) => session.read((db) => readAudit(db, session.place, filter)),
    verify: async () => verifyAudit(session, { sealer, outside: await anchor?.read() }),
    prune: (before) => pruneAudit(before, { session, sealer }),
    async acceptLoss(chains) {
      const { heads = [] } = (await anchor?.read()) ?? {};
      await anchor?.accept(heads.filter((head) => chains.includes(head.chain)));
    },
    bytes,
    shrink: (maxBytes) => shrinkAudit({ session, sealer, maxBytes, bytes }),
  };
  return audit;
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
  for (const part of partsOf(rows)) await insertRows(tx, session, part);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const end = { chain, seq: last.seq, hash: last.hash };
  const { numUpdatedRows } = await tx
    .updateTable("onym_chains")
    .set({ head_seq: end.seq, head_hash: end.hash, head_seal: sealer?.head(end) ?? null })
    .where("chain", "=", chain)
    .executeTakeFirst();
  checkWritten(session.place, numUpdatedRows, { what: "the end of the audit's chain" });
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
  { kind, place }: StoreSession,
  rows: readonly AuditRow[],
): Promise<void> {
  const values = JSON.stringify(rows);
  const from =
    kind === "postgres"
      ? sql`select chain, seq, at, hash, body from json_to_recordset(${values}::json)
          as row(chain text, seq bigint, at double precision, hash text, body text)`
      : sql`select value ->> 'chain', value ->> 'seq', value ->> 'at', value ->> 'hash', value ->> 'body'
          from json_each(${values})`;
  const { numAffectedRows } = await sql`insert into onym_audit (chain, seq, at, hash, body) ${from}`.execute(
    tx,
  );
  checkWritten(place, numAffectedRows, { what: "an audit record", expected: rows.length });
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

// The end of the chain in its second place: written now and then, as that takes longer than a commit.

interface HeadWriter {
  /** The chain ends here now. Cheap: it is written later. */
  readonly due: (head: ChainLink) => void;
  /** Writes the last one. Call it after the store has flushed to disk. */
  readonly close: () => Promise<void>;
}

/**
 * A head is written after this delay: its record is on disk by then, so that a power cut leaves no head
 * without its record.
 */
const HEAD_DELAY_MS = 10_000;

/** Does not keep a process alive. */
export function createHeadWriter(anchor: Pick<AuditAnchor, "write">): HeadWriter {
  let last: ChainLink | undefined;
  let written: ChainLink | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (head: ChainLink): Promise<void> => {
    if (await anchor.write(head)) written = head;
  };
  const start = (head: ChainLink): void => {
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(() => write(head));
      if (last !== undefined && last !== head) start(last);
    }, HEAD_DELAY_MS).unref();
  };
  return {
    due(head) {
      last = head;
      if (timer === undefined) start(head);
    },
    async close() {
      clearTimeout(timer);
      await writing;
      if (last !== undefined && last.seq !== written?.seq) await write(last);
    },
  };
}

// Group commit: records that arrive in one event loop turn, or during a commit, share the next commit and its cost (POL-4).

export interface AuditWriterOptions {
  /** Maximum waiting records; more are refused. */
  readonly queueLimit?: number;
  /** Maximum records per commit. */
  readonly batchLimit?: number;
  /**
   * Why no new work may start: then `record` refuses. `recordLater`, which records work already done, does not.
   */
  readonly room?: (() => OnymError | undefined) | undefined;
}

/** Records of one commit, and its result. */
interface Batch {
  readonly records: AuditRecord[];
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const FLUSH_DELAY_MS = 10;

export function createAuditWriter(
  audit: Pick<AuditStore, "append">,
  { queueLimit = 10_000, batchLimit = 500, room = () => undefined }: AuditWriterOptions = {},
): AuditWriter {
  const batches: Batch[] = [];
  let waiting = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeAll = async (): Promise<void> => {
    for (;;) {
      // Everything from this event loop turn joins the same commit.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = batches.shift();
      if (batch === undefined) break;
      waiting -= batch.records.length;
      try {
        await audit.append(batch.records);
        batch.resolve();
      } catch (error) {
        batch.reject(error);
      }
      if (batches.length === 0) break;
    }
    writing = undefined;
  };
  const write = (): void => {
    writing ??= writeAll();
  };
  const add = (record: AuditRecord): Promise<void> => {
    if (isClosed) return Promise.reject(refuse("it was closed"));
    if (waiting >= queueLimit)
      return Promise.reject(refuse(`${queueLimit} records are already waiting to be written`));
    waiting += 1;
    const last = batches.at(-1);
    if (last !== undefined && last.records.length < batchLimit) {
      last.records.push(record);
      return last.done;
    }
    const batch = createBatch(record);
    batches.push(batch);
    return batch.done;
  };
  const flush = (): void => {
    timer = undefined;
    if (waiting > 0) write();
  };

  return {
    record(record) {
      const full = room();
      if (full !== undefined) return Promise.reject(full);
      const done = add(record);
      write();
      return done;
    },
    recordLater(record) {
      timer ??= setTimeout(flush, FLUSH_DELAY_MS);
      return add(record);
    },
    waiting: () => waiting,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (waiting > 0) write();
      await writing;
    },
  };
}

function createBatch(first: AuditRecord): Batch {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const done = new Promise<void>((kept, failed) => {
    resolve = kept;
    reject = failed;
  });
  return { records: [first], done, resolve, reject };
}

function refuse(reason: string): OnymError {
  return new OnymError(
    "audit-unavailable",
    `The audit cannot take a record: ${reason}.`,
    "Nothing was recorded, so the call was not made. Try again; if it stays so, the store is too slow or gone.",
  );
}
