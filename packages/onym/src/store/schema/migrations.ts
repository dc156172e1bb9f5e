// The schema, step by step, for both engines. Steps are only ever added; one that was released is never changed.

import { type Kysely, type RawBuilder, sql } from "kysely";
import type { EngineKind } from "../engine.js";
import type { Tables } from "./tables.js";

export interface Migration {
  /** Unique; its number is its place in the list, from 1. */
  readonly name: string;
  readonly up: (db: Kysely<Tables>, kind: EngineKind) => Promise<void>;
}

/** Compared byte by byte on both engines, whatever the database's locale. */
const textOf = (kind: EngineKind): RawBuilder<unknown> =>
  kind === "postgres" ? sql`text collate "C"` : sql`text`;

/** Of no rows at all: SHA-256 of `[]`. */
const EMPTY_SEAL = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";

export const MIGRATIONS: readonly Migration[] = [
  {
    name: "0001-names-approvals-audit",
    up: async (db, kind) => {
      await createState(db, kind);
      await createNames(db, kind);
      await createApprovals(db, kind);
      await createAudit(db, kind);
      await createRest(db, kind);
    },
  },
  { name: "0002-known-tools", up: createKnown },
  // Rows stay as they are. Who takes each for one record must not read those that come.
  { name: "0003-audit-records-share-rows", up: async () => {} },
  { name: "0004-successors", up: addSuccessors },
  { name: "0005-seals", up: addSeals },
  { name: "0006-approvals-for-one-call", up: addOnce },
  { name: "0007-decisions-of-the-tool-itself", up: addOwn },
];

async function createState(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  await db.schema
    .createTable("onym_state")
    .addColumn("id", "integer", (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn("revision", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("onym_spaces")
    .addColumn("space", textOf(kind), (column) => column.primaryKey())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("seal", "text", (column) => column.notNull())
    .execute();
  await db.insertInto("onym_state").values({ id: 1, revision: 0 }).execute();
  await db
    .insertInto("onym_spaces")
    .values([
      { space: "tools", revision: 0, seal: EMPTY_SEAL },
      { space: "prompts", revision: 0, seal: EMPTY_SEAL },
    ])
    .execute();
}

async function createNames(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  await db.schema
    .createTable("onym_profiles")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("space", text, (column) => column.notNull().references("onym_spaces.space"))
    .addColumn("profile", text, (column) => column.notNull())
    .addColumn("style", text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("onym_names")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("profile_id", text, (column) => column.notNull().references("onym_profiles.id"))
    .addColumn("space", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("retired", text, (column) => column.check(sql`retired in ('removed', 'renamed')`))
    .execute();
  await db.schema
    .createTable("onym_tools")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("space", text, (column) => column.notNull().references("onym_spaces.space"))
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("canonical", text, (column) => column.notNull())
    .addColumn("digest", text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("onym_names_profile").on("onym_names").column("profile_id").execute();
}

async function createApprovals(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  const numbered = <T extends "onym_approvals" | "onym_pending">(table: T) =>
    db.schema
      .createTable(table)
      .addColumn("id", kind === "postgres" ? "bigint" : "integer", (column) =>
        kind === "postgres"
          ? column.primaryKey().generatedAlwaysAsIdentity()
          : column.primaryKey().autoIncrement(),
      )
      .addColumn("subject", text, (column) => column.notNull())
      .addColumn("principal", text, (column) => column.notNull())
      .addColumn("tool", text, (column) => column.notNull())
      .addColumn("launch", text, (column) => column.notNull())
      .addColumn("digest", text, (column) => column.notNull())
      .addColumn("definition", text, (column) => column.notNull());
  await numbered("onym_approvals")
    .addColumn("tool_id", text, (column) => column.notNull())
    .addColumn("verdict", text, (column) => column.notNull().check(sql`verdict in ('approved', 'rejected')`))
    .addColumn("decided_at", "double precision", (column) => column.notNull())
    .addColumn("decided_by", text, (column) => column.notNull())
    .addColumn("expires_at", "double precision")
    .addColumn("revoked_at", "double precision")
    .addColumn("seal", text, (column) => column.notNull())
    .execute();
  await numbered("onym_pending")
    .addColumn("ask", text, (column) => column.notNull().unique())
    .addColumn("canonical", text, (column) => column.notNull())
    .addColumn("asked_at", "double precision", (column) => column.notNull())
    .addColumn("before_definition", text)
    .execute();
  await db.schema
    .createIndex("onym_approvals_subject")
    .on("onym_approvals")
    .columns(["subject", "id"])
    .execute();
  await db.schema
    .createIndex("onym_approvals_tool")
    .on("onym_approvals")
    .columns(["tool_id", "id"])
    .execute();
  await db.schema.createIndex("onym_pending_subject").on("onym_pending").column("subject").execute();
}

async function createAudit(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  await db.schema
    .createTable("onym_chains")
    .addColumn("chain", text, (column) => column.primaryKey())
    .addColumn("anchor_seq", "bigint", (column) => column.notNull())
    .addColumn("anchor_hash", text, (column) => column.notNull())
    .addColumn("head_seq", "bigint", (column) => column.notNull())
    .addColumn("head_hash", text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("onym_audit")
    .addColumn("chain", text, (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .addColumn("body", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("onym_audit_key", ["chain", "seq"])
    .execute();
  await db.schema.createIndex("onym_audit_at").on("onym_audit").columns(["at", "chain", "seq"]).execute();
}

async function createRest(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  await db.schema
    .createTable("onym_usage")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("caller", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addColumn("last_at", "double precision", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("onym_secrets")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("key", text, (column) => column.notNull())
    .addColumn("value", kind === "postgres" ? "bytea" : "blob", (column) => column.notNull())
    .execute();
}

async function createKnown(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  await db.schema
    .createTable("onym_known_servers")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("server", text, (column) => column.notNull())
    .addColumn("toolbox", text)
    .addColumn("seen_at", "double precision", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("onym_known_tools")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("source", text, (column) => column.notNull())
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("launch", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("seen_at", "double precision", (column) => column.notNull())
    .addColumn("admitted_by", text)
    .addColumn("seal", text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("onym_known_tools_source").on("onym_known_tools").column("source").execute();
  await db.insertInto("onym_spaces").values({ space: "known", revision: 0, seal: EMPTY_SEAL }).execute();
}

async function addSuccessors(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  await db.schema.alterTable("onym_tools").addColumn("successor", textOf(kind)).execute();
}

/** What was there before has none until it is adopted (`adopt-earlier`). */
async function addSeals(db: Kysely<Tables>, kind: EngineKind): Promise<void> {
  const text = textOf(kind);
  await db.schema.alterTable("onym_chains").addColumn("head_seal", text).execute();
  await db.schema.alterTable("onym_chains").addColumn("anchor_seal", text).execute();
  await db.schema.alterTable("onym_approvals").addColumn("key_seal", text).execute();
}

async function addOnce(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("onym_approvals").addColumn("is_once", "integer").execute();
}

async function addOwn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("onym_approvals").addColumn("is_own", "integer").execute();
  await db.schema.alterTable("onym_pending").addColumn("is_own", "integer").execute();
}
