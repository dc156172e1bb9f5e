// Inspects a store without changing it: nothing is created or migrated, and a trial write is rolled back.

import { createSealer } from "../audit/audit-chain.js";
import { silentLog } from "../model/log.js";
import { verifyAudit } from "./audit/verify-audit.js";
import type { Engine } from "./engine.js";
import { type OpenStoreOptions, openAnchor } from "./open-store.js";
import { findMissing } from "./schema/migrate.js";
import { MIGRATIONS } from "./schema/migrations.js";
import { encodeText, rowId } from "./schema/stored-text.js";
import { createStoreSession, type StoreSession } from "./session.js";
import type { AuditCheck } from "./store.js";

export interface StoreState {
  /** A file as it was named, or host and database without credentials; escaped. */
  readonly place: string;
  /** `empty`: a database that no gateway has used. `older`: the next gateway brings it up to date. */
  readonly schema: "current" | "older" | "empty";
  /** Why nothing can be written: an error that says what to do. */
  readonly unwritable: unknown;
  /** What the audit takes, about. */
  readonly bytes: number;
  /** As many as the chains say; more than are verified where there is too much for a quick look. */
  readonly records: number;
  /** Of the last records of each chain. `undefined` where there is no room for any yet. */
  readonly audit: AuditCheck | undefined;
}

/** Verifying that many takes a second or two. */
const MAX_RECORDS = 100_000;
const PROBE_KEY = "onym/inspection";
const PROBE_BYTES = 64 * 1024;

/**
 * A file must be there: opening would make it.
 *
 * @throws OnymError as `openStore` does.
 */
export async function inspectStore({
  location,
  folder,
  seal,
}: Pick<OpenStoreOptions, "location" | "folder" | "seal">): Promise<StoreState> {
  const engine = await openEngine(location, folder);
  const sealer = seal === undefined ? undefined : createSealer(seal.key);
  const session = createStoreSession(engine, () => {});
  const { place } = engine;
  try {
    const missing = await session.read((db) => findMissing(engine, db));
    if (missing.length > 0) {
      const schema = missing.length === MIGRATIONS.length ? "empty" : "older";
      return { place, schema, unwritable: undefined, bytes: 0, records: 0, audit: undefined };
    }
    const records = await countRecords(session);
    return {
      place,
      schema: "current",
      unwritable: await tryWriting(session),
      bytes: await session.read(engine.auditBytes),
      records,
      audit: await verifyAudit(session, {
        max: MAX_RECORDS,
        sealer,
        outside: await openAnchor(engine, { seal, location, folder })?.read(),
      }),
    };
  } finally {
    await session.close();
    await engine.close();
  }
}

async function openEngine(location: string, folder: string): Promise<Engine> {
  const log = silentLog;
  if (/^postgres(ql)?:\/\//.test(location))
    return (await import("./postgres/open-postgres.js")).openPostgres(location, log);
  return (await import("./sqlite/open-sqlite.js")).openSqlite({ location, folder, log, now: Date.now });
}

/** By the ends of the chains: counting rows would read them all. */
async function countRecords(session: StoreSession): Promise<number> {
  const chains = await session.read((db) =>
    db.selectFrom("onym_chains").select(["anchor_seq", "head_seq"]).execute(),
  );
  return chains.reduce((sum, { anchor_seq, head_seq }) => sum + head_seq - anchor_seq, 0);
}

/** As much as a few calls leave on record, and nothing of it stays. */
async function tryWriting(session: StoreSession): Promise<unknown> {
  try {
    await session.write(async (tx) => {
      const id = rowId(PROBE_KEY);
      const value = Buffer.alloc(PROBE_BYTES);
      await tx
        .insertInto("onym_secrets")
        .values({ id, key: encodeText(PROBE_KEY), value })
        .execute();
      await tx.deleteFrom("onym_secrets").where("id", "=", id).execute();
    });
    return undefined;
  } catch (error) {
    return error;
  }
}
