import { chmodSync, readdirSync, statSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { createStore } from "../create-store.js";
import { openStore } from "../open-store.js";
import { MIGRATIONS } from "../schema/migrations.js";
import type { Store } from "../store.js";
import { prepareStoreProcesses, type StoreProcesses } from "../testing/store-process.js";
import { approvalOf, pendingOf, recordOf } from "../testing/test-place.js";
import { openLibsql } from "./libsql.js";
import { openSqlite } from "./open-sqlite.js";

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

function modesIn(place: string): readonly (readonly [string, number])[] {
  const names = readdirSync(place).sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => [name, statSync(join(place, name)).mode & 0o777] as const);
}

describe("a new file", () => {
  it("appears whole, in WAL mode and marked as ours, with nothing else left beside it", async () => {
    await open();
    expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
    const header = await readFile(file);
    expect(header.subarray(0, 15).toString()).toBe("SQLite format 3");
    expect([...header.subarray(18, 20)]).toEqual([2, 2]);
    expect(header.subarray(68, 72).toString()).toBe("Onym");
  });

  it.skipIf(process.platform === "win32")(
    "is its owner's alone, with the files beside it, whatever the umask is (SAFE-7)",
    async () => {
      const before = process.umask(0);
      try {
        const store = await open();
        await store.approvals.await(pendingOf());
        expect(modesIn(folder)).toEqual([
          ["onym.db", 0o600],
          ["onym.db-revision", 0o600],
          ["onym.db-shm", 0o600],
          ["onym.db-wal", 0o600],
        ]);
        await store.close();
        chmodSync(join(folder, "onym.db"), 0o644);
        await (await open()).close();
        expect(modesIn(folder)[0]).toEqual(["onym.db", 0o600]);
        // What only a group may read was given to it on purpose.
        chmodSync(join(folder, "onym.db"), 0o640);
        await (await open()).close();
        expect(modesIn(folder)[0]).toEqual(["onym.db", 0o640]);
      } finally {
        process.umask(before);
      }
    },
  );

  it("may have any name and any place, also by a link, and `:memory:` has none", async () => {
    await mkdir(join(folder, "data"));
    for (const location of ["data/a?b #%41.db", join(folder, "absolute.db"), ":memory:"]) {
      await (await open(location)).approvals.decide(approvalOf());
    }
    expect((await readdir(join(folder, "data"))).filter((name) => name.endsWith(".db"))).toEqual([
      "a?b #%41.db",
    ]);
    await symlink(join(folder, "absolute.db"), file);
    expect(await (await open()).approvals.inForce(0)).toHaveLength(1);
  });

  it("is not made where its folder is missing", async () => {
    await expect(open("missing/onym.db")).rejects.toMatchObject({ code: "store-unavailable" });
  });

  it.each(["", "mysql://root:geheim@host/db", "http://host/x", "libsql://host"])(
    "is not made at %j, and no password is told",
    async (location) => {
      const failure = open(location);
      await expect(failure).rejects.toMatchObject({ code: "store-location" });
      await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("geheim") });
    },
  );
});

