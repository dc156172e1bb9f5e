import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, recordOf } from "../testing/test-place.js";
import { openLibsql, readPragma } from "./libsql.js";

const COUNT = 12;
const LOST = /it has lost changes.* it is at revision \d+, and crashed.*\.db-revision says \d+; if you/;

let folder: string;
let crashed: string;
let layouts = 0;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-log-"));
  crashed = join(folder, "crashed.db");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

async function open(location: string): Promise<Store> {
  const store = await openStore({ location, folder });
  opened.push(store);
  return store;
}

/** What a process leaves that was killed: the file, and all that it wrote in the log. */
async function crash(write: (store: Store) => Promise<void>): Promise<Buffer> {
  const store = await open("onym.db");
  await store.approvals.decide(approvalOf());
  const keeper = openLibsql(join(folder, "onym.db"), "rw");
  await readPragma(keeper, "wal_checkpoint(TRUNCATE)");
  keeper.close();
  // Who reads keeps the log from being written into the file meanwhile.
  const reader = openLibsql(join(folder, "onym.db"), "ro");
  await reader.exec("begin");
  await readPragma(reader, "schema_version");
  await write(store);
  for (const suffix of ["", "-wal", "-shm", "-revision"])
    await copyFile(join(folder, `onym.db${suffix}`), crashed + suffix);
  await copyFile(crashed, join(folder, "file"));
  reader.close();
  return readFile(`${crashed}-wal`);
}

async function writeRecords({ audit }: Store): Promise<void> {
  for (let at = 0; at < COUNT; at += 1) await audit.append([recordOf({ at })]);
}

async function writeChanges({ approvals }: Store): Promise<void> {
  for (let at = 0; at < COUNT; at += 1) await approvals.decide(approvalOf({ decidedAt: at }));
}

/** Under a name of its own: what this process had open there before is not what it finds. */
async function layOut(log: Buffer): Promise<void> {
  layouts += 1;
  crashed = join(folder, `crashed-${layouts}.db`);
  await copyFile(join(folder, "file"), crashed);
  await copyFile(join(folder, "crashed.db-revision"), `${crashed}-revision`);
  await writeFile(`${crashed}-wal`, log);
}

function withFlip(log: Buffer, at: number): Buffer {
  const damaged = Buffer.from(log);
  damaged[at] = (damaged[at] ?? 0) ^ 0x41;
  return damaged;
}

async function recordsOf(): Promise<number> {
  const store = await open(basename(crashed));
  return (await store.audit.verify()).records;
}

async function expectRefused(reason: RegExp): Promise<void> {
  const listFiles = async (): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith(basename(crashed)));
  const names = await listFiles();
  const before = await Promise.all(names.map((name) => readFile(join(folder, name))));
  await expect(open(basename(crashed))).rejects.toMatchObject({
    code: "store-corrupt",
    message: expect.stringMatching(reason),
  });
  // Who only reads a store may leave an empty log there, and an index, which holds nothing of its own.
  const isIndex = (name: string): boolean => name.endsWith("-shm");
  for (const name of (await listFiles()).filter((each) => !names.includes(each) && !isIndex(each)))
    expect([name, (await stat(join(folder, name))).size]).toEqual([`${basename(crashed)}-wal`, 0]);
  for (const [at, name] of names.entries())
    if (!isIndex(name))
      expect((await readFile(join(folder, name))).equals(before[at] as Buffer), name).toBe(true);
}

