// What every engine's audit must do (POL-4).

import { createHash } from "node:crypto";
import { canonicalJson } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import type { AuditRecord, StoredAuditRecord } from "../../audit/audit-record.js";
import type { Suite } from "./names-contract.js";
import { openWithAudit } from "./open-with-audit.js";
import { recordOf } from "./test-place.js";

const TEN: readonly AuditRecord[] = Array.from({ length: 10 }, (_, index) =>
  recordOf({ at: 1000 + index, call: `call-${index}` }),
);

export function describeAudit(suite: Suite): void {
  const { newPlace, open } = suite;
  /** In as many commits, so that each has a row for itself; or in fewer, so that they share some. */
  const openWithTen = (commits: readonly (readonly AuditRecord[])[] = TEN.map((record) => [record])) =>
    openWithAudit(suite, commits);

  const SHARED = [TEN.slice(0, 4), TEN.slice(4)];

  describe("audit", () => {
    it("gives records back exactly, chained from 64 zeros by SHA-256 (POL-4)", async () => {
      const place = await newPlace();
      const store = await open(place);
      const given = [
        recordOf({
          arguments: JSON.parse('{"z":"\\u0000","a":["\\ud800",{"__proto__":1}],"n":1e21}'),
          ms: 1.25,
        }),
        recordOf({ kind: "outcome", sent: "\0\ud800", tool: undefined, profile: undefined }),
      ];
      await store.audit.append(given);
      const read = await (await open(place)).audit.read({});
      let before = "0".repeat(64);
      for (const [index, { hash, ...stored }] of read.entries()) {
        const { chain, seq, ...record } = stored;
        expect(JSON.stringify(record.arguments)).toBe(canonicalArguments(given[index]?.arguments));
        expect(record).toEqual(given[index]);
        expect(seq).toBe(index + 1);
        expect(hash).toBe(
          createHash("sha256")
            .update(before)
            .update(canonicalJson({ ...record, chain, seq }))
            .digest("hex"),
        );
        before = hash;
      }
      expect(read).toHaveLength(2);
    });

    it("appends nothing for no records, and everything or nothing for many (POL-4)", async () => {
      const store = await open(await newPlace());
      await store.audit.append([]);
      const loop: unknown[] = [];
      loop.push(loop);
      await expect(store.audit.append([recordOf(), recordOf({ arguments: loop })])).rejects.toThrow(
        TypeError,
      );
      expect(await store.audit.read({})).toEqual([]);
      await store.audit.append(Array.from({ length: 1700 }, (_, at) => recordOf({ at })));
      expect(await store.audit.verify()).toEqual({ records: 1700, chains: 1, broken: [] });
    });

    it("takes large and small records in commits of any size (POL-4)", async () => {
      const store = await open(await newPlace());
      const sizes = [1, 3, 64, 65, 130];
      let at = 0;
      for (const count of sizes) {
        const text = "x".repeat(count % 2 === 1 ? 100_000 / count : 10);
        await store.audit.append(
          Array.from({ length: count }, () => recordOf({ at: ++at, arguments: { text } })),
        );
      }
      const read = await store.audit.read({ limit: 1000 });
      expect(read.map((record) => record.at)).toEqual(Array.from({ length: at }, (_, index) => index + 1));
      expect(await store.audit.verify()).toEqual({ records: at, chains: 1, broken: [] });
    });

    it("keeps one chain for each process, also when appends run at once (POL-4)", async () => {
      const place = await newPlace();
      const stores = [await open(place), await open(place)];
      await Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          stores[at % 2]?.audit.append([recordOf({ at }), recordOf({ at })]),
        ),
      );
      expect(await stores[0]?.audit.verify()).toEqual({ records: 60, chains: 2, broken: [] });
    });

    it.each([
      ["a row each", undefined],
      ["two rows", SHARED],
    ])("reads in pages from either end, of %s", async (_, commits) => {
      const { store, chain } = await openWithTen(commits);
      const calls = async (filter: Parameters<typeof store.audit.read>[0]) =>
        (await store.audit.read(filter)).map(({ call }) => Number(call.slice(5)));
      expect(await calls({ limit: 3 })).toEqual([0, 1, 2]);
      expect(await calls({ limit: 3, last: true })).toEqual([7, 8, 9]);
      expect(await calls({ after: { at: 1006, chain, seq: 7 } })).toEqual([7, 8, 9]);
      expect(await calls({ chain: "another" })).toEqual([]);
      expect(await calls({ chain, last: true, limit: 1 })).toEqual([9]);
    });

    it.each([
      ["changed", `update onym_audit set body = replace(body, 'call-4', 'call-x') where seq = 5`, 5],
      ["given another hash", `update onym_audit set hash = '${"a".repeat(64)}' where seq = 5`, 5],
      ["moved in time", "update onym_audit set at = 1 where seq = 5", 5],
      ["removed in the middle", "delete from onym_audit where seq = 5", 5],
      ["removed at the beginning", "delete from onym_audit where seq = 1", 1],
      ["removed at the end", "delete from onym_audit where seq = 10", 10],
      ["put into another chain", "update onym_audit set chain = 'another' where seq = 10", 10],
    ])("finds a record that was %s (POL-4)", async (_, statement, seq) => {
      const { place, store, chain } = await openWithTen();
      expect(await store.audit.verify()).toEqual({ records: 10, chains: 1, broken: [] });
      await place.tamper(statement);
      const { broken } = await store.audit.verify();
      expect(broken.find((found) => found.chain === chain)).toMatchObject({ seq });
    });

    it.each([
      ["changed", `update onym_audit set body = replace(body, 'call-6', 'call-x')`, 7],
      ["given another hash", `update onym_audit set hash = '${"a".repeat(64)}' where seq = 10`, 10],
      ["moved in time", "update onym_audit set at = 1 where seq = 10", 10],
      ["removed with its row", "delete from onym_audit where seq = 4", 1],
      ["put a row's place further", "update onym_audit set seq = 11 where seq = 10", 5],
      ["cut off its row", `update onym_audit set body = substr(body, 2)`, 1],
    ])("finds a record among others in a row that was %s (POL-4)", async (_, statement, seq) => {
      const { place, store, chain } = await openWithTen(SHARED);
      expect(await store.audit.verify()).toEqual({ records: 10, chains: 1, broken: [] });
      await place.tamper(statement);
      expect((await store.audit.verify()).broken).toMatchObject([{ chain, seq }]);
    });

    it("orders the records of chains whose rows reach into each other (POL-4)", async () => {
      const place = await newPlace();
      const stores = [await open(place), await open(place)];
      for (const from of [0, 40, 2000])
        for (const [index, store] of stores.entries())
          await store.audit.append(
            Array.from({ length: 30 }, (_, at) => recordOf({ at: from + 2 * at + index })),
          );
      const [store] = stores;
      const all = (await store?.audit.read({})) ?? [];
      expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort((a, b) => a - b));
      expect(all).toHaveLength(180);
      const paged: StoredAuditRecord[] = [];
      for (;;) {
        const after = paged.at(-1);
        const page = await store?.audit.read({ limit: 7, ...(after !== undefined && { after }) });
        if (page === undefined || page.length === 0) break;
        paged.push(...page);
      }
      expect(paged).toEqual(all);
      expect(await store?.audit.read({ limit: 50, last: true })).toEqual(all.slice(-50));
    });

    it("goes on in a store of the version that gave each record a row (POL-4)", async () => {
      const { place, store } = await openWithTen();
      await store.close();
      await place.tamper(
        "alter table onym_tools drop column successor",
        "alter table onym_chains drop column head_seal",
        "alter table onym_chains drop column anchor_seal",
        "alter table onym_approvals drop column key_seal",
        "alter table onym_approvals drop column is_once",
        "alter table onym_approvals drop column is_own",
        "alter table onym_pending drop column is_own",
        "delete from onym_migrations where number >= 3",
      );
      const later = await open(place);
      await later.audit.append(TEN);
      expect((await later.audit.read({})).map(({ call }) => call).sort()).toEqual(
        [...TEN, ...TEN].map(({ call }) => call).sort(),
      );
      expect(await later.audit.verify()).toEqual({ records: 20, chains: 2, broken: [] });
      expect(await later.audit.prune(1004)).toBe(8);
      expect(await later.audit.verify()).toEqual({ records: 12, chains: 2, broken: [] });
    });

    it("finds records that changed places (POL-4)", async () => {
      const { place, store, chain } = await openWithTen();
      await place.tamper(
        "update onym_audit set seq = 99 where seq = 5",
        "update onym_audit set seq = 5 where seq = 6",
        "update onym_audit set seq = 6 where seq = 99",
      );
      expect((await store.audit.verify()).broken).toMatchObject([{ chain, seq: 5 }]);
    });

    it("prunes prefixes only, and still verifies and goes on (POL-4)", async () => {
      const { place, store, chain } = await openWithTen();
      const other = await open(place);
      await other.audit.append([recordOf({ at: 5000 }), recordOf({ at: 1 })]);
      expect(await store.audit.prune(1004)).toBe(4);
      expect((await store.audit.read({ chain })).map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10]);
      expect(await store.audit.verify()).toEqual({ records: 8, chains: 2, broken: [] });
      expect(await store.audit.prune(1004)).toBe(0);
      expect(await store.audit.prune(9000)).toBe(8);
      await store.audit.append([recordOf()]);
      expect(await store.audit.verify()).toEqual({ records: 1, chains: 2, broken: [] });
      expect((await store.audit.read({ chain })).map(({ seq }) => seq)).toEqual([11]);
    });

    it("prunes within a row (POL-4)", async () => {
      const { place, store, chain } = await openWithTen(SHARED);
      expect(await store.audit.prune(1007)).toBe(7);
      expect((await store.audit.read({})).map(({ seq, call }) => [seq, call])).toEqual([
        [8, "call-7"],
        [9, "call-8"],
        [10, "call-9"],
      ]);
      expect(await store.audit.verify()).toEqual({ records: 3, chains: 1, broken: [] });
      await store.audit.append(TEN);
      expect(await store.audit.verify()).toEqual({ records: 13, chains: 1, broken: [] });
      await place.tamper("update onym_audit set body = replace(body, 'call-8', 'call-x')");
      expect((await store.audit.verify()).broken).toMatchObject([{ chain, seq: 9 }]);
    });

    it("finds what was changed after pruning, and a pruned record put back (POL-4)", async () => {
      const { place, store, chain } = await openWithTen();
      await store.audit.prune(1004);
      await place.tamper(
        `insert into onym_audit (chain, seq, at, hash, body) values ('${chain}', 2, 1, 'x', '{}')`,
      );
      expect((await store.audit.verify()).broken).toMatchObject([{ chain }]);
      await place.tamper("delete from onym_audit where seq in (2, 5)");
      expect((await store.audit.verify()).broken).toMatchObject([{ chain, seq: 5 }]);
    });
  });
}

/** Keys come back in canonical order; nothing else changes. */
function canonicalArguments(given: unknown): string | undefined {
  return given === undefined ? undefined : JSON.stringify(JSON.parse(canonicalJson(given)));
}
