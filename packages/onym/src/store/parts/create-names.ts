// Names in the store: read whole, and swapped whole by compare and set.

import type { Kysely, Transaction } from "kysely";
import { chunksOf } from "../schema/chunks-of.js";
import type { Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { NameSpace, NameStore, NameSwap, StoredNames } from "../store.js";
import { storeCorrupt } from "../store-errors.js";
import { type LockRows, lockToRows, rowsToLock, sealRows } from "./lock-rows.js";

interface Held {
  readonly stored: StoredNames;
  readonly rows: LockRows;
}

export function createNames(session: StoreSession): NameStore {
  return {
    revision: (space) => session.read(async (db) => (await loadHead(db, space, session.place)).revision),
    load: (space) => session.read(async (db) => (await loadHeld(db, space, session.place)).stored),
    swap: (space, before, next) =>
      session.change<NameSwap>(async (tx) => {
        const held = await loadHeld(tx, space, session.place);
        if (held.stored.revision !== before.revision)
          return { value: { outcome: "moved", stored: held.stored }, changed: false };
        const rows = lockToRows(space, next);
        const seal = sealRows(rows);
        if (seal === sealRows(held.rows))
          return { value: { outcome: "kept", stored: held.stored }, changed: false };
        await writeDifference(tx, held.rows, rows);
        const revision = before.revision + 1;
        await tx.updateTable("onym_spaces").set({ revision, seal }).where("space", "=", space).execute();
        return { value: { outcome: "kept", stored: { revision, lock: next } }, changed: true };
      }),
  };
}

async function loadHead(db: Kysely<Tables>, space: NameSpace, place: string) {
  const head = await db.selectFrom("onym_spaces").selectAll().where("space", "=", space).executeTakeFirst();
  if (head === undefined) throw storeCorrupt(place, `the revision of its ${space} is missing`);
  return head;
}

async function loadHeld(db: Kysely<Tables>, space: NameSpace, place: string): Promise<Held> {
  const head = await loadHead(db, space, place);
  const rows: LockRows = {
    profiles: await db
      .selectFrom("onym_profiles")
      .selectAll()
      .where("space", "=", space)
      .orderBy("profile")
      .execute(),
    names: await db.selectFrom("onym_names").selectAll().where("space", "=", space).orderBy("name").execute(),
    tools: await db.selectFrom("onym_tools").selectAll().where("space", "=", space).orderBy("tool").execute(),
  };
  const lock = sealRows(rows) === head.seal ? rowsToLock(rows) : undefined;
  if (lock === undefined)
    throw storeCorrupt(place, `the names of its ${space} were altered or are not complete`);
  return { stored: { revision: head.revision, lock }, rows };
}

/** Profiles stand before the names that refer to them, and go after them. */
async function writeDifference(tx: Transaction<Tables>, before: LockRows, next: LockRows): Promise<void> {
  const profiles = differenceOf(before.profiles, next.profiles);
  const names = differenceOf(before.names, next.names);
  const tools = differenceOf(before.tools, next.tools);
  for (const ids of chunksOf(names.gone)) await tx.deleteFrom("onym_names").where("id", "in", ids).execute();
  for (const ids of chunksOf(tools.gone)) await tx.deleteFrom("onym_tools").where("id", "in", ids).execute();
  for (const ids of chunksOf(profiles.gone))
    await tx.deleteFrom("onym_profiles").where("id", "in", ids).execute();
  for (const rows of chunksOf(profiles.fresh)) {
    await tx
      .insertInto("onym_profiles")
      .values(rows)
      .onConflict((on) => on.column("id").doUpdateSet((eb) => ({ style: eb.ref("excluded.style") })))
      .execute();
  }
  for (const rows of chunksOf(names.fresh)) {
    await tx
      .insertInto("onym_names")
      .values(rows)
      .onConflict((on) =>
        on
          .column("id")
          .doUpdateSet((eb) => ({ tool: eb.ref("excluded.tool"), retired: eb.ref("excluded.retired") })),
      )
      .execute();
  }
  for (const rows of chunksOf(tools.fresh)) {
    await tx
      .insertInto("onym_tools")
      .values(rows)
      .onConflict((on) =>
        on.column("id").doUpdateSet((eb) => ({
          canonical: eb.ref("excluded.canonical"),
          digest: eb.ref("excluded.digest"),
          successor: eb.ref("excluded.successor"),
        })),
      )
      .execute();
  }
}

function differenceOf<Row extends { readonly id: string }>(
  before: readonly Row[],
  next: readonly Row[],
): { readonly gone: readonly string[]; readonly fresh: readonly Row[] } {
  const old = new Map(before.map((row) => [row.id, row]));
  const kept = new Set(next.map(({ id }) => id));
  return {
    gone: before.map(({ id }) => id).filter((id) => !kept.has(id)),
    fresh: next.filter((row) => !isSameRow(old.get(row.id), row)),
  };
}

function isSameRow<Row extends object>(old: Row | undefined, row: Row): boolean {
  return (
    old !== undefined && Object.entries(row).every(([column, value]) => Reflect.get(old, column) === value)
  );
}
