// Reads the names in a database that gateways share. Nothing is created or migrated.

import { silentLog } from "../../model/log.js";
import { openPostgres } from "../postgres/open-postgres.js";
import { findMissing } from "../schema/migrate.js";
import { MIGRATIONS } from "../schema/migrations.js";
import { createStoreSession } from "../session.js";
import type { StoredNames } from "../store.js";
import { createNames } from "./create-names.js";

export interface ReadNames {
  /** Host and database, no credentials; escaped. */
  readonly place: string;
  /** `undefined` where no gateway has used the database yet. */
  readonly stored: StoredNames | undefined;
}

/** @throws OnymError `store-unavailable`, `store-corrupt`, `store-newer`, `store-location`. */
export async function readNames(location: string): Promise<ReadNames> {
  const engine = await openPostgres(location, silentLog);
  const session = createStoreSession(engine, () => {});
  const { place } = engine;
  try {
    const missing = await session.read((db) => findMissing(engine, db));
    if (missing.length === MIGRATIONS.length) return { place, stored: undefined };
    return { place, stored: await createNames(session).load("tools") };
  } finally {
    await session.close();
    await engine.close();
  }
}
