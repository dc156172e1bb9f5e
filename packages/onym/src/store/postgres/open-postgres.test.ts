import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { createStore } from "../create-store.js";
import { openStore } from "../open-store.js";
import { MIGRATIONS } from "../schema/migrations.js";
import type { Store } from "../store.js";
import { openProxy } from "../testing/open-proxy.js";
import { runSql, startPostgres, type TestPostgres } from "../testing/start-postgres.js";
import { approvalOf, heardOf, lockOf, pendingOf, recordOf, toolA } from "../testing/test-place.js";
import { listenForChanges } from "./listen-for-changes.js";
import { openPostgres } from "./open-postgres.js";

let postgres: TestPostgres;
const opened: Store[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(() => postgres.stop());

async function open(location: string): Promise<Store> {
  const store = await openStore({ location, folder: "." });
  opened.push(store);
  return store;
}

describe("a store in PostgreSQL", () => {
  it("commits durably even where the database would not by itself", async () => {
    const location = new URL(await postgres.newLocation());
    location.searchParams.set("options", `${location.searchParams.get("options")} -c synchronous_commit=off`);
    const engine = await openPostgres(location.href, silentLog);
    const { rows } = await sql<{
      setting: string;
    }>`select current_setting('synchronous_commit') as setting`.execute(engine.db);
    expect(rows).toEqual([{ setting: "on" }]);
    await engine.close();
  });

  it("says that it cannot be reached or entered, and tells no password", async () => {
    const location = new URL(await postgres.newLocation());
    location.password = "geheim";
    location.pathname = "/nowhere";
    const failure = open(location.href);
    await expect(failure).rejects.toMatchObject({ code: "store-unavailable" });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("geheim") });
    await expect(open("postgres://u:geheim@[broken/db")).rejects.toMatchObject({
      code: "store-location",
      message: expect.not.stringContaining("geheim"),
    });
  });

  it("reports nothing as done that a rule of the database discards, and goes by triggers that do not (POL-2, POL-4)", async () => {
    const location = await postgres.newLocation();
    const { approvals, audit } = await open(location);
    const { id } = await approvals.decide(approvalOf({ expiresAt: 5000 }));
    await audit.append([recordOf()]);
    const attempts: readonly (readonly [event: string, attempt: () => Promise<unknown>])[] = [
      ["update to onym_approvals", () => approvals.revoke(id, 2000)],
      ["update to onym_approvals", () => approvals.expire(id)],
      ["insert to onym_approvals", () => approvals.decide(approvalOf())],
      ["insert to onym_pending", () => approvals.await(pendingOf())],
      ["update to onym_state", () => approvals.revoke(id, 2000)],
      ["insert to onym_audit", () => audit.append([recordOf()])],
      ["update to onym_chains", () => audit.append([recordOf()])],
      ["update to onym_chains", () => audit.prune(2000)],
    ];
    for (const [event, attempt] of attempts) {
      const table = event.replace(/.* /, "");
      // What a rule does instead returns something only if it says so.
      const nothing = event.startsWith("insert")
        ? `update ${table} set ${table === "onym_audit" ? "hash = hash" : "id = default"} where false returning ${table}.*`
        : "nothing";
      await runSql(location, [`create rule r1 as on ${event} do instead ${nothing}`]);
      await expect(attempt(), event).rejects.toMatchObject({
        code: "store-corrupt",
        message: expect.stringContaining("did not take hold"),
      });
      await runSql(location, [`drop rule r1 on ${table}`]);
    }
    await runSql(location, [
      `create function keep() returns trigger language plpgsql as 'begin return new; end'`,
      "create trigger t1 before update on onym_approvals for each row execute function keep()",
    ]);
    expect(await approvals.revoke(id, 2000)).toBe(true);
    expect(await audit.verify()).toMatchObject({ records: 1, broken: [] });
  });

  it("is migrated once by those who start at once with a later version", async () => {
    const location = await postgres.newLocation();
    await (await open(location)).approvals.decide(approvalOf());
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
          engine: await openPostgres(location, silentLog),
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
    await expect(open(location)).rejects.toMatchObject({ code: "store-newer" });
  });

  it("leaves other programs' tables in the same schema alone", async () => {
    const location = await postgres.newLocation();
    await runSql(location, ["create table customers (name text)", "insert into customers values ('Ann')"]);
    const store = await open(location);
    await store.approvals.decide(approvalOf());
    await runSql(location, ["delete from customers"]);
    expect(await store.approvals.inForce(0)).toHaveLength(1);
  });
});

describe("a connection to PostgreSQL that is cut", () => {
  it("rejects what is asked meanwhile, half does nothing, and works again once it is back", async () => {
    const location = await postgres.newLocation();
    const direct = await open(location);
    const proxy = await openProxy(location);
    const store = await open(proxy.location);
    await store.audit.append([recordOf()]);
    proxy.cut();
    const before = await direct.names.load("tools");
    const failed = await Promise.allSettled([
      store.audit.append([recordOf(), recordOf()]),
      store.names.swap("tools", before, lockOf({ send: toolA })),
      store.approvals.decide(approvalOf()),
    ]);
    for (const result of failed) expect(result).toMatchObject({ reason: { code: "store-unavailable" } });
    expect(await direct.audit.verify()).toEqual({ records: 1, chains: 1, broken: [] });
    expect(await direct.names.load("tools")).toEqual(before);
    proxy.fix();
    await store.audit.append([recordOf()]);
    expect(await direct.audit.verify()).toEqual({ records: 2, chains: 1, broken: [] });
    await store.close();
    await proxy.close();
  });

  it("is waited for, so that a server that is just starting is found", async () => {
    const proxy = await openProxy(await postgres.newLocation());
    proxy.cut();
    const opening = open(proxy.location);
    await proxy.refused;
    proxy.fix();
    await (await opening).approvals.decide(approvalOf());
    await opened.pop()?.close();
    await proxy.close();
  });

  it("is looked at again and again, so that a change that nobody told of is found", async () => {
    const connectionString = await postgres.newLocation();
    let looks = 0;
    let stop = async (): Promise<void> => {};
    // Once is when it begins to listen; nobody tells it anything.
    await new Promise<void>((resolve) => {
      const look = (): void => void (++looks === 3 && resolve());
      stop = listenForChanges({ config: { connectionString }, answerMs: 60_000, look, log: silentLog });
    });
    await stop();
  });

  it("misses no change: after it is back, the listener hears of what happened meanwhile", async () => {
    const location = await postgres.newLocation();
    const direct = await open(location);
    const proxy = await openProxy(location);
    const store = await open(proxy.location);
    const first = heardOf(store, 1);
    await direct.approvals.decide(approvalOf());
    await first;
    const second = heardOf(store, 2);
    proxy.cut();
    await direct.approvals.decide(approvalOf());
    proxy.fix();
    await second;
    const third = heardOf(store, 3);
    await runSql(location, [
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and pid <> pg_backend_pid()",
    ]);
    await direct.approvals.decide(approvalOf());
    await third;
    await store.close();
    await proxy.close();
  });
});
