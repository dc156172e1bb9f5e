import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OnymError } from "../../model/onym-error.js";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, recordOf } from "../testing/test-place.js";
import { checkOnline } from "./check-file.js";
import { openLibsql, readPragma } from "./libsql.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "onym-backup-"));
  store = await openStore({ location: "onym.db", folder });
  for (let at = 0; at < 100; at += 1)
    await store.audit.append([recordOf({ at, arguments: "x".repeat(500) })]);
  await store.approvals.decide(approvalOf());
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a copy of a store in use", () => {
  it("is whole, private, and can be put in its place (SAFE-7)", async () => {
    const copy = join(folder, "it's a copy.db");
    await store.backup?.(copy);
    await store.audit.append([recordOf()]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("it's"))).toEqual(["it's a copy.db"]);
    await store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `onym.db${suffix}`), { force: true });
    await rename(copy, join(folder, "onym.db"));
    store = await openStore({ location: "onym.db", folder });
    expect(await store.audit.verify()).toEqual({ records: 100, chains: 1, broken: [] });
    expect(await store.approvals.inForce(0)).toHaveLength(1);
    await store.audit.append([recordOf()]);
    expect(await store.audit.verify()).toMatchObject({ records: 101, broken: [] });
  });

  it("is never written over what is there", async () => {
    const there = join(folder, "there.db");
    writeFileSync(there, "mine");
    await expect(store.backup?.(there)).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await readFile(there, "utf8")).toBe("mine");
    await expect(store.backup?.(join(folder, "no", "copy.db"))).rejects.toMatchObject({
      code: "store-unavailable",
    });
  });
});

describe("a file that is damaged while it is in use", () => {
  it("is noticed without a start, told of once, and takes no more records (POL-4)", async () => {
    const path = join(folder, "onym.db");
    const told: string[] = [];
    const found: OnymError[] = [];
    const check = checkOnline({
      path,
      place: "onym.db",
      log: (severity, text) => told.push(`${severity} ${text}`),
      onDamage: (damage) => found.push(damage),
    });
    await check.look();
    expect(found).toEqual([]);
    await damageAudit(path);
    await check.look();
    await check.look();
    expect(found).toEqual([expect.objectContaining({ code: "store-corrupt" })]);
    expect(told).toEqual([
      expect.stringMatching(/^error The store onym\.db is refused: .*Calls are refused/s),
    ]);
    await check.close();
  });

  it("is looked through within the hour by the store that uses it, which takes nothing new then (POL-4)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const watched = await openStore({ location: "onym.db", folder });
    try {
      const writer = watched.audit.createWriter();
      await writer.record(recordOf());
      expect(await watched.trouble()).toBeUndefined();
      await damageAudit(join(folder, "onym.db"));
      vi.advanceTimersByTime(60 * 60_000);
      await expect.poll(() => watched.trouble()).toMatchObject({ code: "store-corrupt" });
      // Refused for what the look found, and not by an attempt to write.
      await expect(writer.record(recordOf())).rejects.toBe(await watched.trouble());
    } finally {
      vi.useRealTimers();
      await watched.close();
    }
  });
});

/** Overwrites the last page that the audit's rows are in. */
async function damageAudit(path: string): Promise<void> {
  const db = openLibsql(path, "rw");
  await readPragma(db, "wal_checkpoint(TRUNCATE)");
  const [root] = (await (
    await db.prepare("select rootpage from sqlite_master where name = 'onym_audit'")
  ).all([])) as readonly { readonly rootpage: number }[];
  db.close();
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(4096, 0xa5), 0, 4096, ((root?.rootpage ?? 1) - 1) * 4096);
  await file.close();
}
