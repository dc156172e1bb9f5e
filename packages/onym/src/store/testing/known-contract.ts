// What every engine must do with the tools that downstreams list (quarantine).

import { toolKeyOf } from "@onym/core/identity";
import { expect, it } from "vitest";
import type { KnownStore, Listing } from "../store.js";
import type { Suite } from "./names-contract.js";
import { approvalOf } from "./test-place.js";

const mail = { server: "mail", toolbox: undefined };

const listingOf = (tools: readonly string[], more: Partial<Listing> = {}): Listing => ({
  owner: mail,
  launch: "l1",
  tools,
  formerOwners: [],
  isWhole: true,
  at: 1,
  ...more,
});

async function statesOf(known: KnownStore): Promise<readonly string[]> {
  const { tools } = await known.load();
  return tools.map(({ tool, launch, state }) => `${JSON.parse(tool).at(-1)} ${launch} ${state}`).sort();
}

export function describeKnown({ newPlace, open }: Suite): void {
  it("knows what a server had when it was first seen, and no later tool until it is admitted (POL-1)", async () => {
    const place = await newPlace();
    const { known } = await open(place);
    expect(await known.load()).toEqual({ revision: 0, servers: [], tools: [] });
    expect(await known.note(listingOf(["send", "read", "send"]))).toEqual([]);
    const purge = toolKeyOf({ server: "mail", raw: "purge" });
    expect(await known.note(listingOf(["send", "purge"], { at: 2 }))).toEqual([purge]);
    expect(await statesOf(known)).toEqual(["purge l1 new", "read l1 known", "send l1 known"]);
    expect(await known.admit([{ tool: purge, launch: "l2" }], "ann")).toEqual([]);
    const admitted = { tool: purge, launch: "l1", state: "known", seenAt: 2, admittedBy: "ann\0" };
    expect(await known.admit([{ tool: purge, launch: "l1" }], "ann\0")).toEqual([admitted]);
    expect(await known.admit([{ tool: purge, launch: "l1" }], "bob")).toEqual([]);
    // It is gone, and comes back.
    await known.note(listingOf([]));
    expect(await known.note(listingOf(["read", "purge"]))).toEqual([]);
    const again = (await open(place)).known;
    expect(await again.load()).toMatchObject({ servers: [mail], tools: expect.arrayContaining([admitted]) });
    expect(await again.revision()).toBe(3);
  });

  it("is not changed, and tells nobody, where a listing has nothing new", async () => {
    const store = await open(await newPlace());
    await store.known.note(listingOf(["send"]));
    const revisions: number[] = [];
    store.watch((revision) => revisions.push(revision));
    await store.known.note(listingOf(["send"], { at: 9 }));
    await store.known.note(listingOf([], { isWhole: false }));
    await store.known.admit([{ tool: toolKeyOf({ server: "mail", raw: "send" }), launch: "l1" }], "ann");
    expect(await store.known.revision()).toBe(1);
    await store.known.note(listingOf(["purge"]));
    expect(revisions.filter((revision) => revision > 1)).toEqual([2]);
  });

  it("takes a server that was seen under a former id for no new one, also once that is forgotten (LOCK-5) (POL-1)", async () => {
    const { known } = await open(await newPlace());
    const post = { server: "post", toolbox: undefined };
    await known.note(listingOf(["send"]));
    const moved = { owner: post, formerOwners: [{ server: "letters", toolbox: undefined }, mail] };
    const purge = toolKeyOf({ server: "post", raw: "purge" });
    const send = toolKeyOf({ server: "post", raw: "send" });
    expect(await known.note(listingOf(["send", "purge"], moved))).toEqual([send, purge]);
    expect(await known.note(listingOf(["send", "purge", "wipe"], { owner: post }))).toHaveLength(1);
    const inAnother = {
      owner: { server: "post", toolbox: "dev" },
      formerOwners: [{ ...mail, toolbox: "dev" }],
    };
    expect(await known.note(listingOf(["send"], inAnother))).toEqual([]);
    expect((await known.load()).servers).toHaveLength(3);
  });

  it("takes a listing that is not whole for no beginning, and the next that is for one", async () => {
    const { known } = await open(await newPlace());
    await known.note(listingOf(["send"], { isWhole: false }));
    await known.note(listingOf([], { isWhole: false }));
    expect(await statesOf(known)).toEqual(["send l1 new"]);
    await known.note(listingOf(["send", "read"]));
    await known.note(listingOf(["send", "read", "late"], { isWhole: false }));
    expect(await statesOf(known)).toEqual(["late l1 new", "read l1 known", "send l1 known"]);
  });

  it("counts a server that had nothing as seen", async () => {
    const { known } = await open(await newPlace());
    expect(await known.note(listingOf([]))).toEqual([]);
    expect(await known.note(listingOf(["send"]))).toHaveLength(1);
  });

  it("takes a server that is reached in another way for new as a whole, and knows it again when it is back", async () => {
    const { known } = await open(await newPlace());
    await known.note(listingOf(["send"]));
    await known.note(listingOf(["send"], { launch: "l2" }));
    await known.note(listingOf(["send"]));
    expect(await statesOf(known)).toEqual(["send l1 known", "send l2 new"]);
  });

  it("tells servers and toolboxes apart, whatever is in their ids and in the names of their tools", async () => {
    const { known } = await open(await newPlace());
    const owners = [
      { server: "mail" },
      { server: "mail", toolbox: "dev" },
      { server: "dev", toolbox: "mail" },
      { server: '["server","mail"' },
      { server: "\ud800\0" },
    ];
    for (const owner of owners)
      expect(await known.note(listingOf(["", "send", "\0"], { owner }))).toEqual([]);
    for (const owner of owners) expect(await known.note(listingOf(["x"], { owner }))).toHaveLength(1);
    const { servers, tools } = await known.load();
    expect(servers).toHaveLength(5);
    expect(servers).toEqual(
      expect.arrayContaining(owners.map((owner) => ({ toolbox: undefined, ...owner }))),
    );
    expect(new Set(tools.map(({ tool }) => tool)).size).toBe(20);
  });

  it("forgets new names that are gone before a server that makes them up fills the store", async () => {
    const { known } = await open(await newPlace());
    await known.note(listingOf(["send"]));
    for (let at = 1; at <= 3; at += 1)
      await known.note(
        listingOf(
          Array.from({ length: 1500 }, (_, index) => `${at}-${index}`),
          { at },
        ),
      );
    const { tools } = await known.load();
    // The last listing, and the newest of those before it.
    expect(tools).toHaveLength(1 + 1500 + 1000);
    expect(tools.some(({ tool }) => tool.includes("1-"))).toBe(false);
  });

  it("is there, empty, in a store that was made before it, which keeps the rest", async () => {
    const place = await newPlace();
    const store = await open(place);
    await store.approvals.decide(approvalOf({ isOfLine: true }));
    await store.close();
    await place.tamper(
      "drop table onym_known_tools",
      "drop table onym_known_servers",
      "delete from onym_spaces where space = 'known'",
      "alter table onym_tools drop column successor",
      "alter table onym_chains drop column head_seal",
      "alter table onym_chains drop column anchor_seal",
      "alter table onym_approvals drop column key_seal",
      "alter table onym_approvals drop column is_once",
      "alter table onym_approvals drop column is_own",
      "alter table onym_pending drop column is_own",
      "delete from onym_migrations where number >= 2",
    );
    const later = await open(place);
    expect(await later.known.load()).toEqual({ revision: 0, servers: [], tools: [] });
    expect(await later.approvals.inForce(0)).toMatchObject([{ isOfLine: true }]);
  });

  it("refuses a tool that is known because its row was altered", async () => {
    const place = await newPlace();
    const { known } = await open(place);
    await known.note(listingOf(["send"]));
    await known.note(listingOf(["purge"]));
    await place.tamper("update onym_known_tools set state = 'known'");
    await expect(known.load()).rejects.toMatchObject({ code: "store-corrupt" });
  });
}
