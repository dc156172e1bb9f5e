import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { lockOf, recordOf, toolA } from "../testing/test-place.js";
import { openLibsql, readPragma } from "./libsql.js";

let folder: string;
let file: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-sqlite-"));
  file = join(folder, "onym.db");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

async function open(location = "onym.db"): Promise<Store> {
  const store = await openStore({ location, folder });
  opened.push(store);
  return store;
}

/** A closed store of some pages, in one file. */
async function fillFile(): Promise<Buffer> {
  const store = await openStore({ location: "onym.db", folder });
  await store.names.swap("tools", await store.names.load("tools"), lockOf({ crm_send: toolA }));
  for (let at = 0; at < 40; at += 1) await store.audit.append([recordOf({ at, arguments: "x".repeat(500) })]);
  await store.close();
  const db = openLibsql(file, "rw");
  await readPragma(db, "wal_checkpoint(TRUNCATE)");
  db.close();
  return readFile(file);
}

async function expectRefused(code: string): Promise<void> {
  const before = await readFile(file);
  await expect(open()).rejects.toMatchObject({ code, hint: expect.stringContaining("left as it is") });
  expect((await readFile(file)).equals(before)).toBe(true);
}

describe("a file that is not a sound store is refused and left as it is", () => {
  it.each([
    ["empty", ""],
    ["a text", "hello\n".repeat(1000)],
    ["the beginning of a store", "SQLite format 3\0"],
    ["a header and nonsense", `SQLite format 3\0${"\u0001".repeat(5000)}`],
  ])("%s", async (_, content) => {
    await writeFile(file, content);
    await expectRefused("store-corrupt");
    expect(await readdir(folder)).toEqual(["onym.db"]);
  });

  it("another program's database, also an empty one", async () => {
    const db = openLibsql(file, "rwc");
    await db.exec("create table customers (name text)");
    db.close();
    await expectRefused("store-corrupt");
  });

  it("a folder", async () => {
    await mkdir(file);
    await expect(open()).rejects.toMatchObject({ code: "store-corrupt" });
  });

  it("cut off at any page, or within one", async () => {
    const whole = await fillFile();
    const pages = whole.length / 4096;
    for (const size of [1, 99, 100, 512, 4095, 4096, 4097, 8192, 4096 * (pages - 1), whole.length - 1]) {
      await writeFile(file, whole);
      await truncate(file, size);
      await expectRefused("store-corrupt");
    }
  });

  it("with any page overwritten", async () => {
    const whole = await fillFile();
    for (let page = 0; page < whole.length / 4096; page += 1) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xa5, page * 4096, page * 4096 + 4096);
      await writeFile(file, damaged);
      await rm(`${file}-wal`, { force: true });
      await rm(`${file}-shm`, { force: true });
      await expectRefused("store-corrupt");
    }
  });

  it("with single bytes flipped: refused at once, or when what they hold is read, or nothing is wrong", async () => {
    const whole = await fillFile();
    for (let at = 3; at < whole.length; at += 997) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      await writeFile(file, damaged);
      await rm(`${file}-wal`, { force: true });
      await rm(`${file}-shm`, { force: true });
      const found = await lookThrough();
      expect(found, `byte ${at}`).toBe("noticed or harmless");
    }
  });

  it("lets a store be used again once the file is put back", async () => {
    const whole = await fillFile();
    await truncate(file, 5000);
    await expectRefused("store-corrupt");
    await rm(`${file}-wal`, { force: true });
    await rm(`${file}-shm`, { force: true });
    await writeFile(file, whole);
    expect((await (await open()).audit.verify()).records).toBe(40);
  });
});

/** Opens and reads everything; either something says so, or all is as it was written. */
async function lookThrough(): Promise<string> {
  let store: Store | undefined;
  try {
    store = await openStore({ location: "onym.db", folder });
    const { lock } = await store.names.load("tools");
    expect(lock).toEqual(lockOf({ crm_send: toolA }));
    const { broken, records } = await store.audit.verify();
    return broken.length > 0 || records === 40 ? "noticed or harmless" : "not noticed";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    return code === "store-corrupt" || code === "store-newer" ? "noticed or harmless" : String(error);
  } finally {
    await store?.close();
  }
}
