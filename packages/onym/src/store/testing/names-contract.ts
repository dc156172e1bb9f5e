// What every engine's names must do.

import { EMPTY_LOCK, type Lock, type LockedName, type ToolKey } from "@onym/core";
import { describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { lockOf, type TestPlace, toolA, toolB } from "./test-place.js";

export interface Suite {
  readonly newPlace: () => Promise<TestPlace>;
  readonly open: (place: TestPlace) => Promise<Store>;
}

const NASTY = [
  "",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "\\",
  "\\u0000",
  "__proto__",
  "constructor",
  "é",
  "e\u0301",
  "😀",
  "'; drop table onym_names; --",
  "%_",
  "x".repeat(20_000),
  "A",
  "a",
  " a",
  "a ",
  "\n",
];

export function describeNames({ newPlace, open }: Suite): void {
  describe("names", () => {
    it("are empty at first, and apart for tools and prompts", async () => {
      const store = await open(await newPlace());
      const empty = await store.names.load("tools");
      expect(empty).toEqual({ revision: 0, lock: EMPTY_LOCK });
      const kept = await store.names.swap("tools", empty, lockOf({ crm_send: toolA }));
      expect(kept).toEqual({ outcome: "kept", stored: { revision: 1, lock: lockOf({ crm_send: toolA }) } });
      expect(await store.names.load("prompts")).toEqual({ revision: 0, lock: EMPTY_LOCK });
      expect([await store.names.revision("tools"), await store.names.revision("prompts")]).toEqual([1, 0]);
    });

    it("hold who became whom, also in a store that was made before they could (LOCK-5)", async () => {
      const place = await newPlace();
      const store = await open(place);
      const before = lockOf({ crm_send: toolA });
      await store.names.swap("tools", await store.names.load("tools"), before);
      await store.close();
      await place.tamper(
        "alter table onym_tools drop column successor",
        "alter table onym_chains drop column head_seal",
        "alter table onym_chains drop column anchor_seal",
        "alter table onym_approvals drop column key_seal",
        "alter table onym_approvals drop column is_once",
        "alter table onym_approvals drop column is_own",
        "alter table onym_pending drop column is_own",
        "delete from onym_migrations where number >= 4",
      );
      const later = await open(place);
      const stored = await later.names.load("tools");
      expect(stored.lock).toEqual(before);
      const known = before.tools.get(toolA) ?? { canonical: "", digest: "" };
      const next = { ...before, tools: new Map([[toolA, { ...known, successor: toolB }]]) };
      await later.names.swap("tools", stored, next);
      expect((await (await open(place)).names.load("tools")).lock).toEqual(next);
    });

    it("come back from another opening exactly as they were, whatever they hold (LOCK-1)", async () => {
      const place = await newPlace();
      const store = await open(place);
      const names = new Map(
        NASTY.map((name, index): [string, LockedName] => {
          const key = JSON.stringify(["namespaced", "s", name]) as ToolKey;
          const retired = ([undefined, "removed", "renamed"] as const)[index % 3];
          return [name, retired === undefined ? { key } : { key, retired }];
        }),
      );
      const lock: Lock = {
        profiles: new Map([
          ["canonical", { style: "canonical", names }],
          ["claude-code?as=\0", { style: "flat", names: new Map() }],
        ]),
        tools: new Map(NASTY.map((name) => [name as ToolKey, { canonical: name, digest: name }])),
      };
      await store.names.swap("tools", await store.names.load("tools"), lock);
      const other = await open(place);
      expect((await other.names.load("tools")).lock).toEqual(lock);
    });

    it("are not changed by who knew an older revision, who is told what is there", async () => {
      const store = await open(await newPlace());
      const before = await store.names.load("tools");
      await store.names.swap("tools", before, lockOf({ send: toolA }));
      const late = await store.names.swap("tools", before, lockOf({ send: toolB }));
      expect(late).toEqual({ outcome: "moved", stored: { revision: 1, lock: lockOf({ send: toolA }) } });
      expect(await store.names.load("tools")).toEqual(late.stored);
    });

    it("keep their revision when nothing changes", async () => {
      const store = await open(await newPlace());
      const { stored } = await store.names.swap(
        "tools",
        await store.names.load("tools"),
        lockOf({ send: toolA }),
      );
      expect(await store.names.swap("tools", stored, lockOf({ send: toolA }))).toEqual({
        outcome: "kept",
        stored,
      });
    });

    it("can be taken back, moved, retired and given another style", async () => {
      const store = await open(await newPlace());
      const steps: readonly Lock[] = [
        lockOf({ a: toolA, b: toolB }),
        lockOf({ a: toolB }),
        lockOf({ a: toolB, c: toolA }, "toolbox"),
        { profiles: new Map(), tools: new Map([[toolA, { canonical: "c", digest: "new" }]]) },
        EMPTY_LOCK,
      ];
      let stored = await store.names.load("tools");
      for (const step of steps) {
        ({ stored } = await store.names.swap("tools", stored, step));
        expect(await store.names.load("tools")).toEqual({ revision: stored.revision, lock: step });
      }
      expect(stored.revision).toBe(steps.length);
    });

    it("write thousands at once, and only what differs afterwards", async () => {
      const store = await open(await newPlace());
      const many = Object.fromEntries(Array.from({ length: 3500 }, (_, index) => [`tool_${index}`, toolA]));
      const first = await store.names.swap("tools", await store.names.load("tools"), lockOf(many));
      await store.names.swap("tools", first.stored, lockOf({ ...many, tool_7: toolB }));
      const { lock, revision } = await store.names.load("tools");
      expect(revision).toBe(2);
      expect(lock.profiles.get("openai")?.names.size).toBe(3500);
      expect(lock.profiles.get("openai")?.names.get("tool_7")).toEqual({ key: toolB });
    });

    it("of twenty connections that claim one name, one wins (20 claims)", async () => {
      const place = await newPlace();
      const stores = [await open(place)];
      while (stores.length < 20) stores.push(await open(place));
      const befores = await Promise.all(stores.map((store) => store.names.load("tools")));
      const swaps = await Promise.all(
        stores.map((store, index) =>
          store.names.swap("tools", befores[index] ?? { revision: -1, lock: EMPTY_LOCK }, {
            profiles: new Map([
              [
                "openai",
                { style: "flat", names: new Map([["send", { key: `["bare","${index}"]` as ToolKey }]]) },
              ],
            ]),
            tools: new Map(),
          }),
        ),
      );
      const winners = swaps.filter(({ outcome }) => outcome === "kept");
      expect(winners).toHaveLength(1);
      const now = await openStore({ location: place.location, folder: place.folder });
      expect((await now.names.load("tools")).lock).toEqual(winners[0]?.stored.lock);
      for (const { stored } of swaps) expect(stored).toEqual(winners[0]?.stored);
      await now.close();
    });

    it.each([
      ["lost", "delete from onym_names where name = 'b'"],
      ["given to another", `update onym_names set tool = '["namespaced","evil","x"]' where name = 'b'`],
      [
        "put there by somebody",
        "insert into onym_tools (id, space, tool, canonical, digest) values ('x', 'tools', 'x', 'x', 'x')",
      ],
      ["without its space", "update onym_spaces set seal = 'none' where space = 'tools'"],
    ])("are refused when a row was %s behind the store's back", async (_, statement) => {
      const place = await newPlace();
      const store = await open(place);
      await store.names.swap("tools", await store.names.load("tools"), lockOf({ a: toolA, b: toolB }));
      await place.tamper(statement);
      await expect(store.names.load("tools")).rejects.toMatchObject({ code: "store-corrupt" });
      await expect(
        store.names.swap("tools", { revision: 1, lock: EMPTY_LOCK }, EMPTY_LOCK),
      ).rejects.toMatchObject({ code: "store-corrupt" });
    });
  });
}
