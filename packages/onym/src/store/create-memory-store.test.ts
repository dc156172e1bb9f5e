import { toolKeyOf } from "@onym/core/identity";
import { expect, it } from "vitest";
import { silentLog } from "../model/log.js";
import { createMemoryStore } from "./create-memory-store.js";
import type { Listing } from "./store.js";
import { approvalOf, pendingOf, toolA, toolB } from "./testing/test-place.js";

const listingOf = (tools: readonly string[], more: Partial<Listing> = {}): Listing => ({
  owner: { server: "mail", toolbox: undefined },
  launch: "l1",
  tools,
  formerOwners: [],
  isWhole: true,
  at: 1,
  ...more,
});
const keyOf = (raw: string) => toolKeyOf({ server: "mail", raw });

it("keeps the newest decision for each principal and tool, until it expires (POL-2)", async () => {
  const { approvals } = createMemoryStore(silentLog);
  const first = await approvals.decide(approvalOf({ expiresAt: 2000 }));
  const others = await approvals.decide(approvalOf({ principal: "bob" }));
  const elsewhere = await approvals.decide(approvalOf({ tool: toolB }));
  expect(first).toEqual({ ...approvalOf({ expiresAt: 2000 }), id: first.id, revokedAt: undefined });
  expect(await approvals.standing()).toEqual([first, others, elsewhere]);
  for (const { id } of [first, others]) await approvals.expire(id);
  expect(await approvals.standing()).toEqual([{ ...first, revokedAt: 2000 }, others, elsewhere]);
  const rejected = await approvals.decide(approvalOf({ principal: "bob", verdict: "rejected" }));
  expect((await approvals.standing()).slice(1)).toEqual([elsewhere, rejected]);
});

it("waits once for the same question, and no more when it was decided (POL-3)", async () => {
  const { approvals } = createMemoryStore(silentLog);
  expect(await approvals.findWaiting(pendingOf())).toBeUndefined();
  const asked = await approvals.await(pendingOf());
  expect(await approvals.findWaiting(pendingOf({ askedAt: 900 }))).toBe(asked.id);
  expect(await approvals.findWaiting(pendingOf({ digest: "digest-2" }))).toBeUndefined();
  expect(await approvals.await(pendingOf({ askedAt: 900 }))).toEqual(asked);
  expect((await approvals.await(pendingOf({ launch: "launch-2" }))).id).not.toBe(asked.id);
  await approvals.decide(approvalOf({ tool: toolA }));
  expect(await approvals.findWaiting(pendingOf())).toBeUndefined();
  expect(await approvals.await(pendingOf({ askedAt: 900 }))).toMatchObject({ askedAt: 900 });
});

it("lets a caller's share wait, and no more than all may have: one below, at and one above (limits: MAX_CALLER_WAITING of store-errors) (limits: MAX_WAITING of store-errors) (SAFE-5)", async () => {
  const { approvals } = createMemoryStore(silentLog);
  const ask = (principal: string, at: number) =>
    approvals.await(pendingOf({ principal, digest: `digest-${at}` }));
  for (let caller = 0; caller < 9; caller += 1)
    for (let at = 0; at < 100; at += 1) await ask(`caller-${caller}`, at);
  await expect(ask("caller-0", 100)).rejects.toMatchObject({ code: "too-many-requests" });
  const look = (principal: string, at: number) =>
    approvals.findWaiting(pendingOf({ principal, digest: `digest-${at}` }));
  await expect(look("caller-0", 100)).rejects.toMatchObject({ code: "too-many-requests" });
  expect(await look("caller-0", 99)).toBeDefined();
  expect(await ask("caller-0", 99)).toMatchObject({ digest: "digest-99" });
  for (let at = 0; at < 99; at += 1) await ask("bob", at);
  await ask("ann", 0);
  await expect(ask("ann", 1)).rejects.toMatchObject({ code: "busy" });
  await expect(look("ann", 1)).rejects.toMatchObject({ code: "busy" });
});

it("knows what a server had when it was first seen, and no later tool (POL-1)", async () => {
  const { known } = createMemoryStore(silentLog);
  expect(await known.load()).toEqual({ revision: 0, servers: [], tools: [] });
  expect(await known.note(listingOf(["part"], { isWhole: false }))).toEqual([keyOf("part")]);
  expect(await known.note(listingOf(["part", "send"]))).toEqual([]);
  expect(await known.note(listingOf(["send", "purge"], { at: 2 }))).toEqual([keyOf("purge")]);
  expect(await known.note(listingOf(["send"], { launch: "l2" }))).toEqual([keyOf("send")]);
  const { servers, tools } = await known.load();
  expect(servers).toEqual([{ server: "mail", toolbox: undefined }]);
  expect(tools.map(({ tool, launch, state }) => [tool, launch, state])).toEqual([
    [keyOf("part"), "l1", "known"],
    [keyOf("send"), "l1", "known"],
    [keyOf("purge"), "l1", "new"],
    [keyOf("send"), "l2", "new"],
  ]);
});

it("tells of each change once, and of nothing that is no change", async () => {
  const { approvals, known, watch } = createMemoryStore(silentLog);
  const told: number[] = [];
  const stop = watch((revision) => told.push(revision));
  await approvals.decide(approvalOf());
  await known.note(listingOf(["send"]));
  await known.note(listingOf(["send"], { at: 9 }));
  expect(told).toEqual([1, 2]);
  expect(await known.revision()).toBe(1);
  stop();
  await approvals.decide(approvalOf());
  expect(told).toEqual([1, 2]);
});
