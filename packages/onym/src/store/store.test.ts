// One contract, two engines: real files and a real PostgreSQL.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { openStore } from "./open-store.js";
import { openLibsql } from "./sqlite/libsql.js";
import type { Store } from "./store.js";
import { describeApprovals } from "./testing/approvals-contract.js";
import { describeAudit } from "./testing/audit-contract.js";
import { describeAuditRows } from "./testing/audit-rows-contract.js";
import { describeKnown } from "./testing/known-contract.js";
import { describeNames, type Suite } from "./testing/names-contract.js";
import { describeProcesses } from "./testing/processes-contract.js";
import { describeRest } from "./testing/rest-contract.js";
import { runSql, startPostgres, type TestPostgres } from "./testing/start-postgres.js";
import type { TestPlace } from "./testing/test-place.js";

const opened: Store[] = [];

async function open({ location, folder }: TestPlace): Promise<Store> {
  const store = await openStore({ location, folder, replica: "test" });
  opened.push(store);
  return store;
}

function describeStore(suite: Suite): void {
  describeNames(suite);
  describeApprovals(suite);
  describeKnown(suite);
  describeAudit(suite);
  describeAuditRows(suite);
  describeRest(suite);
  describeProcesses(suite);
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

describe("a store in a SQLite file", () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  const newPlace = async (): Promise<TestPlace> => {
    const folder = await mkdtemp(join(tmpdir(), "onym-store-"));
    folders.push(folder);
    return {
      location: "onym.db",
      folder,
      tamper: async (...statements) => {
        const db = openLibsql(join(folder, "onym.db"), "rw");
        for (const statement of statements) await db.exec(statement);
        db.close();
      },
    };
  };
  describeStore({ newPlace, open });
});

describe("a store in PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  const newPlace = async (): Promise<TestPlace> => {
    const location = await postgres.newLocation();
    return { location, folder: tmpdir(), tamper: (...statements) => runSql(location, statements) };
  };
  describeStore({ newPlace, open });
});
