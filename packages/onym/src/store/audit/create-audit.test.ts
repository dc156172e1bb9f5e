import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditRecord } from "../../audit/audit-record.js";
import { OnymError } from "../../model/onym-error.js";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { recordOf } from "../testing/test-place.js";
import { createAuditWriter } from "./create-audit.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-writer-"));
  store = await openStore({ location: "onym.db", folder });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The real store, with a look at what is committed together. */
function spyBatches(): { readonly append: Store["audit"]["append"]; readonly sizes: number[] } {
  const sizes: number[] = [];
  return {
    sizes,
    append: (records) => {
      sizes.push(records.length);
      return store.audit.append(records);
    },
  };
}

describe("an audit writer", () => {
  it("refuses what is new where there is hardly any room, and still takes what came of what runs (POL-4, SAFE-4)", async () => {
    const full = new OnymError("store-unavailable", "The disk is all but full.", "Make room.");
    let room: OnymError | undefined;
    const writer = createAuditWriter(store.audit, { room: () => room });
    await writer.record(recordOf());
    room = full;
    await expect(writer.record(recordOf({ call: "new" }))).rejects.toBe(full);
    await writer.recordLater(recordOf({ kind: "outcome" }));
    room = undefined;
    await writer.record(recordOf({ call: "again" }));
    expect((await store.audit.read({})).map(({ kind, call }) => [kind, call])).toEqual([
      ["intent", "call-1"],
      ["outcome", "call-1"],
      ["intent", "again"],
    ]);
    await writer.close();
  });

  it("commits what arrives together in one go, and what arrives meanwhile in the next (POL-4)", async () => {
    const spy = spyBatches();
    const writer = createAuditWriter(spy);
    const first = Array.from({ length: 64 }, (_, at) => writer.record(recordOf({ at })));
    const later = first.map((done) => done.then(() => writer.record(recordOf({ kind: "outcome" }))));
    await Promise.all(later);
    expect(spy.sizes).toEqual([64, 64]);
    expect(await store.audit.verify()).toEqual({ records: 128, chains: 1, broken: [] });
  });

  it("commits what nobody waits for with what somebody waits for, else soon (POL-4)", async () => {
    const spy = spyBatches();
    const writer = createAuditWriter(spy);
    const followed = [1, 2].map((at) => writer.recordLater(recordOf({ at, kind: "outcome" })));
    await writer.record(recordOf({ at: 3 }));
    expect(spy.sizes).toEqual([3]);
    await Promise.all(followed);
    await writer.recordLater(recordOf({ at: 4, kind: "outcome" }));
    expect(spy.sizes).toEqual([3, 1]);
    expect((await store.audit.read({})).map(({ at }) => at)).toEqual([1, 2, 3, 4]);
  });

  it("commits in the order of arrival, in batches of bounded size (POL-4)", async () => {
    const spy = spyBatches();
    const writer = createAuditWriter(spy, { batchLimit: 10 });
    await Promise.all(
      Array.from({ length: 25 }, (_, at) => writer.record(recordOf({ at: 1, call: `${at}` }))),
    );
    expect(spy.sizes).toEqual([10, 10, 5]);
    expect((await store.audit.read({})).map(({ call }) => Number(call))).toEqual(
      Array.from({ length: 25 }, (_, at) => at),
    );
  });

  it("resolves only when the record can be read by others (POL-4)", async () => {
    const other = await openStore({ location: "onym.db", folder });
    const writer = createAuditWriter(store.audit);
    for (let at = 1; at <= 20; at += 1) {
      await writer.record(recordOf({ at }));
      expect(await other.audit.read({})).toHaveLength(at);
    }
    await other.close();
  });

  it("rejects all of a commit that failed, and goes on with the next (POL-4)", async () => {
    const loop: unknown[] = [];
    loop.push(loop);
    const writer = createAuditWriter(store.audit);
    const settled = await Promise.allSettled([
      writer.record(recordOf()),
      writer.record(recordOf({ arguments: loop })),
      writer.record(recordOf()),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await store.audit.read({})).toEqual([]);
    await writer.record(recordOf());
    expect(await store.audit.read({})).toHaveLength(1);
  });

  it("rejects when the store is gone (POL-4)", async () => {
    const writer = createAuditWriter(store.audit);
    await store.close();
    await expect(writer.record(recordOf())).rejects.toMatchObject({ code: "store-unavailable" });
  });

  it("refuses more than it may hold, and takes more once there is room", async () => {
    const writer = createAuditWriter(store.audit, { queueLimit: 3 });
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, (): Promise<void> => writer.record(recordOf())),
    );
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(results[4]).toMatchObject({ reason: { code: "audit-unavailable" } });
    await writer.record(recordOf());
  });

  it.each(["record", "recordLater"] as const)(
    "writes what it accepted by %s before it closes, and then refuses",
    async (by) => {
      const writer = createAuditWriter(store.audit);
      const accepted: readonly AuditRecord[] = Array.from({ length: 30 }, (_, at) => recordOf({ at }));
      const done = accepted.map((record) => writer[by](record));
      await Promise.all([writer.close(), writer.close()]);
      expect(await store.audit.read({})).toHaveLength(30);
      await Promise.all(done);
      await expect(writer.record(recordOf())).rejects.toMatchObject({ code: "audit-unavailable" });
    },
  );
});
