// What onym doctor says of the store: the built program, real SQLite files and a real PostgreSQL. It changes neither.

import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditRecord } from "../packages/onym/src/audit/audit-record.js";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { openLibsql } from "../packages/onym/src/store/sqlite/libsql.js";
import type { Store } from "../packages/onym/src/store/store.js";
import {
  runSql,
  startPostgres,
  type TestPostgres,
} from "../packages/onym/src/store/testing/start-postgres.js";
import { newFolder, runOnym } from "./cli/run-onym.js";

function folderWith(store?: string): string {
  const folder = newFolder();
  writeFileSync(
    join(folder, "onym.json"),
    JSON.stringify({ mcpServers: { docs: { tools: ["search"] } }, store }),
  );
  return folder;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

/** What doctor says of the store and of the audit, and its exit code. */
function examine(folder: string) {
  const ran = runOnym(folder, ["doctor", "--json", "--config", "onym.json"]);
  const { checks } = JSON.parse(ran.out) as { readonly checks: readonly Check[] };
  const named = (wanted: string) => checks.find(({ name }) => name === wanted);
  return { code: ran.code, store: named("store"), audit: named("audit"), out: ran.out };
}

async function inStore(
  location: string,
  folder: string,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore({ location, folder });
  await work(store);
  await store.close();
}

async function inFile(folder: string, statement: string): Promise<void> {
  const db = openLibsql(join(folder, "onym.db"), "rw");
  await db.exec(statement);
  db.close();
}

const record = (call: string): AuditRecord => ({
  kind: "refusal",
  at: Date.UTC(2026, 0, 2),
  call,
  caller: "ann",
  profile: undefined,
  sent: "docs_search",
  tool: undefined,
  canonical: undefined,
  rule: undefined,
  decision: undefined,
  definition: undefined,
  argumentsDigest: undefined,
  arguments: undefined,
  outcome: "unknown",
  ms: undefined,
});

const appendTwo = (store: Store) => store.audit.append([record("c1"), record("c2")]);

describe("a store in a file", () => {
  it("that is yet to come is fine, and is not made", () => {
    const folder = folderWith();
    const { code, store, audit } = examine(folder);
    expect({ code, audit }).toEqual({ code: 0, audit: undefined });
    expect(store).toMatchObject({
      status: "ok",
      message: `onym.db does not exist; the gateway creates it when it starts.`,
    });
    expect(readdirSync(folder)).toEqual(["onym.json"]);
  });

  it("that is in order is said to be, with its records (POL-4)", async () => {
    const folder = folderWith();
    await inStore("onym.db", folder, appendTwo);
    const { code, store, audit } = examine(folder);
    expect({ code, store, audit }).toEqual({
      code: 0,
      store: { name: "store", status: "ok", message: "onym.db can be read and written" },
      audit: { name: "audit", status: "ok", message: "2 records in 1 chain, all in place" },
    });
    await inStore("onym.db", folder, async ({ secrets }) =>
      expect(await secrets.read("onym/inspection")).toBeUndefined(),
    );
  });

  it("whose audit was altered is told of, with the place (POL-4)", async () => {
    const folder = folderWith();
    await inStore("onym.db", folder, appendTwo);
    // Quoted: the body also holds a random digest, in which the bare letters may occur.
    await inFile(folder, `update onym_audit set body = replace(body, '"c2"', '"c3"') where seq = 2`);
    const { code, store, audit } = examine(folder);
    expect({ code, status: store?.status }).toEqual({ code: 1, status: "ok" });
    expect(audit).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^broken at record 2 of \S+: .+\.$/),
      fix: expect.stringContaining("onym audit verify"),
    });
  });

  it("with more records than a quick look takes is verified from its end (POL-4)", async () => {
    const folder = folderWith();
    const many = Array.from({ length: 50_000 }, () => record("c"));
    await inStore("onym.db", folder, async (store) => {
      for (const records of [many, many, many]) await store.audit.append(records);
    });
    const first = "(select min(seq) from onym_audit)";
    await inFile(folder, `update onym_audit set body = replace(body, 'ann', 'bob') where seq = ${first}`);
    const { code, audit } = examine(folder);
    expect({ code, status: audit?.status }).toEqual({ code: 0, status: "ok" });
    const [, counted] =
      /^the last (\d+) records in 1 chain are in place; onym audit verify/.exec(audit?.message ?? "") ?? [];
    expect(Number(counted)).toBeGreaterThanOrEqual(100_000);
    expect(Number(counted)).toBeLessThan(101_000);
    await inFile(folder, "update onym_audit set body = replace(body, 'ann', 'bob') where seq = 150000");
    expect(examine(folder)).toMatchObject({ code: 1, audit: { status: "error" } });
  });

  it("is not taken at its word for how many records it has (POL-4)", async () => {
    const folder = folderWith();
    await inStore("onym.db", folder, appendTwo);
    await inFile(folder, "update onym_chains set head_seq = 1000000");
    expect(examine(folder)).toMatchObject({
      code: 1,
      audit: { status: "error", message: expect.stringContaining("broken at record 3 of ") },
    });
  });

  it("that is gone is told from one that never was", async () => {
    const folder = folderWith();
    await inStore("onym.db", folder, appendTwo);
    renameSync(join(folder, "onym.db"), join(folder, "elsewhere.db"));
    writeFileSync(join(folder, "onym.db-wal"), "");
    const { code, store } = examine(folder);
    expect(code).toBe(1);
    expect(store).toMatchObject({
      status: "error",
      message: expect.stringContaining("is gone: onym.db-wal"),
    });
    expect(existsSync(join(folder, "onym.db"))).toBe(false);
  });

  it("that cannot be made is told of", () => {
    const folder = folderWith("kept/onym.db");
    expect(examine(folder).store).toMatchObject({
      status: "error",
      message: "kept/onym.db cannot be made: kept does not exist.",
      fix: expect.stringContaining("Make the folder"),
    });
    writeFileSync(join(folder, "kept"), "a file where a folder should be");
    expect(examine(folder)).toMatchObject({
      code: 1,
      store: { status: "error", message: expect.stringContaining("cannot be made: kept is no folder") },
    });
  });

  it.each([
    ["a text", "not a database", "it is not a SQLite file"],
    ["an empty file", "", "it is empty, as if it had been cut off"],
  ])("that is %s is refused and left alone", (_, text, reason) => {
    const folder = folderWith();
    writeFileSync(join(folder, "onym.db"), text);
    expect(examine(folder)).toMatchObject({
      code: 1,
      store: {
        status: "error",
        message: `The store onym.db is refused: ${reason}.`,
        fix: expect.stringContaining("Restore it from a backup"),
      },
    });
    expect(readFileSync(join(folder, "onym.db"), "utf8")).toBe(text);
  });

  it("of a later version is refused; one of an earlier version is left as it is", async () => {
    const folder = folderWith();
    await inStore("onym.db", folder, appendTwo);
    await inFile(folder, "insert into onym_migrations values (99, '0099-later', 0)");
    expect(examine(folder)).toMatchObject({
      code: 1,
      store: { status: "error", fix: expect.stringContaining("Use that version of Onym or a later one") },
    });
    await inFile(folder, "delete from onym_migrations where number > 1");
    for (const _ of [1, 2])
      expect(examine(folder)).toMatchObject({
        code: 0,
        store: { status: "warning", message: "onym.db is of an earlier version" },
      });
  });

  it.each(["none", ":memory:"])('"store": %j is no mistake', (store) => {
    expect(examine(folderWith(store))).toMatchObject({
      code: 0,
      store: { status: "ok", message: expect.stringContaining("do not outlive the gateway") },
    });
  });
});

