import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { recordOf } from "../testing/test-place.js";

const FRAME = 24 + 4096;
const RECORDS = 12;

let folder: string;
let crashed: string;
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

/** What a process leaves that was killed: the file, and all its records in the log. */
async function crash(): Promise<Buffer> {
  const store = await open("onym.db");
  for (let at = 0; at < RECORDS; at += 1) await store.audit.append([recordOf({ at })]);
  for (const suffix of ["", "-wal", "-shm"])
    await copyFile(join(folder, `onym.db${suffix}`), crashed + suffix);
  return readFile(`${crashed}-wal`);
}

async function recordsOf(): Promise<number> {
  const store = await open("crashed.db");
  return (await store.audit.verify()).records;
}

async function expectRefused(reason: RegExp): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith("crashed"));
  const before = await Promise.all(names.map((name) => readFile(join(folder, name))));
  await expect(open("crashed.db")).rejects.toMatchObject({
    code: "store-corrupt",
    message: expect.stringMatching(reason),
  });
  expect((await readdir(folder)).filter((name) => name.startsWith("crashed"))).toEqual(names);
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
    await open("crashed.db");
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
      await expectRefused(/its log crashed\.db-wal is damaged/);
    }
  });

  it("with a byte flipped anywhere is refused, unless it is in the last transaction: that may have been torn", async () => {
    const log = await crash();
    const frames = (log.length - 32) / FRAME;
    const commits = Array.from({ length: frames }, (_, at) => at).filter(
      (at) => log.readUInt32BE(32 + at * FRAME + 4) !== 0,
    );
    const lastBegins = 32 + ((commits.at(-2) ?? 0) + 1) * FRAME;
    expect(commits.length).toBe(RECORDS);
    let flips = 0;
    for (let at = 0; at < log.length; at += 4201) {
      const damaged = Buffer.from(log);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      await writeFile(`${crashed}-wal`, damaged);
      await rm(`${crashed}-shm`, { force: true });
      // What marks the end of the one before it may be hit, and then the two are one.
      if (at < lastBegins - FRAME) await expectRefused(/its log crashed\.db-wal is damaged/);
      flips += 1;
    }
    expect(flips).toBeGreaterThan(10);
  });

  it("cut off at any length is what a crash leaves: whole transactions up to there", async () => {
    const log = await crash();
    for (let size = 0; size < log.length; size += 9973) {
      await copyFile(join(folder, "onym.db"), crashed);
      await writeFile(`${crashed}-wal`, log.subarray(0, size));
      await rm(`${crashed}-shm`, { force: true });
      expect(await recordsOf()).toBeLessThanOrEqual(RECORDS);
      await opened.pop()?.close();
    }
  });
});
