// The laws of quarantine, as properties over a real store: nothing becomes known but by its server's beginning or by being
// admitted, and nothing of one server reaches another, however ids, launches and names are cut.

import { toolKeyOf } from "@onym/core/identity";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildKnownTools } from "../../packages/onym/src/policy/new-tools.js";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import type { Store } from "../../packages/onym/src/store/store.js";
import { rawName } from "./nasty.js";

/** Few of each, so that they meet; and such as join to one text in several ways. */
const id = fc.constantFrom("a", "a_b", "a__b", "b", 'a","b', "__proto__", "");
const raw = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("b", "b__c", "c", "", "constructor") }, rawName);
const owner = fc.record({ server: id, toolbox: fc.option(id, { nil: undefined }) });
const launch = fc.constantFrom("l1", "l2", "");
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      owner,
      launch,
      tools: fc.array(raw, { maxLength: 4 }),
      isWhole: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("admit" as const), owner, launch, raw }) },
);

type Place = readonly [toolbox: string | undefined, server: string, launch: string, raw: string];

let store: Store;
beforeAll(async () => {
  store = await openStore({ location: ":memory:", folder: "." });
});
afterAll(() => store.close());

describe("the laws of quarantine (POL-1) (POL-2)", () => {
  it("earned: what is known was there at the beginning of its server, or was admitted while it was new, as itself", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        run += 1;
        // Servers of their own for each run, in one store.
        const own = (id: string) => `${run} ${id}`;
        const begun = new Set<string>();
        const known = new Map<string, Place>();
        const listed = new Map<string, Place>();
        let at = 0;
        for (const each of steps) {
          at += 1;
          const owner = { server: own(each.owner.server), toolbox: each.owner.toolbox };
          const placed = (raw: string): Place => [owner.toolbox, owner.server, each.launch, raw];
          if (each.kind === "admit") {
            const place = placed(each.raw);
            const tool = toolKeyOf({ ...owner, raw: each.raw });
            const admitted = await store.known.admit([{ tool, launch: each.launch }], "somebody");
            const wasNew = listed.has(textOf(place)) && !known.has(textOf(place));
            expect(admitted).toHaveLength(wasNew ? 1 : 0);
            if (wasNew) known.set(textOf(place), place);
            continue;
          }
          const { launch, tools, isWhole } = each;
          await store.known.note({ owner, formerOwners: [], launch, tools, isWhole, at });
          const beginner = JSON.stringify([owner.toolbox ?? null, owner.server]);
          const isFirst = isWhole && !begun.has(beginner);
          if (isFirst) begun.add(beginner);
          for (const raw of tools) {
            const place = placed(raw);
            listed.set(textOf(place), place);
            if (isFirst) known.set(textOf(place), place);
          }
        }
        const { isNew, isSeen } = buildKnownTools(await store.known.load());
        for (const [text, place] of listed) {
          const [toolbox, server, launch, raw] = place;
          const isHeld = isNew(toolKeyOf({ server, toolbox, raw }), launch);
          if (isHeld === known.has(text)) throw new Error(`${text} is ${isHeld ? "new" : "known"}`);
        }
        for (const each of steps) {
          const server = own(each.owner.server);
          const { toolbox } = each.owner;
          const isBegun = begun.has(JSON.stringify([toolbox ?? null, server]));
          if (isSeen({ server, toolbox }) !== isBegun) throw new Error(`${server} is ${isBegun}`);
        }
      }),
      { numRuns: 150 },
    );
  });
});

function textOf([toolbox, server, launch, raw]: Place): string {
  return JSON.stringify([toolbox ?? null, server, launch, raw]);
}
