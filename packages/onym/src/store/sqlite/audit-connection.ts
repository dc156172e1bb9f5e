// The audit's own connection to the file. Its commits are made on the spot, mostly by a single statement, and do not wait
// for the disk: they are with the operating system, where a killed process leaves them, and reach the disk soon after.

import { type AuditRow, buildAuditRows, type ChainLink, FIRST_HASH } from "../../audit/audit-chain.js";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Sealer } from "../../audit/audit-seal.js";
import type { Engine } from "../engine.js";
import type { LogKeeper } from "./keep-log.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";
import type { WriteQueue } from "./write-queue.js";

export interface AuditConnection {
  readonly append: NonNullable<Engine["appendAudit"]>;
  readonly close: () => Promise<void>;
}

export interface AuditConnectionOptions {
  readonly path: string;
  /** Throws where nothing may be written now. */
  readonly checkWritable: () => void;
  readonly turns: WriteQueue;
  readonly keeper: LogKeeper;
  /** Without a key, chains are not sealed. */
  readonly sealer: Sealer | undefined;
}

interface Line {
  readonly db: LibsqlDatabase;
  readonly readHead: LibsqlStatement;
  readonly beginChain: LibsqlStatement;
  readonly begin: LibsqlStatement;
  readonly commit: LibsqlStatement;
  readonly rollback: LibsqlStatement;
  readonly insert: LibsqlStatement;
  readonly sealer: Sealer | undefined;
}

/** Who removes the file takes all that is in it; what is written within this time more or less is not the matter. */
const CHECKED_MS = 10;

/** Opened with the first append. */
export function createAuditConnection(options: AuditConnectionOptions): AuditConnection {
  const { path, checkWritable, turns, keeper, sealer } = options;
  let opening: Promise<Line> | undefined;
  /** Where the chain ends, unless a commit failed: then nobody knows whether it was made. */
  let head: ChainLink | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const drop = (line: Line): void => {
    line.db.close();
    opening = undefined;
  };
  const check = (): void => {
    if (performance.now() - checkedAt < CHECKED_MS) return;
    checkWritable();
    checkedAt = performance.now();
  };
  return {
    async append(chain, records) {
      opening ??= openLine(path, sealer);
      const line = await opening.catch((error: unknown) => {
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
        head = insertAfter(line, before, chain, records);
      } catch (error) {
        rollBack(line, drop);
        throw error;
      }
      keeper.due();
      return head;
    },
    close: async () => opening?.then(drop, () => {}),
  };
}

async function openLine(path: string, sealer: Sealer | undefined): Promise<Line> {
  // Who waits here holds up everything: who finds the file busy tries again later.
  const db = openLibsql(path, "rw", 0);
  try {
    await db.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;");
    // For this connection alone: so that rows and head are one statement, and thereby one commit.
    await db.exec(
      `create temp view onym_append as select chain, seq, at, hash, body, '' as head_seal from main.onym_audit;
      create temp trigger onym_head instead of insert on onym_append begin
        insert into onym_audit (chain, seq, at, hash, body) values (new.chain, new.seq, new.at, new.hash, new.body);
        update onym_chains set head_seq = new.seq, head_hash = new.hash, head_seal = new.head_seal
          where chain = new.chain;
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

function readHead({ readHead, beginChain }: Line, chain: string): ChainLink {
  const row = readHead.get([chain]) as { readonly head_seq: number; readonly head_hash: string } | undefined;
  if (row !== undefined) return { chain, seq: row.head_seq, hash: row.head_hash };
  beginChain.run([chain, FIRST_HASH]);
  return { chain, seq: 0, hash: FIRST_HASH };
}

/** Where the chain ends afterwards. Usually it is one row, and its statement by itself is a transaction. */
function insertAfter(
  line: Line,
  before: ChainLink | undefined,
  chain: string,
  records: readonly AuditRecord[],
): ChainLink | undefined {
  const rows = before?.chain === chain ? buildAuditRows(before, records) : undefined;
  if (rows?.length === 1) return insertRows(line, rows);
  line.begin.run([]);
  const end = insertRows(line, rows ?? buildAuditRows(readHead(line, chain), records));
  line.commit.run([]);
  return end;
}

/** Returns the last, without what is in it, which may be large. */
function insertRows({ insert, sealer }: Line, rows: readonly AuditRow[]): ChainLink | undefined {
  let end: ChainLink | undefined;
  for (const { chain, seq, at, hash, body } of rows) {
    end = { chain, seq, hash };
    insert.run([chain, seq, at, hash, body, sealer?.head(end) ?? null]);
  }
  return end;
}

/** A full disk ends the transaction by itself. A connection that cannot roll back is given up: that rolls back too. */
function rollBack(line: Line, drop: (line: Line) => void): void {
  try {
    if (line.db.inTransaction) line.rollback.run([]);
  } catch {
    drop(line);
  }
}
