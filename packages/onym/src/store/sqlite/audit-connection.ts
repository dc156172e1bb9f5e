// The audit's own connection to the file. Its commits are made on the spot, mostly by a single statement, and do not wait
// for the disk: they are with the operating system, where a killed process leaves them, and reach the disk soon after.
// Below it: who may write when and whether at all, and how commits reach the disk.

import { type BigIntStats, statSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type AuditRow,
  buildAuditRows,
  type ChainLink,
  FIRST_HASH,
  type Sealer,
} from "../../audit/audit-chain.js";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Log } from "../../model/log.js";
import { errorCode, type OnymError } from "../../model/onym-error.js";
import type { Engine } from "../engine.js";
import { storeUnavailable } from "../store-errors.js";
import { checkSchemaObjects } from "./check-file.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";

export interface AuditConnection {
  readonly append: NonNullable<Engine["appendAudit"]>;
  readonly close: () => Promise<void>;
}

export interface AuditConnectionOptions {
  readonly path: string;
  readonly place: string;
  /** Throws where nothing may be written now. */
  readonly checkWritable: () => void;
  readonly turns: WriteQueue;
  readonly keeper: LogKeeper;
  /** Without a key, chains are not sealed. */
  readonly sealer: Sealer | undefined;
}

interface AuditDatabase {
  readonly db: LibsqlDatabase;
  readonly readHead: LibsqlStatement;
  readonly beginChain: LibsqlStatement;
  readonly begin: LibsqlStatement;
  readonly commit: LibsqlStatement;
  readonly rollback: LibsqlStatement;
  readonly insert: LibsqlStatement;
  readonly sealer: Sealer | undefined;
}

/** How often to check that the file is still the same. Removing it loses all its records: a few ms of them more do not matter. */
const CHECK_INTERVAL_MS = 10;

/** Opened with the first append. */
export function createAuditConnection(options: AuditConnectionOptions): AuditConnection {
  const { path, place, checkWritable, turns, keeper, sealer } = options;
  let opening: Promise<AuditDatabase> | undefined;
  /** Where the chain ends, unless a commit failed: then nobody knows whether it was made. */
  let head: ChainLink | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const drop = (database: AuditDatabase): void => {
    database.db.close();
    opening = undefined;
  };
  const check = (): void => {
    if (performance.now() - checkedAt < CHECK_INTERVAL_MS) return;
    checkWritable();
    checkedAt = performance.now();
  };
  return {
    async append(chain, records) {
      opening ??= openAuditDatabase(path, sealer);
      const database = await opening.catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      await turns.take();
      // One commit in a round of the event loop: who appends without end must not keep everybody else waiting.
      setImmediate(turns.end);
      check();
      const before = head;
      head = undefined;
      try {
        head = insertAfter(database, before, chain, records);
      } catch (error) {
        rollBack(database, drop);
        if (errorCode(error) === "SQLITE_CONSTRAINT_TRIGGER") await checkSchemaObjects(database.db, place);
        throw error;
      }
      keeper.due();
      return head;
    },
    close: async () => opening?.then(drop, () => {}),
  };
}

