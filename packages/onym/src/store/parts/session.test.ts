import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { createTrouble } from "../create-store.js";
import type { Engine } from "../engine.js";
import { createStoreSession, type StoreSession } from "../session.js";
import { type LibsqlDatabase, openLibsql } from "../sqlite/libsql.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { createSecrets } from "./create-secrets.js";

let folder: string;
let engine: Engine;
/** Another process, as far as the file can tell. */
let other: LibsqlDatabase;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "onym-session-"));
  engine = await openSqlite({ location: "onym.db", folder, log: silentLog, now: () => 0 });
  other = openLibsql(join(folder, "onym.db"), "rw");
  await other.exec("begin immediate");
});

afterEach(async () => {
  other.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (session: StoreSession): Promise<unknown> =>
  session.write((tx) => tx.updateTable("onym_state").set({ revision: 7 }).execute());

/** A second passes at each look; at the last of `looks` the other process is done. */
function sessionFor(looks: number): { readonly session: StoreSession; readonly looked: () => number } {
  let looked = 0;
  const session = createStoreSession(
    engine,
    () => {},
    () => {
      looked += 1;
      if (looked === looks) void other.exec("rollback");
      return looked * 1000;
    },
  );
  return { session, looked: () => looked };
}

describe("a store that another process holds", () => {
  it("is tried again until it is free", async () => {
    const { session } = sessionFor(4);
    await write(session);
    expect(session.hasFailed()).toBe(false);
  });

  it("is given up after 5 s, with the reason: nothing waits without end (SAFE-5)", async () => {
    const { session, looked } = sessionFor(1000);
    await expect(write(session)).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("another process holds it"),
    });
    expect(looked()).toBe(7);
    expect(session.hasFailed()).toBe(true);
    await other.exec("rollback");
    await write(session);
    expect(session.hasFailed()).toBe(false);
  });

  it.each([
    ["one below", 4_999, false],
    ["at", 5_000, false],
    ["one above", 5_001, true],
  ])("is tried again for 5 s: %s (limits: BUSY_TIMEOUT_MS of session) (SAFE-5)", async (_, ms, isGivenUp) => {
    let looked = 0;
    const session = createStoreSession(
      engine,
      () => {},
      () => {
        looked += 1;
        // The other process is done after the first attempt.
        if (looked === 2) void other.exec("rollback");
        return looked === 1 ? 0 : ms;
      },
    );
    const written = await write(session).then(
      () => "written",
      () => "given up",
    );
    expect(written).toBe(isGivenUp ? "given up" : "written");
  });

  it("is given up soon where it is known to fail, so that calls behind it are refused in time (SAFE-5)", async () => {
    let looked = 0;
    const session = createStoreSession(
      engine,
      () => {},
      () => {
        looked += 1;
        return looked * 100;
      },
    );
    await expect(write(session)).rejects.toMatchObject({ code: "store-unavailable" });
    expect(looked).toBeGreaterThan(50);
    const before = looked;
    await expect(write(session)).rejects.toMatchObject({ code: "store-unavailable" });
    expect(looked - before).toBeLessThan(6);
  });

  it("is trouble once a write has waited for a second, before it is given up (SAFE-5)", async () => {
    let ms = 0;
    const session = createStoreSession(
      engine,
      () => {},
      () => ms,
    );
    const trouble = createTrouble(session, createSecrets(session));
    expect(await trouble()).toBeUndefined();
    const written = write(session);
    ms = 2000;
    // Until its first attempt was turned away.
    while (session.heldMs() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await trouble()).toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("another process has held it for"),
    });
    await other.exec("rollback");
    await written;
    expect(session.heldMs()).toBe(0);
    expect(await trouble()).toBeUndefined();
  });

  it("counts from the first write that waits, however many came later (SAFE-5)", async () => {
    let ms = 0;
    let looked = 0;
    const session = createStoreSession(
      engine,
      () => {},
      () => {
        looked += 1;
        return ms;
      },
    );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = write(session);
    ms = 1000;
    while (session.heldMs() === 0) await turn();
    const second = write(session);
    ms = 3000;
    const held = new Set<number>();
    // Both are turned away several times.
    for (let attempts = 0; attempts < 20; held.add(session.heldMs())) {
      const before = looked;
      await turn();
      attempts += looked - before;
    }
    expect([...held]).toEqual([3000]);
    await other.exec("rollback");
    await Promise.all([first, second]);
  });
});