describe("a store in use", () => {
  it("refuses to write when its file was removed or replaced", async () => {
    const store = await open();
    await store.approvals.decide(approvalOf());
    await copyFile(file, `${file}.copy`);
    await rm(file);
    await expect(store.approvals.decide(approvalOf())).rejects.toMatchObject({ code: "store-unavailable" });
    await copyFile(`${file}.copy`, file);
    await expect(store.audit.append([recordOf()])).rejects.toMatchObject({ code: "store-unavailable" });
  });

  it("hides nothing after a record: a text may go on where SQLite shows no more of it (POL-4)", async () => {
    const store = await open();
    await store.audit.append([recordOf({ sent: "é" }), recordOf()]);
    expect((await store.audit.verify()).broken).toEqual([]);
    const db = openLibsql(file, "rw");
    await db.exec("update onym_audit set body = body || char(0) || 'more'");
    db.close();
    expect((await store.audit.verify()).broken).toMatchObject([{ seq: 2 }]);
  });

  it("is migrated once by those who start at once with a later version, and keeps what it holds", async () => {
    await (await open()).approvals.decide(approvalOf());
    let runs = 0;
    const migrations = [
      ...MIGRATIONS,
      {
        name: "0002-test",
        up: async (db: Parameters<(typeof MIGRATIONS)[0]["up"]>[0]) => {
          runs += 1;
          await sql`create table onym_later (x text)`.execute(db);
        },
      },
    ];
    const stores = await Promise.all(
      Array.from({ length: 6 }, async () =>
        createStore({
          engine: await openSqlite({
            location: "onym.db",
            folder,
            log: silentLog,
            now: () => 0,
            migrations,
          }),
          replica: "r",
          log: silentLog,
          now: () => 0,
          migrations,
        }),
      ),
    );
    opened.push(...stores);
    expect(runs).toBe(1);
    expect(await stores[5]?.approvals.inForce(0)).toHaveLength(1);
    await expect(open()).rejects.toMatchObject({ code: "store-newer" });
  });

  it("leaves nothing of a migration that fails", async () => {
    await (await open()).close();
    const migrations = [
      ...MIGRATIONS,
      {
        name: "0002-test",
        up: async (db: Parameters<(typeof MIGRATIONS)[0]["up"]>[0]) => {
          await sql`create table onym_half (x text)`.execute(db);
          await sql`create table onym_half (x text)`.execute(db);
        },
      },
    ];
    const engine = await openSqlite({
      location: "onym.db",
      folder,
      log: silentLog,
      now: () => 0,
      migrations,
    });
    await expect(
      createStore({ engine, replica: "r", log: silentLog, now: () => 0, migrations }),
    ).rejects.toMatchObject({ code: "store-unavailable" });
    await open();
  });
});

describe("a disk that refuses", () => {
  let processes: StoreProcesses;
  beforeAll(async () => {
    processes = await prepareStoreProcesses();
  });
  afterAll(() => processes.stop());

  // A limit on the size of files stands for a full disk; the shell sets it only on Linux.
  it.skipIf(process.platform !== "linux")(
    "because it is full: what was not stored is not acknowledged, and the rest stays whole",
    async () => {
      await (await open()).approvals.decide(approvalOf());
      const full = processes.start({ fileSizeLimit: 400_000 });
      await full.ask("open", { location: "onym.db", folder });
      let acknowledged = 0;
      const fill = async (): Promise<void> => {
        for (;;) {
          await full.ask("audit.append", [recordOf({ arguments: "x".repeat(20_000) })]);
          acknowledged += 1;
        }
      };
      await expect(fill()).rejects.toThrow("store-unavailable");
      await expect(full.ask("approvals.decide", approvalOf({ digest: "y".repeat(50_000) }))).rejects.toThrow(
        "store-unavailable",
      );
      expect(await full.ask("approvals.inForce", 0)).toHaveLength(1);
      await full.kill();
      const store = await open();
      expect(acknowledged).toBeGreaterThan(0);
      expect(await store.audit.verify()).toEqual({ records: acknowledged, chains: 1, broken: [] });
      expect(await store.approvals.inForce(0)).toHaveLength(1);
      await store.approvals.await(pendingOf());
    },
  );

  // Only root can become a user who may not write.
  it.skipIf(process.getuid?.() !== 0)("because this user may only read", async () => {
    await (await open()).close();
    await Promise.all([rm(`${file}-wal`, { force: true }), rm(`${file}-shm`, { force: true })]);
    const stranger = processes.start();
    await stranger.ask("become", 65_534);
    await expect(stranger.ask("open", { location: "onym.db", folder })).rejects.toThrow("store-unavailable");
    await stranger.kill();
  });
});