describe("the log beside a store", () => {
  it("of a process that was killed gives back all that was committed", async () => {
    await crash(writeRecords);
    expect(await recordsOf()).toBe(COUNT);
  });

  it("that was removed is missed", async () => {
    await crash(writeRecords);
    await rm(`${crashed}-wal`);
    await expectRefused(/its log crashed\.db-wal is missing.*remove crashed\.db-shm/);
    await rm(`${crashed}-shm`);
    await open(basename(crashed));
  });

  it("that was removed with its index is missed where changes were in it", async () => {
    await crash(writeChanges);
    for (const suffix of ["-wal", "-shm"]) await rm(crashed + suffix);
    await expectRefused(LOST);
  });

  it("of a store that was moved away does not get into a new one", async () => {
    await crash(writeChanges);
    await rm(crashed);
    await expectRefused(/it is gone, and its log crashed\.db-wal is still there/);
    await rm(`${crashed}-wal`);
    await rm(`${crashed}-shm`);
    expect(await recordsOf()).toBe(0);
  });

  it("that is something else is refused, and everything is left as it is", async () => {
    const log = await crash(writeChanges);
    for (const other of [
      Buffer.alloc(0),
      Buffer.alloc(5000, 0x61),
      Buffer.concat([Buffer.alloc(8, 1), log.subarray(8)]),
    ]) {
      await layOut(other);
      await expectRefused(LOST);
    }
  });

  it("with a byte flipped anywhere is refused where a change follows", async () => {
    const log = await crash(writeChanges);
    let flips = 0;
    for (let at = 0; at < log.length; at += 4201) {
      await layOut(withFlip(log, at));
      await expectRefused(LOST);
      flips += 1;
    }
    expect(flips).toBeGreaterThan(10);
  });

  it("that lacks anything before a change is refused, also where audit records alone are lacking", async () => {
    let recorded = 0;
    const log = await crash(async (store) => {
      await writeRecords(store);
      recorded = (await stat(join(folder, "onym.db-wal"))).size;
      await store.secrets.write("key", new Uint8Array(1));
      await store.audit.append([recordOf()]);
    });
    for (let at = 0; at < recorded; at += 3 * 4201) {
      await layOut(withFlip(log, at));
      await expectRefused(LOST);
    }
  });

  it("that lacks audit records after the last change is what a power cut leaves: whole ones up to there (POL-4)", async () => {
    let changed = 0;
    const log = await crash(async (store) => {
      await store.approvals.decide(approvalOf());
      changed = (await stat(join(folder, "onym.db-wal"))).size;
      await writeRecords(store);
    });
    const found: number[] = [];
    for (let at = changed; at < log.length; at += 4 * 4201) {
      // Pages reach the disk in any order.
      const lacking = Buffer.from(log);
      lacking.fill(0, at, at + 4096);
      await layOut(lacking);
      const store = await open(basename(crashed));
      const { records, broken } = await store.audit.verify();
      expect(broken).toEqual([]);
      found.push(records);
      expect(await store.approvals.inForce(0)).toHaveLength(1);
      await opened.pop()?.close();
    }
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect([found[0], (found.at(-1) ?? 0) > 0, (found.at(-1) ?? COUNT) < COUNT]).toEqual([0, true, true]);
  });

  it("cut off at any length is what a crash leaves: whole transactions up to there", async () => {
    const log = await crash(writeRecords);
    for (let size = 0; size < log.length; size += 9973) {
      await layOut(log.subarray(0, size));
      expect(await recordsOf()).toBeLessThanOrEqual(COUNT);
      await opened.pop()?.close();
    }
  });
});

describe("the revision beside a store", () => {
  it("that lags behind, says nothing or is missing keeps nobody from opening it", async () => {
    const log = await crash(writeChanges);
    for (const text of ["0\n", "", "many\n", "-1\n", "1e9\n", "9".repeat(400)]) {
      await layOut(log);
      await writeFile(`${crashed}-revision`, text);
      expect(await (await open(basename(crashed))).approvals.inForce(0), text).toHaveLength(1);
      await opened.pop()?.close();
    }
    await layOut(log);
    await rm(`${crashed}-revision`);
    await open(basename(crashed));
  });

  it("refuses an earlier copy that is put in the place of a store, until it is removed", async () => {
    await crash(writeChanges);
    const store = await open("onym.db");
    await store.backup?.(join(folder, "copy.db"));
    await store.approvals.decide(approvalOf());
    crashed = join(folder, "crashed-restored.db");
    await copyFile(join(folder, "copy.db"), crashed);
    await copyFile(join(folder, "onym.db-revision"), `${crashed}-revision`);
    await expectRefused(LOST);
    await rm(`${crashed}-revision`);
    await open(basename(crashed));
  });

  it("is its owner's alone, as the store is (SAFE-7)", async () => {
    await crash(writeChanges);
    expect((await stat(join(folder, "onym.db-revision"))).mode & 0o777).toBe(0o600);
  });
});
