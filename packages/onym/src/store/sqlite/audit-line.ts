// The audit's own connection to the file. Its commits are made on the spot, in a few prepared statements, and do not wait
// for the disk: they are with the operating system, where a killed process leaves them, and reach the disk soon after.

import { buildAuditRows, type ChainLink, FIRST_HASH } from "../audit-chain.js";
import type { Engine } from "../engine.js";
import type { AuditRow } from "../tables.js";
import type { LogKeeper } from "./keep-log.js";
import { type LibsqlDatabase, type LibsqlStatement, openLibsql } from "./libsql.js";

export interface AuditLine {
  readonly append: NonNullable<Engine["appendAudit"]>;
  readonly close: () => Promise<void>;
}

export interface AuditLineOptions {
  readonly path: string;
  /** Throws where nothing may be written now. */
  readonly checkWritable: () => void;
  readonly keeper: LogKeeper;
}

interface Line {
  readonly db: LibsqlDatabase;
  readonly begin: LibsqlStatement;
  readonly commit: LibsqlStatement;
  readonly rollback: LibsqlStatement;
  readonly readHead: LibsqlStatement;
  readonly beginChain: LibsqlStatement;
  readonly moveHead: LibsqlStatement;
  /** By how many rows each takes, the most first. */
  readonly inserts: readonly (readonly [number, LibsqlStatement])[];
}

/** A round of calls goes in with few statements, whatever their number. */
const ROWS_AT_ONCE = [32, 8, 1];

/** Opened with the first append. */
export function createAuditLine({ path, checkWritable, keeper }: AuditLineOptions): AuditLine {
  let opening: Promise<Line> | undefined;
  /** One commit a turn: who appends without end must not keep everybody else from theirs. */
  let turn: Promise<void> | undefined;
  const endTurn = (resolve: () => void): void => {
    turn = undefined;
    resolve();
  };
  const drop = (line: Line): void => {
    line.db.close();
    opening = undefined;
  };
  return {
    async append(chain, records) {
      opening ??= openLine(path);
      const line = await opening.catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      while (turn !== undefined) await turn;
      turn = new Promise((resolve) => setImmediate(endTurn, resolve));
      checkWritable();
      line.begin.run([]);
      try {
        insertRows(line, chain, buildAuditRows(readHead(line, chain), records));
        line.commit.run([]);
      } catch (error) {
        rollBack(line, drop);
        throw error;
      }
      keeper.due();
    },
    close: async () => opening?.then(drop, () => {}),
  };
}

async function openLine(path: string): Promise<Line> {
  // Who waits here holds up everything: who finds the file busy tries again later.
  const db = openLibsql(path, "rw", 0);
  try {
    await db.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;");
    return {
      db,
      begin: await db.prepare("begin immediate"),
      commit: await db.prepare("commit"),
      rollback: await db.prepare("rollback"),
      readHead: await db.prepare("select head_seq, head_hash from onym_chains where chain = ?"),
      beginChain: await db.prepare(
        "insert into onym_chains (chain, anchor_seq, anchor_hash, head_seq, head_hash) values (?1, 0, ?2, 0, ?2)",
      ),
      moveHead: await db.prepare("update onym_chains set head_seq = ?2, head_hash = ?3 where chain = ?1"),
      inserts: await Promise.all(
        ROWS_AT_ONCE.map(async (rows) => [rows, await db.prepare(insertOf(rows))] as const),
      ),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function insertOf(rows: number): string {
  const values = Array.from({ length: rows }, (_, row) => {
    const [seq, at, hash, body] = [2, 3, 4, 5].map((column) => `?${column + 4 * row}`);
    return `(?1, ${seq}, ${at}, ${hash}, ${body})`;
  });
  return `insert into onym_audit (chain, seq, at, hash, body) values ${values.join(", ")}`;
}

/** Read each time: after a failure nobody knows whether the last commit was made. */
function readHead({ readHead, beginChain }: Line, chain: string): ChainLink {
  const row = readHead.get([chain]) as { readonly head_seq: number; readonly head_hash: string } | undefined;
  if (row !== undefined) return { chain, seq: row.head_seq, hash: row.head_hash };
  beginChain.run([chain, FIRST_HASH]);
  return { chain, seq: 0, hash: FIRST_HASH };
}

function insertRows({ inserts, moveHead }: Line, chain: string, rows: readonly AuditRow[]): void {
  let done = 0;
  for (const [count, insert] of inserts) {
    for (; rows.length - done >= count; done += count) {
      const values: unknown[] = [chain];
      for (const { seq, at, hash, body } of rows.slice(done, done + count)) values.push(seq, at, hash, body);
      insert.run(values);
    }
  }
  const last = rows.at(-1);
  moveHead.run([chain, last?.seq, last?.hash]);
}

/** A full disk ends the transaction by itself. A connection that cannot roll back is given up: that rolls back too. */
function rollBack(line: Line, drop: (line: Line) => void): void {
  try {
    if (line.db.inTransaction) line.rollback.run([]);
  } catch {
    drop(line);
  }
}
