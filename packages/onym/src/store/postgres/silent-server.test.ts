import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { type DatabaseProxy, openImpatientProxy } from "../testing/open-proxy.js";
import { startPostgres, type TestPostgres } from "../testing/start-postgres.js";
import { approvalOf, heardOf, lockOf, pendingOf, recordOf, toolA } from "../testing/test-place.js";

let postgres: TestPostgres;
let location: string;
let proxy: DatabaseProxy;
const opened: Store[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  location = await postgres.newLocation();
  proxy = await openImpatientProxy(location);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await proxy.close();
});
afterAll(() => postgres.stop());

async function open(at: string): Promise<Store> {
  const store = await openStore({ location: at, folder: "." });
  opened.push(store);
  return store;
}

/** The proxy is impatient: on a busy machine even a database that is well may answer too late for it. */
async function untilAnswered(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      expect(error).toMatchObject(SILENT);
    }
  }
}

const SILENT = { code: "store-unavailable", message: expect.stringContaining("does not answer") };

describe("a PostgreSQL that holds the connection and says nothing", () => {
  it("fails everything that is asked of it, in time, and serves again when it speaks again", async () => {
    const direct = await open(location);
    const store = await open(proxy.location);
    await untilAnswered(() => store.audit.append([recordOf()]));
    while ((await store.trouble()) !== undefined);
    const before = await direct.names.load("tools");
    proxy.stall();
    const asked = await Promise.allSettled([
      store.audit.append([recordOf()]),
      store.audit.read({}),
      store.audit.verify(),
      store.audit.prune(0),
      store.names.load("tools"),
      store.names.swap("tools", before, lockOf({ send: toolA })),
      store.approvals.inForce(0),
      store.approvals.pending(),
      store.approvals.decide(approvalOf()),
      store.approvals.findWaiting(pendingOf()),
      store.approvals.await(pendingOf()),
      store.approvals.revoke(1, 0),
      store.usage.list(),
      store.secrets.read("x"),
      store.secrets.write("x", new Uint8Array(1)),
    ]);
    for (const answer of asked) expect(answer).toMatchObject({ status: "rejected", reason: SILENT });
    expect(await store.trouble()).toMatchObject(SILENT);
    proxy.fix();
    while ((await store.trouble()) !== undefined);
    await untilAnswered(() => store.audit.append([recordOf()]));
    // What was on its way when it went silent is there whole or not at all.
    expect((await direct.audit.verify()).broken).toEqual([]);
    expect([0, 1]).toContain((await direct.approvals.inForce(0)).length);
  });

  it("gives up no connection for good, however many fail at once", async () => {
    const store = await open(proxy.location);
    for (let round = 0; round < 3; round += 1) {
      proxy.stall();
      const asked = await Promise.allSettled(
        Array.from({ length: 30 }, () => store.audit.append([recordOf()])),
      );
      for (const answer of asked) expect(answer.status).toBe("rejected");
      proxy.fix();
      while ((await store.trouble()) !== undefined);
    }
    await Promise.all(
      Array.from({ length: 30 }, () => untilAnswered(() => store.audit.append([recordOf()]))),
    );
  });

  it("keeps nobody from starting for long, who then says so, nor from ending", async () => {
    const store = await open(proxy.location);
    store.watch(() => {});
    proxy.stall();
    await expect(open(proxy.location)).rejects.toMatchObject(SILENT);
    await store.close();
  });

  it("is listened to again on a new connection where the old one has gone dead", async () => {
    const direct = await open(location);
    const store = await open(proxy.location);
    const first = heardOf(store, 1);
    const stop = store.watch(() => {});
    await direct.approvals.decide(approvalOf());
    await first;
    const listens = proxy.sends("listen onym_changed");
    proxy.deaden();
    await listens;
    const second = heardOf(store, 2);
    await direct.approvals.decide(approvalOf());
    await second;
    stop();
  });
});

describe("the limits in the address of a database", () => {
  it.each(["query_timeout=0", "query_timeout=soon", "connect_timeout=-1", "connect_timeout=99999999"])(
    "are times, and %s is refused",
    async (limit) => {
      const failure = open(`postgres://u:geheim@127.0.0.1:1/db?${limit}`);
      await expect(failure).rejects.toMatchObject({
        code: "store-location",
        message: expect.stringMatching(/^(query|connect)_timeout in/),
      });
    },
  );
});
