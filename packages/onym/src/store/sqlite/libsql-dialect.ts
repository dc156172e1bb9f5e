// How the shared queries reach libsql: one connection, one user at a time, commits off the main thread.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import type { WriteQueue } from "./audit-connection.js";
import { checkSchemaObjects } from "./check-file.js";
import type { LibsqlDatabase, LibsqlStatement } from "./libsql.js";

export interface LibsqlDialectOptions {
  readonly open: () => Promise<LibsqlDatabase>;
  readonly place: string;
  /** Throws where nothing may be written now. */
  readonly checkWritable: () => void;
  readonly turns: WriteQueue;
}

export function createLibsqlDialect(options: LibsqlDialectOptions): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

interface LibsqlConnection extends DatabaseConnection {
  readonly db: LibsqlDatabase;
}

function createDriver({ open, place, checkWritable, turns }: LibsqlDialectOptions): Driver {
  let connection: LibsqlConnection | undefined;
  let isWriting = false;
  let turn: Promise<void> = Promise.resolve();
  let endTurn = (): void => {};
  const current = (): LibsqlDatabase => {
    if (connection === undefined) throw new Error("the connection is not open");
    return connection.db;
  };
  const drop = (): void => {
    connection?.db.close();
    connection = undefined;
  };
  const rollBack = async (): Promise<void> => {
    // A full disk ends the transaction by itself. A connection that cannot roll back is given up: that rolls back too.
    try {
      if (current().inTransaction) await current().exec("rollback");
    } catch {
      drop();
    }
  };
  return {
    init: async () => {},
    async acquireConnection() {
      const before = turn;
      let end = (): void => {};
      turn = new Promise((resolve) => {
        end = resolve;
      });
      await before;
      endTurn = end;
      try {
        connection ??= createConnection(await open());
        return connection;
      } catch (error) {
        end();
        throw error;
      }
    },
    async beginTransaction(_, { accessMode }: TransactionSettings) {
      if (accessMode === "read only") return current().exec("begin");
      await turns.take();
      isWriting = true;
      checkWritable();
      await current().exec("begin immediate");
      // Within the transaction: from here on, nobody else can change the schema.
      try {
        await checkSchemaObjects(current(), place);
      } catch (error) {
        await rollBack();
        throw error;
      }
    },
    commitTransaction: () => current().exec("commit"),
    rollbackTransaction: rollBack,
    async releaseConnection() {
      if (isWriting) turns.end();
      isWriting = false;
      endTurn();
    },
    destroy: async () => drop(),
  };
}

/** Statements with as many texts as there are batch sizes are not worth keeping beyond this. */
const KEPT_STATEMENTS = 200;

function createConnection(db: LibsqlDatabase): LibsqlConnection {
  const kept = new Map<string, LibsqlStatement>();
  const prepare = async (sql: string): Promise<LibsqlStatement> => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = await db.prepare(sql);
    if (kept.size >= KEPT_STATEMENTS) kept.clear();
    kept.set(sql, statement);
    return statement;
  };
  return {
    db,
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const statement = await prepare(sql);
      if (statement.reader) return { rows: (await statement.all(parameters)) as Row[] };
      const { changes } = statement.run(parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    // biome-ignore lint/correctness/useYield: the interface wants a generator; nobody streams.
    async *streamQuery() {
      throw new Error("not supported");
    },
  };
}
