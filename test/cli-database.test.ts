// Names at the command line are those that gateways give out, also where these keep them in a database (LOCK-1, RES-5).

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSnapshot, formatLock } from "@onym/core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../packages/onym/src/store/testing/start-postgres.js";
import { newFolder, runOnym } from "./cli/run-onym.js";
import { startOnym } from "./gateway/harness.js";
import { askModern } from "./gateway/harness-raw.js";

const DOCS = { mcpServers: { docs: { tools: ["search", "read"] } } };
const PINS = { find: "docs@1/search@1" };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

function folderWith(config: object): string {
  const folder = newFolder();
  writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
  // A database in a config that is only found has to be trusted (CFG-6).
  expect(onym(folder, "trust", "--yes").code).toBe(0);
  return folder;
}

function onym(folder: string, ...args: readonly string[]) {
  const ran = runOnym(folder, args, { input: "find\n" });
  return { ...ran, err: ran.err.replace(/\s+/g, " ") };
}

/** A database in which a gateway has called the tool `find`, which nobody would call it anew. */
async function usedDatabase(): Promise<string> {
  const store = await postgres.newLocation();
  const gateway = await startOnym({ config: { ...DOCS, store, naming: { pins: PINS } } });
  await askModern({ url: `${gateway.url}/openai`, method: "tools/list" });
  await gateway.stop();
  return store;
}

describe("with a database that gateways have used", () => {
  let folder: string;
  beforeAll(async () => {
    folder = folderWith({ ...DOCS, store: await usedDatabase() });
  });

  it("names, resolve and explain answer as the gateways do, and say whose names they are", () => {
    const names = onym(folder, "names", "--profile", "openai", "--json");
    const { tools, namesFrom } = JSON.parse(names.out);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(["docs_read", "find"]);
    expect(namesFrom).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/postgres$/);

    const resolved = onym(folder, "resolve", "find", "--profile", "openai");
    expect(resolved).toMatchObject({ code: 0, out: expect.stringContaining("docs@1/search@1") });
    expect(resolved.err).toContain(`note: names are those in ${namesFrom}, where gateways give them out.`);
    const [line = ""] = onym(folder, "resolve", "--stdin", "--profile", "openai").out.split("\n");
    expect(JSON.parse(line)).toMatchObject({ canonical: "docs@1/search@1", step: "public" });

    const explained = JSON.parse(onym(folder, "explain", "find", "--profile", "openai", "--json").out);
    expect(explained).toMatchObject({ canonical: "docs@1/search@1", namesFrom });
    expect(onym(folder, "matrix", "--profile", "openai").out).toContain("find");
  });

  it("doctor reads them too, and says where the copy in the file differs", () => {
    const check = () =>
      JSON.parse(onym(folder, "doctor", "--json").out).checks.find(
        ({ name }: { name: string }) => name === "database",
      );
    expect(check()).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^\d+ names in postgres:/),
    });
    const lock = buildSnapshot([{ server: "docs", tools: ["search"] }]).nextLock(["openai"]);
    writeFileSync(join(folder, "onym.lock"), formatLock(lock));
    expect(check()).toMatchObject({
      status: "warning",
      message: expect.stringContaining("onym.lock has others"),
    });
    // The database is what counts.
    expect(onym(folder, "resolve", "find", "--profile", "openai").code).toBe(0);
  });

  it("--no-lock looks into neither", () => {
    const { out, err } = onym(folder, "names", "--profile", "openai", "--no-lock", "--json");
    expect(JSON.parse(out).tools.map(({ name }: { name: string }) => name)).toContain("docs_search");
    expect(JSON.parse(out)).not.toHaveProperty("namesFrom");
    expect(err).not.toContain("postgres");
  });
});

describe("with a database that nobody has used", () => {
  it("names are those of the file it will begin with, and nothing is made by looking", async () => {
    const store = await postgres.newLocation();
    const folder = folderWith({ ...DOCS, store });
    const lock = buildSnapshot([{ server: "docs", tools: ["search", "read"] }], { pins: PINS });
    writeFileSync(join(folder, "onym.lock"), formatLock(lock.nextLock(["openai"])));
    const names = JSON.parse(onym(folder, "names", "--profile", "openai", "--json").out);
    expect(names).toMatchObject({ namesFrom: "onym.lock" });
    expect(names.tools.map(({ name }: { name: string }) => name)).toContain("find");
    expect(onym(folder, "doctor", "--json").out).toContain("no names yet");
    const client = new pg.Client({ connectionString: store });
    await client.connect();
    const { rows } = await client.query("select * from pg_tables where schemaname = current_schema()");
    await client.end();
    expect(rows).toEqual([]);
  });
});

describe("with a database that cannot be reached", () => {
  const folder = () => folderWith({ ...DOCS, store: "postgres://u:secret@127.0.0.1:9/none" });

  it.each([["names"], ["resolve", "docs_search"], ["explain", "docs_search"]])(
    "%s gives no answer rather than a wrong one, and says the way out",
    (...args) => {
      const ran = onym(folder(), ...args);
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(ran.err).toContain("The names that gateways give out cannot be read.");
      expect(ran.err).toContain("--no-lock");
      expect(ran.err).not.toContain("secret");
      expect(onym(folder(), ...args, "--no-lock").out).toContain("search");
    },
  );

  it("doctor tells of it as a finding", () => {
    const ran = onym(folder(), "doctor", "--json");
    expect(ran.code).toBe(1);
    const { checks } = JSON.parse(ran.out);
    expect(checks.find(({ name }: { name: string }) => name === "database")).toMatchObject({
      status: "error",
      fix: expect.not.stringContaining("--no-lock"),
    });
  });
});

it("without a database the file is the record, and looking makes no store", () => {
  const folder = folderWith(DOCS);
  expect(onym(folder, "lock").code).toBe(0);
  expect(JSON.parse(onym(folder, "names", "--json").out)).toMatchObject({ namesFrom: "onym.lock" });
  for (const args of [["resolve", "docs_search"], ["explain", "docs_search"], ["doctor"]])
    onym(folder, ...args);
  expect(existsSync(join(folder, "onym.db"))).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(["onym.json", "onym.lock"]);
});
