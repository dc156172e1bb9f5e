import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, recordOf } from "../testing/test-place.js";
import { STATE_PAGE } from "./check-log.js";
import { openLibsql, readPragma } from "./libsql.js";

const FRAME = 24 + 4096;
const RECORDS = 12;

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
async function crash(write: (store: Store) => Promise<void> = writeRecords): Promise<Buffer> {
  const store = await open("onym.db");
  // Who reads keeps the log from being written into the file meanwhile.
  const reader = openLibsql(join(folder, "onym.db"), "ro");
  await reader.exec("begin");
  await readPragma(reader, "schema_version");
  await write(store);
  for (const suffix of ["", "-wal", "-shm"])
    await copyFile(join(folder, `onym.db${suffix}`), crashed + suffix);
  await copyFile(crashed, join(folder, "file"));
  reader.close();
  return readFile(`${crashed}-wal`);
}

async function writeRecords({ audit }: Store): Promise<void> {
  for (let at = 0; at < RECORDS; at += 1) await audit.append([recordOf({ at })]);
}

async function writeChanges({ approvals }: Store): Promise<void> {
  for (let at = 0; at < RECORDS; at += 1) await approvals.decide(approvalOf());
}

/** Where each transaction begins, and where the last one ends. */
function bordersOf(log: Buffer): readonly number[] {
  const ends = Array.from({ length: (log.length - 32) / FRAME }, (_, at) => 32 + at * FRAME)
    .filter((at) => log.readUInt32BE(at + 4) !== 0)
    .map((at) => at + FRAME);
  return [32, ...ends];
}

/** Under a name of its own: what this process had open there before is not what it finds. */
async function layOut(log: Buffer): Promise<void> {
  layouts += 1;
  crashed = join(folder, `crashed-${layouts}.db`);
  await copyFile(join(folder, "file"), crashed);
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
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(crashed)));
  const before = await Promise.all(names.map((name) => readFile(join(folder, name))));
  await expect(open(basename(crashed))).rejects.toMatchObject({
    code: "store-corrupt",
    message: expect.stringMatching(reason),
  });
  expect((await readdir(folder)).filter((name) => name.startsWith(basename(crashed)))).toEqual(names);
  for (const [at, name] of names.entries())
    expect((await readFile(join(folder, name))).equals(before[at] as Buffer), name).toBe(true);
}

describe("the log beside a store", () => {
  it("of a process that was killed gives back all that was committed", async () => {
    await crash();
    expect(await recordsOf()).toBe(RECORDS);
  });

  it("that was removed is missed", async () => {
    await crash();
    await rm(`${crashed}-wal`);
    await expectRefused(/its log crashed\.db-wal is missing.*remove crashed\.db-shm/);
    await rm(`${crashed}-shm`);
    await open(basename(crashed));
  });

  it("of a store that was moved away does not get into a new one", async () => {
    await crash();
    await rm(crashed);
    await expectRefused(/it is gone, and its log crashed\.db-wal is still there/);
    await rm(`${crashed}-wal`);
    await rm(`${crashed}-shm`);
    expect(await recordsOf()).toBe(0);
  });

  it("that is something else is refused, and everything is left as it is", async () => {
    const log = await crash();
    for (const other of [Buffer.alloc(5000, 0x61), Buffer.concat([Buffer.alloc(8, 1), log.subarray(8)])]) {
      await writeFile(`${crashed}-wal`, other);
      await expectRefused(/its log crashed.*\.db-wal is damaged/);
    }
  });

  it("with a byte flipped anywhere is refused, unless it is in the last change: that may have been torn", async () => {
    const log = await crash(writeChanges);
    const borders = bordersOf(log);
    expect(borders).toHaveLength(RECORDS + 1);
    // What marks the end of the one before it may be hit, and then the two are one.
    const end = (borders.at(-2) ?? 0) - FRAME;
    let flips = 0;
    for (let at = 0; at < end; at += 4201) {
      await layOut(withFlip(log, at));
      await expectRefused(/its log crashed.*\.db-wal is damaged/);
      flips += 1;
    }
    expect(flips).toBeGreaterThan(10);
  });

  it("that lacks anything before a change is refused, also where audit records alone are lacking", async () => {
    const log = await crash(async (store) => {
      await writeRecords(store);
      await store.secrets.write("key", new Uint8Array(1));
      await store.audit.append([recordOf()]);
    });
    const borders = bordersOf(log);
    for (let at = 32; at < (borders[RECORDS] ?? 0); at += 3 * 4201) {
      await layOut(withFlip(log, at));
      await expectRefused(/its log crashed.*\.db-wal is damaged/);
    }
  });

  it("that lacks audit records after the last change is what a power cut leaves: whole ones up to there (POL-4)", async () => {
    const log = await crash(async (store) => {
      await store.approvals.decide(approvalOf());
      await writeRecords(store);
    });
    const borders = bordersOf(log);
    for (let at = (borders[1] ?? 0) + 5; at < log.length; at += 4 * 4201) {
      // Pages reach the disk in any order.
      const lacking = Buffer.from(log);
      lacking.fill(0, at, at + 4096);
      await layOut(lacking);
      const store = await open(basename(crashed));
      const { records, broken } = await store.audit.verify();
      expect({ records, broken }).toEqual({
        records: borders.filter((border) => border <= at).length - 2,
        broken: [],
      });
      expect(await store.approvals.inForce(0)).toHaveLength(1);
      await opened.pop()?.close();
    }
  });

  it("shows changes by a page that is where it is thought to be", async () => {
    await open("onym.db");
    const db = openLibsql(join(folder, "onym.db"), "ro");
    const statement = await db.prepare("select rootpage from sqlite_master where name = 'onym_state'");
    expect(await statement.all([])).toEqual([{ rootpage: STATE_PAGE }]);
    db.close();
  });

  it("cut off at any length is what a crash leaves: whole transactions up to there", async () => {
    const log = await crash();
    for (let size = 0; size < log.length; size += 9973) {
      await layOut(log.subarray(0, size));
      expect(await recordsOf()).toBeLessThanOrEqual(RECORDS);
      await opened.pop()?.close();
    }
  });
});