async function openAuditDatabase(path: string, sealer: Sealer | undefined): Promise<AuditDatabase> {
  // A wait here blocks the whole process. Where the file is busy, the caller tries again later.
  const db = openLibsql(path, "rw", 0);
  try {
    await db.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;");
    // For this connection alone: so that rows and head are one statement, and thereby one commit. It fails
    // where the schema has triggers or views (check-file), and where something did not take hold.
    await db.exec(
      `create temp view onym_append as select chain, seq, at, hash, body, '' as head_seal from main.onym_audit;
      create temp trigger onym_head instead of insert on onym_append begin
        select raise(abort, 'the schema has more than tables and indexes')
          where exists (select 1 from main.sqlite_master where type not in ('table', 'index'));
        insert into onym_audit (chain, seq, at, hash, body) values (new.chain, new.seq, new.at, new.hash, new.body);
        select raise(abort, 'the record was not written') where changes() <> 1;
        update onym_chains set head_seq = new.seq, head_hash = new.hash, head_seal = new.head_seal
          where chain = new.chain;
        select raise(abort, 'the end of the chain was not written') where changes() <> 1;
      end`,
    );
    return {
      db,
      readHead: await db.prepare("select head_seq, head_hash from onym_chains where chain = ?"),
      beginChain: await db.prepare(
        "insert into onym_chains (chain, anchor_seq, anchor_hash, head_seq, head_hash) values (?1, 0, ?2, 0, ?2)",
      ),
      begin: await db.prepare("begin immediate"),
      commit: await db.prepare("commit"),
      rollback: await db.prepare("rollback"),
      insert: await db.prepare(
        "insert into onym_append (chain, seq, at, hash, body, head_seal) values (?, ?, ?, ?, ?, ?)",
      ),
      sealer,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function readOrBeginChain({ readHead, beginChain }: AuditDatabase, chain: string): ChainLink {
  const row = readHead.get([chain]) as { readonly head_seq: number; readonly head_hash: string } | undefined;
  if (row !== undefined) return { chain, seq: row.head_seq, hash: row.head_hash };
  beginChain.run([chain, FIRST_HASH]);
  return { chain, seq: 0, hash: FIRST_HASH };
}

/** Where the chain ends afterwards. Usually it is one row, and its statement by itself is a transaction. */
function insertAfter(
  database: AuditDatabase,
  before: ChainLink | undefined,
  chain: string,
  records: readonly AuditRecord[],
): ChainLink | undefined {
  const rows = before?.chain === chain ? buildAuditRows(before, records) : undefined;
  if (rows?.length === 1) return insertRows(database, rows);
  database.begin.run([]);
  const end = insertRows(database, rows ?? buildAuditRows(readOrBeginChain(database, chain), records));
  database.commit.run([]);
  return end;
}

/** Returns the last, without what is in it, which may be large. */
function insertRows({ insert, sealer }: AuditDatabase, rows: readonly AuditRow[]): ChainLink | undefined {
  let end: ChainLink | undefined;
  for (const { chain, seq, at, hash, body } of rows) {
    end = { chain, seq, hash };
    insert.run([chain, seq, at, hash, body, sealer?.head(end) ?? null]);
  }
  return end;
}

/** A full disk ends the transaction by itself. A connection that cannot roll back is given up: that rolls back too. */
function rollBack(database: AuditDatabase, drop: (database: AuditDatabase) => void): void {
  try {
    if (database.db.inTransaction) database.rollback.run([]);
  } catch {
    drop(database);
  }
}

// Which connection of this process may write to the file: one at a time, in the order asked. SQLite itself lets one write
// at a time, too, but those who find it busy try again in no order, and one might never get its turn.

export interface WriteQueue {
  /** `undefined` where it is one's turn at once. Every turn that is taken must be ended. */
  readonly take: () => Promise<void> | undefined;
  readonly end: () => void;
}

export function createWriteQueue(): WriteQueue {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return undefined;
    },
    end() {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
}

/** Throws where another file is in its place: that is another store, and nothing may be written to it. */
export function createSameCheck(path: string, stats: BigIntStats, place: string): () => void {
  return () => {
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (there?.ino !== stats.ino || there.dev !== stats.dev)
      throw storeUnavailable(place, "its file was removed or replaced while it was in use");
  };
}

// How much room the disk of the file has left. New work is refused while there is still room for the records of what runs:
// on a disk that is full to the last byte, outcomes would be lost.

/** As much as thousands of outcomes take, and what SQLite needs to make room again. */
export const RESERVE_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 1_000;

export interface RoomOptions {
  readonly path: string;
  readonly place: string;
  readonly now?: () => number;
  /** Bytes that this user may still write. */
  readonly measure?: (folder: string) => Promise<number>;
}

export interface RoomWatch {
  /** Why nothing new may begin. */
  readonly problem: () => OnymError | undefined;
  /** From now on nothing may, for this reason. */
  readonly end: (reason: OnymError) => void;
}

/** Goes by the last look and looks again in the background: nobody waits for it. */
export function watchRoom({
  path,
  place,
  now = () => performance.now(),
  measure = freeBytes,
}: RoomOptions): RoomWatch {
  let left = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let ended: OnymError | undefined;
  const look = async (): Promise<void> => {
    // Where it cannot be measured, writing finds out.
    left = await measure(dirname(path)).catch(() => Number.POSITIVE_INFINITY);
  };
  const problem = (): OnymError | undefined => {
    if (ended !== undefined) return ended;
    if (now() - lookedAt >= LOOK_MS) {
      lookedAt = now();
      void look();
    }
    if (left >= RESERVE_BYTES) return undefined;
    return storeUnavailable(
      place,
      `its disk has ${Math.floor(left / 1024)} KiB left, and ${RESERVE_BYTES / 1024 / 1024} MiB are kept for the records of calls that run`,
    );
  };
  return {
    problem,
    end(reason) {
      ended = reason;
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

// Brings what was committed without waiting for the disk to the disk, soon after and away from the main thread; and from
// the log into the file, so that the log stays short.

export interface LogKeeper {
  /** Something was committed. */
  readonly due: () => void;
  /** Resolves when all that was committed is on the disk. */
  readonly close: () => Promise<void>;
}

const CHECKPOINT_DELAY_MS = 100;
/** Pages. While others go on writing, the log only ever begins anew when they are made to wait for it. */
const MAX_WAL_PAGES = 4_000;

export interface KeepLogOptions {
  readonly path: string;
  readonly turns: WriteQueue;
  readonly log: Log;
}

/** Does not keep a process alive. */
export function keepLog({ path, turns, log }: KeepLogOptions): LogKeeper {
  let db: LibsqlDatabase | undefined;
  let timer: NodeJS.Timeout | undefined;
  let keeping: Promise<void> = Promise.resolve();
  let hasLogged = false;

  const keep = async (): Promise<void> => {
    try {
      await flush(`${path}-wal`);
      db ??= openLibsql(path, "rw");
      if ((await checkpoint(db, "PASSIVE")) > MAX_WAL_PAGES) await restart(db);
      hasLogged = false;
    } catch (error) {
      if (!hasLogged)
        log("error", "the last audit records are not on the disk yet", { error: String(error) });
      hasLogged = true;
      due();
    }
  };
  const restart = async (db: LibsqlDatabase): Promise<void> => {
    await turns.take();
    try {
      await checkpoint(db, "RESTART");
    } finally {
      turns.end();
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    keeping = keeping.then(keep);
  };
  const due = (): void => {
    timer ??= setTimeout(start, CHECKPOINT_DELAY_MS).unref();
  };
  return {
    due,
    async close() {
      if (timer !== undefined) start();
      await keeping;
      // What failed is not tried again.
      clearTimeout(timer);
      db?.close();
    },
  };
}

/** By other means than SQLite's: the log, unlike the file, carries no locks, and readers do not keep this from happening. */
async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** As far as readers allow it. Returns the length of the log in pages. */
async function checkpoint(db: LibsqlDatabase, mode: "PASSIVE" | "RESTART"): Promise<number> {
  const statement: LibsqlStatement = await db.prepare(`PRAGMA wal_checkpoint(${mode})`);
  const [row] = (await statement.all([])) as readonly { readonly log: number }[];
  return row?.log ?? 0;
}