describe("a store in PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it("is looked at without making its tables, and told of when it is used", async () => {
    const location = await postgres.newLocation();
    const folder = folderWith(location);
    const empty = examine(folder);
    expect(empty).toMatchObject({ code: 0, store: { status: "ok" }, audit: undefined });
    expect(empty.store?.message).toMatch(
      /^postgres:\/\/127\.0\.0\.1:\d+\/postgres is reached; the first gateway makes its tables$/,
    );
    const client = new pg.Client({ connectionString: location });
    await client.connect();
    const { rows } = await client.query("select * from pg_tables where schemaname = current_schema()");
    await client.end();
    expect(rows).toEqual([]);

    await inStore(location, folder, appendTwo);
    const used = examine(folder);
    expect(used.store).toMatchObject({
      status: "ok",
      message: expect.stringContaining("can be read and written"),
    });
    expect(used.audit).toMatchObject({ status: "ok", message: "2 records in 1 chain, all in place" });
    expect(used.out).not.toContain("onym:onym");
    await runSql(location, ["delete from onym_audit where seq = 2"]);
    expect(examine(folder)).toMatchObject({ code: 1, audit: { status: "error" } });
  });

  it("that may only be read is told of", async () => {
    const location = await postgres.newLocation();
    await inStore(location, ".", appendTwo);
    const readOnly = new URL(location);
    const options = readOnly.searchParams.get("options") ?? "";
    readOnly.searchParams.set("options", `${options} -c default_transaction_read_only=on`);
    const { code, store, audit } = examine(folderWith(readOnly.href));
    expect({ code, audit: audit?.status }).toEqual({ code: 1, audit: "ok" });
    expect(store).toMatchObject({
      status: "error",
      message: expect.stringContaining("it may only be read"),
      fix: expect.stringContaining("may be written to"),
    });
  });

  it("that cannot be reached is told of, without its credentials", () => {
    const { code, store, out } = examine(
      folderWith("postgres://u:secret@127.0.0.1:9/none?connect_timeout=1"),
    );
    expect(code).toBe(1);
    expect(store).toMatchObject({ status: "error", fix: expect.stringContaining("can be reached") });
    expect(out).not.toContain("secret");
  });
});
