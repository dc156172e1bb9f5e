// What every engine's audit must do with rows that hold several records (POL-4), and with rows that nobody wrote like that.

import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../../audit/audit-record.js";
import type { Store } from "../store.js";
import type { Suite } from "./names-contract.js";
import { openWithAudit } from "./open-with-audit.js";
import { recordOf } from "./test-place.js";

const recordsAt = (...times: readonly number[]): readonly AuditRecord[] =>
  times.map((at) => recordOf({ at, call: `call-${at}` }));

/** In rows of 4, 3 and 1. */
const COMMITS = [recordsAt(1001, 1002, 1003, 1004), recordsAt(2005, 2006, 2007), recordsAt(3008)];

/** SQL that puts the row that ends with the one record before the row that ends with the other, into it. */
const merge = (one: number, other: number): readonly string[] => [
  `update onym_audit set body =
    (select one.body || '\n' || one.hash || '\n' from onym_audit one where one.seq = ${one}) || body where seq = ${other}`,
  `delete from onym_audit where seq = ${one}`,
];

export function describeAuditRows(suite: Suite): void {
  const openWith = (commits: readonly (readonly AuditRecord[])[]) => openWithAudit(suite, commits);

  describe("rows of the audit", () => {
    it("hold what is within 50 ms, with time going forward (POL-4)", async () => {
      const times = [1000, 1050, 1051, 1102, 1101, 5000, 1];
      const { place, store } = await openWith([recordsAt(...times)]);
      expect(await store.audit.verify()).toEqual({ records: 7, chains: 1, broken: [] });
      await place.tamper("delete from onym_audit where seq not in (2, 3, 4, 5, 6, 7)");
      expect(await store.audit.verify()).toEqual({ records: 7, chains: 1, broken: [] });
      expect((await store.audit.read({})).map(({ at }) => at)).toEqual([...times].sort((a, b) => a - b));
    });

    it("hold no more than 64 Ki characters, save where one record has more (POL-4)", async () => {
      const records = Array.from({ length: 30 }, (_, at) =>
        recordOf({ at, arguments: { text: "x".repeat(at === 20 ? 100_000 : 10_000) } }),
      );
      const { place, store } = await openWith([records]);
      await place.tamper("delete from onym_audit where length(body) > 65536");
      expect((await store.audit.read({})).map(({ at }) => at)).toEqual(
        records.map(({ at }) => at).filter((at) => at !== 20),
      );
    });

    it("are taken away, oldest first, only where all take more than they may: one byte below, at and above (SAFE-4)", async () => {
      const { store } = await openWith([recordsAt(...Array.from({ length: 600 }, (_, n) => 1000 * (n + 1)))]);
      const bytes = await store.audit.bytes();
      expect([await store.audit.shrink(bytes + 1), await store.audit.shrink(bytes)]).toEqual([0, 0]);
      const removed = await store.audit.shrink(bytes - 1);
      // A tenth of it.
      expect([removed > 50, removed <= 100]).toEqual([true, true]);
      const [first] = await store.audit.read({ limit: 1 });
      expect(first?.at).toBe(1000 * (removed + 1));
      expect((await store.audit.verify()).broken).toEqual([]);
    });

    it("are taken away also where few take more than they may; the newest stays (SAFE-4)", async () => {
      const large = (at: number) => [recordOf({ at, arguments: "x".repeat(200_000) })];
      // Two of them at one moment.
      const { store } = await openWith([1000, 2000, 2000, 3000, 4000, 5000, 6000, 7000].map(large));
      const left = async (maxBytes: number): Promise<readonly number[]> => {
        await store.audit.shrink(maxBytes);
        return (await store.audit.read({})).map(({ at }) => at);
      };
      expect(await left(1_500_000)).toEqual([2000, 2000, 3000, 4000, 5000, 6000, 7000]);
      expect(await left(1_000_000)).toEqual([4000, 5000, 6000, 7000]);
      expect(await left(1000)).toEqual([7000]);
      expect(await left(1)).toEqual([7000]);
      expect(await store.audit.verify()).toMatchObject({ records: 1, broken: [] });
    });

    it("stay, the last 500 of them, where they are small and something else takes the room", async () => {
      const { store } = await openWith([recordsAt(...Array.from({ length: 530 }, (_, n) => 1000 * (n + 1)))]);
      const taken = await store.audit.bytes();
      await store.secrets.write("large", new Uint8Array(2 * taken));
      await store.audit.shrink(taken - 1);
      expect(await store.audit.read({})).toHaveLength(500);
    });

    it("are read on while one of another chain may reach back (POL-4)", async () => {
      const { place, store } = await openWith(
        [1000, 1002, 1004, 1006, 1008, 1010, 1012, 1014].map((at) => recordsAt(at)),
      );
      await (await suite.open(place)).audit.append(recordsAt(1001, 1040));
      expect((await store.audit.read({ limit: 5 })).map(({ at }) => at)).toEqual([
        1000, 1001, 1002, 1004, 1006,
      ]);
    });

    it.each([
      ["a line after its end", `update onym_audit set body = body || '\nx' where seq = 4`, 4],
      ["a line end after its end", `update onym_audit set body = body || '\n' where seq = 4`, 4],
      ["its hash after its end", `update onym_audit set body = body || '\n' || hash where seq = 4`, 4],
      ["a line after its only record", `update onym_audit set body = body || '\nx' where seq = 8`, 8],
      ["two lines too many", `update onym_audit set body = '{}\nx\n' || body where seq = 4`, 1],
      [
        "a line end in a record",
        `update onym_audit set body = replace(body, 'call-1003', '\ncall-1003') where seq = 4`,
        3,
      ],
      ["many of them", `update onym_audit set body = replace(body, '"', '\n"') where seq = 4`, 1],
      ["nothing in it", `update onym_audit set body = '' where seq = 8`, 8],
      ["a number in it", `update onym_audit set body = '5' where seq = 8`, 8],
    ])("with %s are found, and refused by who reads or prunes (POL-4)", async (_, statement, seq) => {
      const { place, store, chain } = await openWith(COMMITS);
      await place.tamper(statement);
      await expectRefusal(store, { chain, seq });
    });

    it.each([
      ["apart in time", [recordsAt(1000), recordsAt(1051)]],
      ["that go back in time", [recordsAt(1000), recordsAt(999)]],
    ])("are not merged of rows %s (POL-4)", async (_, commits) => {
      const { place, store, chain } = await openWith(commits);
      await place.tamper(...merge(1, 2));
      const [{ seq } = { seq: 0 }] = (await store.audit.verify()).broken;
      expect([1, 2]).toContain(seq);
      await expectRefusal(store, { chain, seq });
    });

    it("that lost their first records to pruning are sound (POL-4)", async () => {
      const { store } = await openWith(COMMITS);
      expect(await store.audit.prune(2006)).toBe(5);
      expect(await store.audit.verify()).toEqual({ records: 3, chains: 1, broken: [] });
      expect((await store.audit.read({})).map(({ at }) => at)).toEqual([2006, 2007, 3008]);
    });

    it("have the time of their last record (POL-4)", async () => {
      const { place, store, chain } = await openWith(COMMITS);
      await place.tamper("update onym_audit set at = 1005 where seq = 4");
      await expectRefusal(store, { chain, seq: 4 });
    });

    it("that are no text are found, and refused by who reads or prunes (POL-4)", async () => {
      const { place, store, chain } = await openWith(recordsAt(1000, 3000).map((record) => [record]));
      await place.tamper(
        place.location.startsWith("postgres:")
          ? "alter table onym_audit alter column body type bytea using convert_to(body, 'UTF8')"
          : "update onym_audit set body = cast(body as blob)",
      );
      await expectRefusal(store, { chain, seq: 1 });
    });

    it("keep to the chain that they were written for, and to their place in it (POL-4)", async () => {
      const { place, store } = await openWith(COMMITS);
      await place.tamper(
        "update onym_audit set chain = 'another'",
        "update onym_chains set chain = 'another'",
      );
      expect((await store.audit.verify()).broken).toMatchObject([{ chain: "another", seq: 1 }]);
      const { place: later, store: moved, chain } = await openWith(COMMITS);
      await later.tamper(
        "update onym_audit set seq = seq + 100",
        "update onym_chains set anchor_seq = 100, head_seq = head_seq + 100",
      );
      expect((await moved.audit.verify()).broken).toMatchObject([{ chain, seq: 101 }]);
    });
  });
}

async function expectRefusal(store: Store, place: { readonly chain: string; readonly seq: number }) {
  expect((await store.audit.verify()).broken).toMatchObject([place]);
  const refusal = {
    code: "store-corrupt",
    message: expect.stringMatching(/the audit record [1-9]\d* of \S+ was altered/),
  };
  await expect(store.audit.read({})).rejects.toMatchObject(refusal);
  await expect(store.audit.read({ last: true, limit: 50 })).rejects.toMatchObject(refusal);
  // Up to the first record of what was altered, and up to what follows it.
  const before = place.seq === 8 ? [3008, 4000] : [1003, 2005];
  for (const moment of before) await expect(store.audit.prune(moment)).rejects.toMatchObject(refusal);
}
