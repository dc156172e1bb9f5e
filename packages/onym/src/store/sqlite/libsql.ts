// The one door to libsql: its promise interface, because a commit waits for the disk and must not hold up everything
// else, with the types that the package lacks.

import { pathToFileURL } from "node:url";
import Libsql from "libsql/promise";

export interface LibsqlStatement {
  readonly reader: boolean;
  readonly all: (parameters: readonly unknown[]) => Promise<readonly unknown[]>;
  /** The first row; at once, as `run` is. */
  readonly get: (parameters: readonly unknown[]) => unknown;
  readonly run: (parameters: readonly unknown[]) => { readonly changes: number | bigint };
}

export interface LibsqlDatabase {
  readonly inTransaction: boolean;
  readonly prepare: (sql: string) => Promise<LibsqlStatement>;
  readonly exec: (sql: string) => Promise<void>;
  readonly close: () => void;
}

/** Short, because it occupies a thread; who finds the file busy tries again later. */
const BUSY_MS = 2;

/** `rw` and `ro` never create a file. */
export function openLibsql(path: string, mode: "rw" | "ro" | "rwc", busyMs = BUSY_MS): LibsqlDatabase {
  const name = path === ":memory:" ? path : `${pathToFileURL(path).href}?mode=${mode}`;
  return new Libsql(name, { timeout: busyMs }) as unknown as LibsqlDatabase;
}

export async function readPragma(db: LibsqlDatabase, pragma: string): Promise<readonly unknown[]> {
  const statement = await db.prepare(`PRAGMA ${pragma}`);
  const rows = await statement.all([]);
  return rows.map((row) => (typeof row === "object" && row !== null ? Object.values(row)[0] : undefined));
}
