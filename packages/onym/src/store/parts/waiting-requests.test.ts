// What a look at the approval requests that wait costs the store (SAFE-5). What it finds is in the contract of all engines.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import type { Engine } from "../engine.js";
import { createStoreSession, type StoreSession } from "../session.js";
import { openLibsql } from "../sqlite/libsql.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { pendingOf } from "../testing/test-place.js";
import { createApprovals } from "./create-approvals.js";

let folder: string;
let engine: Engine;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "onym-waiting-"));
  engine = await openSqlite({ location: "onym.db", folder, log: silentLog, now: () => 0 });
});

afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Approvals, and how often they read and wrote. */
function openCounted() {
  const session = createStoreSession(engine, () => {});
  const used = { reads: 0, writes: 0 };
  let isBroken = false;
  const counted: StoreSession = {
    ...session,
    read: (work) => {
      used.reads += 1;
      return isBroken ? Promise.reject(new Error("broken")) : session.read(work);
    },
    change: (work) => {
      used.writes += 1;
      return session.change(work);
    },
  };
  return {
    approvals: createApprovals(counted, undefined, silentLog),
    used,
    break: (broken: boolean) => {
      isBroken = broken;
    },
  };
}

describe("looks at what waits (SAFE-5)", () => {
  it("that come at the same time are two reads and no write, however many", async () => {
    const { approvals, used } = openCounted();
    const asked = await approvals.await(pendingOf());
    const writes = used.writes;
    const looks = Array.from({ length: 500 }, (_, at) =>
      approvals.findWaiting(pendingOf(at % 2 === 0 ? {} : { digest: `digest-${at}` })),
    );
    await new Promise(setImmediate);
    // The first is reading, so these share the next one.
    for (let at = 0; at < 500; at += 1) looks.push(approvals.findWaiting(pendingOf()));
    const found = await Promise.all(looks);
    expect(new Set(found)).toEqual(new Set([asked.id, undefined]));
    expect(used).toEqual({ reads: 2, writes });
  });

  it("see what was committed before them, also where another is reading", async () => {
    const { approvals } = openCounted();
    for (let at = 0; at < 50; at += 1) {
      const before = approvals.findWaiting(pendingOf({ digest: "other" }));
      const { id } = await approvals.await(pendingOf({ digest: `digest-${at}` }));
      expect(await approvals.findWaiting(pendingOf({ digest: `digest-${at}` }))).toBe(id);
      await before;
    }
  });

  it("need nobody's leave to write", async () => {
    const { approvals } = openCounted();
    const { id } = await approvals.await(pendingOf());
    const other = openLibsql(join(folder, "onym.db"), "rw");
    await other.exec("begin immediate");
    expect(await approvals.findWaiting(pendingOf())).toBe(id);
    await other.exec("rollback");
    other.close();
  });

  it("that fail are errors, and the next one looks again", async () => {
    const counted = openCounted();
    const { id } = await counted.approvals.await(pendingOf());
    counted.break(true);
    await expect(counted.approvals.findWaiting(pendingOf())).rejects.toThrow("broken");
    counted.break(false);
    expect(await counted.approvals.findWaiting(pendingOf())).toBe(id);
  });
});
