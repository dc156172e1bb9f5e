// Who may write the file can add triggers and views to it. A store goes by none of them, at the start or in use.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OnymError } from "../../model/onym-error.js";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, pendingOf, recordOf } from "../testing/test-place.js";
import { checkOnline } from "./check-file.js";
import { openLibsql, readPragma } from "./libsql.js";

const CORRUPT = { code: "store-corrupt", hint: expect.stringContaining("left as it is") };
const KEY = new Uint8Array(32).fill(7);

let folder: string;
let file: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-objects-"));
  file = join(folder, "onym.db");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openStore({
    location: "onym.db",
    folder,
    seal: { key: KEY, anchorFile: join(folder, "anchors") },
  });
  opened.push(store);
  return store;
}

async function tamper(statements: string): Promise<void> {
  const db = openLibsql(file, "rw", 1_000);
  await db.exec(statements);
  db.close();
}

const ignoring = (event: string, name = "t1"): string =>
  `create trigger ${name} before ${event} begin select raise(ignore); end`;

/** As the column beside its definition has it, the trigger is something else. */
const disguised = (
  type: string,
): string => `${ignoring("update on onym_approvals")}; pragma writable_schema = on;
  update sqlite_master set type = '${type}' where name = 't1'`;
const REDEFINED = `pragma writable_schema = on;
  update sqlite_master set sql = replace(sql, '"seal" text not null', '"seal" text not null on conflict ignore') where name = 'onym_approvals'`;

describe("a store that is opened", () => {
  it.each([
    [
      "a trigger",
      ignoring("update on onym_approvals"),
      /a trigger that Onym did not make, "t1".*DROP TRIGGER/,
    ],
    [
      "a trigger on a table of its own",
      `create table mine (a); ${ignoring("insert on mine")}`,
      /DROP TRIGGER/,
    ],
    [
      "a view",
      "create view v1 as select * from onym_approvals",
      /a view that Onym did not make, "v1".*DROP VIEW/,
    ],
    [
      "a view in the place of a table",
      "alter table onym_approvals rename to mine; create view onym_approvals as select * from mine",
      /DROP VIEW/,
    ],
    ["a trigger that is called an index", disguised("index"), /damaged/],
    ["a trigger that is called a table", disguised("table"), /damaged/],
    ["a table that discards rows", REDEFINED, /"onym_approvals" is not defined as Onym defines it/],
  ])("is refused with %s in it, and left as it is", async (_, statements, message) => {
    await (await open()).close();
    await tamper(statements);
    const before = await readFile(file);
    await expect(open()).rejects.toMatchObject({ ...CORRUPT, message: expect.stringMatching(message) });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it("may have tables and indexes of others, and opens again once a trigger is removed", async () => {
    await (await open()).close();
    await tamper(`create table mine (a unique); create index i1 on onym_audit (hash); create unique index i2 on mine (a);
      ${ignoring("insert on mine")}; analyze`);
    await expect(open()).rejects.toMatchObject(CORRUPT);
    await tamper("drop trigger t1");
    await open();
  });
});

describe("a store in use", () => {
  it("reports no decision as made that a trigger discards, and makes it once the trigger is gone (POL-2)", async () => {
    const store = await open();
    const { approvals } = store;
    const { id } = await approvals.decide(approvalOf({ expiresAt: 5000 }));
    const attempts: readonly (readonly [event: string, attempt: () => Promise<unknown>])[] = [
      ["update on onym_approvals", () => approvals.revoke(id, 2000)],
      ["update on onym_approvals", () => approvals.expire(id)],
      ["update on onym_approvals", () => approvals.decide(approvalOf())],
      ["insert on onym_approvals", () => approvals.decide(approvalOf({ verdict: "rejected" }))],
      ["insert on onym_pending", () => approvals.await(pendingOf())],
      ["update on onym_state", () => approvals.revoke(id, 2000)],
    ];
    for (const [event, attempt] of attempts) {
      await tamper(ignoring(event));
      await expect(attempt(), event).rejects.toMatchObject(CORRUPT);
      await expect(store.trouble()).resolves.toMatchObject(CORRUPT);
      await tamper("drop trigger t1");
    }
    expect((await approvals.history()).map(({ revokedAt }) => revokedAt)).toEqual([undefined]);
    expect(await approvals.revoke(id, 2000)).toBe(true);
    expect(await approvals.inForce(2000)).toEqual([]);
    await expect(store.trouble()).resolves.toBeUndefined();
  });

  it("takes a decision back that a trigger would undo", async () => {
    const { approvals } = await open();
    const { id } = await approvals.decide(approvalOf());
    await tamper(
      "create trigger t1 after update on onym_approvals begin update onym_approvals set revoked_at = null; end",
    );
    await expect(approvals.revoke(id, 2000)).rejects.toMatchObject(CORRUPT);
  });

  it.each(["insert on onym_audit", "update on onym_chains", "insert on onym_chains", "delete on onym_usage"])(
    "takes no record with a trigger before %s, so no call runs; without it, it goes on (POL-4)",
    async (event) => {
      const { audit } = await open();
      if (event !== "insert on onym_chains") await audit.append([recordOf()]);
      const { records } = await audit.verify();
      await tamper(ignoring(event));
      for (const batch of [[recordOf()], [recordOf({ at: 1 }), recordOf({ at: 9000 })]])
        await expect(audit.append(batch)).rejects.toMatchObject(CORRUPT);
      await tamper("drop trigger t1");
      await audit.append([recordOf()]);
      expect(await audit.verify()).toMatchObject({ records: records + 1, broken: [] });
    },
  );

  it("notices what a trigger discards that is no longer in the schema, but that connections still know", async () => {
    const { audit, approvals } = await open();
    const { id } = await approvals.decide(approvalOf());
    await audit.append([recordOf()]);
    await tamper(`${ignoring("update on onym_approvals", "t1")}; ${ignoring("insert on onym_audit", "t2")}`);
    await expect(approvals.revoke(id, 2000)).rejects.toMatchObject(CORRUPT);
    await expect(audit.append([recordOf()])).rejects.toMatchObject(CORRUPT);
    await tamper("pragma writable_schema = on; delete from sqlite_master where type = 'trigger'");
    const discarded = { ...CORRUPT, message: expect.stringContaining("did not take hold") };
    await expect(approvals.revoke(id, 2000)).rejects.toMatchObject(discarded);
    await expect(audit.append([recordOf()])).rejects.toMatchObject(discarded);
  });

  it("takes no record for a chain whose end is gone (POL-4)", async () => {
    const { audit } = await open();
    await audit.append([recordOf()]);
    await tamper("delete from onym_chains");
    await expect(audit.append([recordOf()])).rejects.toMatchObject(CORRUPT);
  });

  it("is refused by the check within the hour", async () => {
    await (await open()).close();
    const found: OnymError[] = [];
    const onDamage = (damage: OnymError) => found.push(damage);
    const check = checkOnline({ path: file, place: "onym.db", log: () => {}, onDamage });
    await check.look();
    expect(found).toEqual([]);
    await tamper(ignoring("delete on onym_usage"));
    await check.look();
    expect(found).toEqual([expect.objectContaining(CORRUPT)]);
    await check.close();
  });

  it("gives no backup that has a trigger", async () => {
    const store = await open();
    await tamper(ignoring("delete on onym_usage"));
    await expect(store.backup?.(join(folder, "copy.db"))).rejects.toMatchObject(CORRUPT);
    await expect(readFile(join(folder, "copy.db"))).rejects.toThrow("ENOENT");
    expect(await readPragma(openLibsql(file, "ro"), "quick_check")).toEqual(["ok"]);
  });
});
