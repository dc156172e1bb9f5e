// Migrates a store to the schema this program knows. The first process does it, once; an unknown schema is refused.

import type { Kysely } from "kysely";
import type { Engine } from "../engine.js";
import type { StoreSession } from "../session.js";
import { storeCorrupt, storeNewer } from "../store-errors.js";
import { MIGRATIONS, type Migration } from "./migrations.js";
import type { Tables } from "./tables.js";

export interface MigrateOptions {
  readonly engine: Engine;
  readonly session: StoreSession;
  readonly now: () => number;
  readonly migrations?: readonly Migration[];
}

const TABLES = [
  "onym_state",
  "onym_spaces",
  "onym_profiles",
  "onym_names",
  "onym_tools",
  "onym_approvals",
  "onym_pending",
  "onym_known_servers",
  "onym_known_tools",
  "onym_chains",
  "onym_audit",
  "onym_usage",
  "onym_secrets",
] as const;

export async function migrateStore({
  engine,
  session,
  now,
  migrations = MIGRATIONS,
}: MigrateOptions): Promise<void> {
  const missing = await session.read((db) => findMissing(engine, db, migrations));
  if (missing.length > 0) {
    await session.write(async (tx) => {
      await engine.lockSchema(tx);
      const left = await findMissing(engine, tx, migrations);
      if (left.length === migrations.length) await createLedger(tx);
      for (const migration of left) {
        await migration.up(tx, engine.kind);
        const number = migrations.indexOf(migration) + 1;
        await tx
          .insertInto("onym_migrations")
          .values({ number, name: migration.name, applied_at: now() })
          .execute();
      }
    });
  }
  await session.read((db) => checkSchema(engine, db));
}

/**
 * The migrations that a store still lacks.
 *
 * @throws OnymError `store-newer` or `store-corrupt` where it has others than ours.
 */
export async function findMissing(
  engine: Pick<Engine, "listTables" | "place">,
  db: Kysely<Tables>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  const tables = await engine.listTables(db);
  if (!tables.has("onym_migrations")) {
    const [other] = tables;
    if (other === undefined) return migrations;
    throw storeCorrupt(engine.place, `it has the table ${other}, but no record of its schema`);
  }
  const applied = await db
    .selectFrom("onym_migrations")
    .select(["number", "name"])
    .orderBy("number")
    .execute();
  if (applied.length === 0) throw storeCorrupt(engine.place, "the record of its schema is empty");
  for (const [index, { number, name }] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined) throw storeNewer(engine.place, name);
    if (number !== index + 1 || name !== known.name)
      throw storeCorrupt(engine.place, `step ${index + 1} of its schema is not "${known.name}"`);
  }
  return migrations.slice(applied.length);
}

/** Whether everything stands that no store can be without. */
export async function checkSchema(
  engine: Pick<Engine, "listTables" | "place">,
  db: Kysely<Tables>,
): Promise<void> {
  const tables = await engine.listTables(db);
  const lacking = TABLES.find((table) => !tables.has(table));
  if (lacking !== undefined) throw storeCorrupt(engine.place, `the table ${lacking} is missing`);
  const state = await db.selectFrom("onym_state").select("revision").execute();
  if (state.length !== 1) throw storeCorrupt(engine.place, "its revision is missing");
  const spaces = await db.selectFrom("onym_spaces").select("space").execute();
  for (const space of ["tools", "prompts", "known"]) {
    if (!spaces.some((row) => row.space === space))
      throw storeCorrupt(engine.place, `the revision of its ${space} is missing`);
  }
}

async function createLedger(tx: Kysely<Tables>): Promise<void> {
  await tx.schema
    .createTable("onym_migrations")
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("applied_at", "double precision", (column) => column.notNull())
    .execute();
}
