import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, recordOf } from "../testing/test-place.js";
import { RESERVE_BYTES, watchRoom } from "./audit-connection.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-turns-"));
  store = await openStore({ location: "onym.db", folder });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe("those who write to a file from one process", () => {
  it("get their turn in the order they asked, records and decisions alike (POL-4)", async () => {
    const done: string[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) await store.approvals.decide(approvalOf({ principal: `p${index}` }));
        else await store.audit.append([recordOf({ at: index })]);
        done.push(index % 2 === 0 ? "decision" : "record");
      }),
    );
    // No record has to wait until all decisions are made.
    expect(done.indexOf("record")).toBeLessThan(done.lastIndexOf("decision"));
    expect(await store.audit.verify()).toEqual({ records: 10, chains: 1, broken: [] });
    expect(await store.approvals.inForce(0)).toHaveLength(10);
  });

  it("end their turn also when they fail", async () => {
    const loop: unknown[] = [];
    loop.push(loop);
    await expect(store.audit.append([recordOf({ arguments: loop })])).rejects.toThrow(TypeError);
    await expect(
      store.approvals.decide(approvalOf({ definition: { inputSchema: { loop } } as never })),
    ).rejects.toThrow(TypeError);
    await store.audit.append([recordOf()]);
    await store.approvals.decide(approvalOf());
  });
});

describe("keep log", () => {
  let folder: string;
  let store: Store;
  let told: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "onym-keep-"));
    told = [];
    store = await openStore({ location: "onym.db", folder, log: (_, text) => told.push(text) });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe("the log beside a store in use", () => {
    it("is written into the file soon after records were appended (POL-4)", async () => {
      await store.audit.append([recordOf({ sent: "a mark of its own" })]);
      await vi.waitFor(
        async () =>
          expect((await readFile(join(folder, "onym.db"))).includes("a mark of its own")).toBe(true),
        { timeout: 10_000 },
      );
    });

    it("begins anew while records go on being appended, and none is lost (POL-4)", async () => {
      const roundsOf = async (): Promise<number> =>
        (await readFile(join(folder, "onym.db-wal"))).readUInt32BE(12);
      const batch = Array.from({ length: 50 }, () => recordOf({ arguments: "x".repeat(4000) }));
      await store.audit.append(batch);
      const first = await roundsOf();
      let appended = 1;
      for (; appended < 2000 && (appended % 20 !== 0 || (await roundsOf()) === first); appended += 1)
        await store.audit.append(batch);
      expect(await roundsOf()).toBeGreaterThan(first);
      expect(await store.audit.verify()).toEqual({ records: 50 * appended, chains: 1, broken: [] });
    });

    it("is told of where it cannot be flushed, once", async () => {
      await rm(join(folder, "onym.db-wal"), { force: true });
      await store.audit.append([recordOf()]);
      await rm(join(folder, "onym.db-wal"), { force: true });
      await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 10_000 });
      await store.close();
      expect(told).toEqual(["the last audit records are not on the disk yet"]);
    });
  });
});

describe("watch room", () => {
  it.each([
    ["one below", RESERVE_BYTES - 1, false],
    ["at", RESERVE_BYTES, true],
    ["one above", RESERVE_BYTES + 1, true],
  ])(
    "with so many bytes left, something new may begin: %s the limit (limits: RESERVE_BYTES of audit-connection) (SAFE-4)",
    async (_, bytes, may) => {
      const { problem: room } = watchRoom({
        path: "/x/onym.db",
        place: "onym.db",
        measure: async () => bytes,
      });
      room();
      await new Promise((resolve) => setImmediate(resolve));
      expect(room() === undefined).toBe(may);
    },
  );

  it("is measured at most once a second, and begins again when there is room (SAFE-4)", async () => {
    let time = 0;
    let looks = 0;
    let left = 0;
    const measure = async (folder: string): Promise<number> => {
      expect(folder).toBe("/x");
      looks += 1;
      return left;
    };
    const { problem: room } = watchRoom({ path: "/x/onym.db", place: "onym.db", now: () => time, measure });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    expect(room()).toBeUndefined();
    await settled();
    for (let calls = 0; calls < 100; calls += 1)
      expect(room()).toMatchObject({
        code: "store-unavailable",
        message: expect.stringContaining("0 KiB left, and 16 MiB are kept"),
      });
    expect(looks).toBe(1);
    left = RESERVE_BYTES;
    time = 1000;
    room();
    await settled();
    expect(room()).toBeUndefined();
    expect(looks).toBe(2);
  });

  it("is no reason where it cannot be measured: writing finds out", async () => {
    const { problem: room } = watchRoom({
      path: "/x/onym.db",
      place: "onym.db",
      measure: async () => Promise.reject(new Error()),
    });
    room();
    await new Promise((resolve) => setImmediate(resolve));
    expect(room()).toBeUndefined();
  });
});
