// What every engine's decisions must do (POL-2, POL-3).

import type { ToolKey } from "@onym/core";
import { describe, expect, it } from "vitest";
import type { Suite } from "./names-contract.js";
import { approvalOf, pendingOf, toolA, toolB } from "./test-place.js";

export function describeApprovals({ newPlace, open }: Suite): void {
  describe("approvals", () => {
    it("come back exactly, with rising ids, on another opening (POL-2)", async () => {
      const place = await newPlace();
      const store = await open(place);
      const odd = approvalOf({
        principal: "a\0\ud800\\",
        tool: '["namespaced","s","\\u0000"]' as ToolKey,
        definition: JSON.parse('{"description":"\\u0000\\ud800","inputSchema":{"__proto__":{"b":1,"a":2}}}'),
        expiresAt: 5000.5,
        decidedAt: 1_700_000_000_123,
      });
      const first = await store.approvals.decide(approvalOf());
      const second = await store.approvals.decide(odd);
      expect(second).toEqual({ ...odd, id: second.id, revokedAt: undefined });
      expect(second.id).toBeGreaterThan(first.id);
      const other = await open(place);
      expect(await other.approvals.inForce(0)).toEqual([first, second]);
      expect(JSON.stringify((await other.approvals.history())[1]?.definition)).toBe(
        JSON.stringify(odd.definition),
      );
    });

    it("are in force until they expire, are revoked, or a newer one takes their place", async () => {
      const store = await open(await newPlace());
      const ids = async (now: number) => (await store.approvals.inForce(now)).map(({ id }) => id);
      const expiring = await store.approvals.decide(approvalOf({ expiresAt: 2000 }));
      const others = await store.approvals.decide(approvalOf({ principal: "bob" }));
      const elsewhere = await store.approvals.decide(approvalOf({ tool: toolB }));
      expect(await ids(1999)).toEqual([expiring.id, others.id, elsewhere.id]);
      expect(await ids(2000)).toEqual([others.id, elsewhere.id]);
      const rejected = await store.approvals.decide(approvalOf({ principal: "bob", verdict: "rejected" }));
      expect(await ids(2000)).toEqual([elsewhere.id, rejected.id]);
    });

    it("do not come back when the newer one is revoked or expires", async () => {
      const store = await open(await newPlace());
      await store.approvals.decide(approvalOf());
      const rejected = await store.approvals.decide(approvalOf({ verdict: "rejected", expiresAt: 3000 }));
      expect(await store.approvals.inForce(3000)).toEqual([]);
      expect(await store.approvals.revoke(rejected.id, 2000)).toBe(true);
      expect(await store.approvals.inForce(2000)).toEqual([]);
    });

    it("that have expired stand as such, and are marked so that no clock brings them back", async () => {
      const store = await open(await newPlace());
      const ending = await store.approvals.decide(approvalOf({ expiresAt: 2000 }));
      const lasting = await store.approvals.decide(approvalOf({ principal: "bob" }));
      const revoked = await store.approvals.decide(approvalOf({ tool: toolB, expiresAt: 9000 }));
      await store.approvals.revoke(revoked.id, 1000);
      const over = { ...revoked, revokedAt: 1000 };
      expect(await store.approvals.standing()).toEqual([ending, lasting, over]);
      for (const { id } of [ending, lasting, revoked, ending]) await store.approvals.expire(id);
      expect(await store.approvals.standing()).toEqual([{ ...ending, revokedAt: 2000 }, lasting, over]);
      expect(await store.approvals.inForce(0)).toEqual([lasting]);
      expect(await store.approvals.revoke(ending.id, 0)).toBe(false);
    });

    it("that stand are read once, and again where they have changed (SAFE-5)", async () => {
      const place = await newPlace();
      const [store, other] = [await open(place), await open(place)];
      const ann = await store.approvals.decide(approvalOf());
      const bob = await store.approvals.decide(approvalOf({ principal: "bob", expiresAt: 2000 }));
      const first = await store.approvals.standing();
      expect(first).toEqual([ann, bob]);
      expect(await store.approvals.standing()).toBe(first);
      await other.approvals.expire(bob.id);
      const eve = await other.approvals.decide(approvalOf({ principal: "eve" }));
      const second = await store.approvals.standing();
      expect(second).toEqual([ann, { ...bob, revokedAt: 2000 }, eve]);
      expect(second[0]).toBe(first[0]);
      await other.approvals.revoke(ann.id, 1500);
      expect((await store.approvals.standing())[0]).toEqual({ ...ann, revokedAt: 1500 });
      await place.tamper("update onym_approvals set verdict = 'rejected' where principal = 'eve'");
      const again = await other.approvals.decide(approvalOf());
      // What was read stays what it was; who reads it for the first time finds that it was altered.
      expect(await store.approvals.standing()).toEqual([{ ...bob, revokedAt: 2000 }, eve, again]);
      await expect((await open(place)).approvals.standing()).rejects.toMatchObject({ code: "store-corrupt" });
    });

    it("are revoked once, and only while in force", async () => {
      const store = await open(await newPlace());
      const old = await store.approvals.decide(approvalOf());
      const current = await store.approvals.decide(approvalOf({ expiresAt: 5000 }));
      expect(await store.approvals.revoke(old.id, 1500)).toBe(false);
      expect(await store.approvals.revoke(current.id, 5000)).toBe(false);
      expect(await store.approvals.revoke(current.id, 1500)).toBe(true);
      expect(await store.approvals.revoke(current.id, 1600)).toBe(false);
      expect(await store.approvals.revoke(999_999, 1600)).toBe(false);
      expect(await store.approvals.history()).toEqual([old, { ...current, revokedAt: 1500 }]);
    });

    it("for one call are used up by one of many who try at once, on any replica", async () => {
      const place = await newPlace();
      const stores = [await open(place), await open(place), await open(place)];
      const once = await stores[0]?.approvals.decide(approvalOf({ isOnce: true }));
      expect(await stores[1]?.approvals.standing()).toEqual([
        { ...approvalOf({ isOnce: true }), id: once?.id },
      ]);
      const used = await Promise.all(
        Array.from({ length: 12 }, (_, index) => stores[index % 3]?.approvals.revoke(once?.id ?? 0, 1500)),
      );
      expect(used.filter((isUsed) => isUsed === true)).toHaveLength(1);
    });

    it("of before, under the first key of a line of renames, are told from those about the tool itself (LOCK-5)", async () => {
      const place = await newPlace();
      const store = await open(place);
      const old = await store.approvals.decide(approvalOf({ isOfLine: true }));
      expect(old.isOfLine).toBe(true);
      const asked = await store.approvals.await(pendingOf({ tool: toolB, isOfLine: true }));
      expect(await store.approvals.findPending(asked.id)).toEqual(asked);
      expect(asked.isOfLine).toBe(true);
      await place.tamper("update onym_approvals set is_own = 1");
      await expect((await open(place)).approvals.standing()).rejects.toMatchObject({ code: "store-corrupt" });
    });

    it("are told by tool, the newest last", async () => {
      const store = await open(await newPlace());
      const made = [];
      for (const tool of [toolA, toolB, toolA, toolA])
        made.push(await store.approvals.decide(approvalOf({ tool })));
      expect(await store.approvals.history({ tool: toolA, limit: 2 })).toEqual([made[2], made[3]]);
      expect(await store.approvals.history({ tool: toolB })).toEqual([made[1]]);
    });

    it("wait once for the same question, and end when it is decided (POL-3)", async () => {
      const store = await open(await newPlace());
      const { approvals } = store;
      const before = { description: "old \0" };
      const first = await approvals.await(pendingOf({ before }));
      expect(await approvals.await(pendingOf({ askedAt: 900 }))).toEqual(first);
      expect(first).toMatchObject({ askedAt: 500, before });
      const otherLaunch = await approvals.await(pendingOf({ launch: "launch-2" }));
      const otherDigest = await approvals.await(pendingOf({ digest: "digest-2" }));
      const otherAsker = await approvals.await(pendingOf({ principal: "bob" }));
      expect(await approvals.pending()).toEqual([first, otherLaunch, otherDigest, otherAsker]);
      await approvals.decide(approvalOf());
      expect(await approvals.pending()).toEqual([otherDigest, otherAsker]);
      expect(await approvals.dismiss(otherAsker.id)).toBe(true);
      expect(await approvals.dismiss(otherAsker.id)).toBe(false);
      expect(await approvals.pending()).toEqual([otherDigest]);
    });

    it("wait up to a caller's share, and push out nobody's (SAFE-5)", async () => {
      const { approvals } = await open(await newPlace());
      const ask = (principal: string, at: number) =>
        approvals.await(pendingOf({ principal, digest: `digest-${at}` }));
      const asked = [];
      for (let at = 0; at < 100; at += 1) asked.push(await ask("ann", at));
      await expect(ask("ann", 100)).rejects.toMatchObject({ code: "too-many-requests" });
      expect(await ask("ann", 99)).toEqual(asked[99]);
      const other = await ask("bob", 100);
      expect(await approvals.pending()).toEqual([...asked, other]);
      await approvals.dismiss(asked[0]?.id ?? 0);
      expect(await ask("ann", 100)).toMatchObject({ digest: "digest-100" });
      await expect(ask("ann", 101)).rejects.toMatchObject({ code: "too-many-requests" });
    });

    it("wait up to what all callers have together (SAFE-5)", async () => {
      const { approvals } = await open(await newPlace());
      const ask = (at: number) =>
        approvals.await(pendingOf({ principal: `caller-${at % 11}`, digest: `digest-${at}` }));
      for (let at = 0; at < 1_000; at += 1) await ask(at);
      await expect(ask(1_000)).rejects.toMatchObject({ code: "busy" });
      expect(await ask(0)).toMatchObject({ digest: "digest-0" });
      expect(await approvals.pending()).toHaveLength(1_000);
      expect(await approvals.countPending()).toBe(1_000);
    });

    it("that wait are found by what they ask, on any replica, as soon as they do and until they are decided (POL-3)", async () => {
      const place = await newPlace();
      const [store, other] = [await open(place), await open(place)];
      const find = async (more: Parameters<typeof pendingOf>[0] = {}) => [
        await store.approvals.findWaiting(pendingOf(more)),
        await other.approvals.findWaiting(pendingOf(more)),
      ];
      const none = [undefined, undefined];
      expect(await find()).toEqual(none);
      const odd = { principal: "a\0\ud800\\", tool: '["namespaced","s","\u0000"]' as ToolKey };
      const [asked, strange] = [
        await other.approvals.await(pendingOf()),
        await store.approvals.await(pendingOf(odd)),
      ];
      expect(await find({ askedAt: 900, definition: {} })).toEqual([asked.id, asked.id]);
      expect(await find(odd)).toEqual([strange.id, strange.id]);
      for (const another of [
        { principal: "bob" },
        { tool: toolB },
        { launch: "launch-2" },
        { digest: "digest-2" },
      ])
        expect(await find(another)).toEqual(none);
      await other.approvals.decide(approvalOf());
      expect(await find()).toEqual(none);
      const again = await store.approvals.await(pendingOf());
      expect(await find()).toEqual([again.id, again.id]);
      await store.approvals.dismiss(again.id);
      expect(await find()).toEqual(none);
    });

    it("that wait are found where no more may wait, and one more is refused at the first look (SAFE-5)", async () => {
      const { approvals } = await open(await newPlace());
      const about = (principal: string, at: number) => pendingOf({ principal, digest: `digest-${at}` });
      const asked = [];
      for (let at = 0; at < 100; at += 1) {
        expect(await approvals.findWaiting(about("ann\0", at))).toBeUndefined();
        asked.push(await approvals.await(about("ann\0", at)));
      }
      await expect(approvals.findWaiting(about("ann\0", 100))).rejects.toMatchObject({
        code: "too-many-requests",
      });
      expect(await approvals.findWaiting(about("ann\0", 99))).toBe(asked[99]?.id);
      for (let at = 0; at < 900; at += 1) await approvals.await(about(`caller-${at % 9}`, at));
      await expect(approvals.findWaiting(about("bob", 0))).rejects.toMatchObject({ code: "busy" });
      expect(await approvals.findWaiting(about("caller-0", 0))).toBeDefined();
      await approvals.dismiss(asked[0]?.id ?? 0);
      expect(await approvals.findWaiting(about("bob", 0))).toBeUndefined();
      expect(await approvals.findWaiting(about("ann\0", 0))).toBeUndefined();
    });

    it("wait in pages, the oldest first, of all or of one caller (SAFE-5)", async () => {
      const { approvals } = await open(await newPlace());
      const asked = [];
      for (let at = 0; at < 7; at += 1)
        asked.push(
          await approvals.await(
            pendingOf({ principal: at % 2 === 0 ? "ann\0" : "bob", digest: `digest-${at}` }),
          ),
        );
      const page = (principal: string | undefined, after: number, limit = 2) =>
        approvals.pendingPage({ principal, after, limit, maxBytes: 1_000_000 });
      const [a, b, c, d] = asked;
      expect(await page(undefined, 0)).toEqual({ entries: [a, b], total: 7, next: b?.id });
      expect(await page(undefined, b?.id ?? 0)).toEqual({ entries: [c, d], total: 7, next: d?.id });
      expect(await page("ann\0", a?.id ?? 0, 3)).toEqual({
        entries: [asked[2], asked[4], asked[6]],
        total: 4,
        next: undefined,
      });
      expect(await page("bob", asked[5]?.id ?? 0)).toEqual({ entries: [], total: 3, next: undefined });
      expect(await page("eve", 0)).toEqual({ entries: [], total: 0, next: undefined });
    });

    it("are read up to so many bytes of definitions, and one in any case (SAFE-5)", async () => {
      const { approvals } = await open(await newPlace());
      // Two bytes each in UTF-8: characters are not what is counted.
      const definition = { description: "é".repeat(1_000) };
      const asked = [];
      for (let at = 0; at < 4; at += 1)
        asked.push(
          await approvals.await(
            pendingOf({ digest: `digest-${at}`, definition, before: at === 1 ? definition : undefined }),
          ),
        );
      const decided = [];
      for (let at = 0; at < 3; at += 1)
        decided.push(await approvals.decide(approvalOf({ tool: toolB, definition })));
      const page = async (after: number, maxBytes: number) => {
        const { entries, next } = await approvals.pendingPage({
          principal: "ann",
          after,
          limit: 9,
          maxBytes,
        });
        return [entries, next];
      };
      const [a, b, c] = asked;
      expect(await page(0, 6_000)).toEqual([[a], a?.id]);
      expect(await page(0, 7_000)).toEqual([[a, b], b?.id]);
      expect(await page(a?.id ?? 0, 1)).toEqual([[b], b?.id]);
      expect(await page(b?.id ?? 0, 5_000)).toEqual([[c, asked[3]], undefined]);
      expect(await approvals.history({ maxBytes: 5_000 })).toEqual(decided.slice(1));
      expect(await approvals.history({ maxBytes: 1 })).toEqual(decided.slice(2));
    });

    it("are read by how the keys of their tools start", async () => {
      const { approvals } = await open(await newPlace());
      const keys = [
        '["toolbox","dev","mail","send"]',
        '["toolbox","dev_2","mail","send"]',
        '["toolbox","DEV","x","y"]',
      ];
      const [first, ...others] = keys as ToolKey[];
      if (first === undefined) throw new Error("no keys");
      const asked = await approvals.await(pendingOf({ tool: first }));
      for (const tool of others) await approvals.await(pendingOf({ tool }));
      const made = await approvals.decide(approvalOf({ tool: first, principal: "bob" }));
      for (const tool of others) await approvals.decide(approvalOf({ tool, principal: "bob" }));
      const page = (keyStarts: readonly string[]) =>
        approvals.pendingPage({ principal: undefined, keyStarts, after: 0, limit: 9, maxBytes: 1_000_000 });
      const keyStarts = ['["prompt","dev",', '["toolbox","dev",'];
      expect(await page(keyStarts)).toEqual({ entries: [asked], total: 1, next: undefined });
      expect(await approvals.history({ principal: "bob", keyStarts })).toEqual([made]);
      expect(await page([])).toEqual({ entries: [], total: 0, next: undefined });
      expect(await approvals.history({ keyStarts: [] })).toEqual([]);
    });

    it("are told by principal, among the last", async () => {
      const { approvals } = await open(await newPlace());
      const made = [];
      for (const principal of ["ann", "bob", "ann", "ann"])
        made.push(await approvals.decide(approvalOf({ principal })));
      expect(await approvals.history({ principal: "ann", limit: 2 })).toEqual(made.slice(2));
      expect(await approvals.history({ principal: "bob" })).toEqual([made[1]]);
      expect(await approvals.history({ principal: "eve" })).toEqual([]);
    });

    it("are found by number, and dismissed with all that is asked about the same", async () => {
      const { approvals } = await open(await newPlace());
      const asked = [];
      for (const digest of ["1", "2", "3"]) asked.push(await approvals.await(pendingOf({ digest })));
      const others = [
        await approvals.await(pendingOf({ principal: "bob" })),
        await approvals.await(pendingOf({ tool: toolB })),
      ];
      const [first, second, third] = asked;
      expect(await approvals.findPending(second?.id ?? 0)).toEqual(second);
      const about = { principal: "ann", tool: toolA };
      await approvals.dismissAbout({ ...about, before: second?.id });
      expect(await approvals.findPending(first?.id ?? 0)).toBeUndefined();
      expect(await approvals.pending()).toEqual([second, third, ...others]);
      await approvals.dismissAbout(about);
      expect(await approvals.pending()).toEqual(others);
    });

    it("of one caller that asks everywhere at once wait up to its share", async () => {
      const place = await newPlace();
      const stores = [await open(place), await open(place), await open(place)];
      await Promise.allSettled(
        Array.from({ length: 110 }, (_, at) =>
          stores[at % 3]?.approvals.await(pendingOf({ digest: `digest-${at}` })),
        ),
      );
      expect(await stores[0]?.approvals.pending()).toHaveLength(100);
    });

    it("that many ask for at once wait once", async () => {
      const place = await newPlace();
      const stores = [await open(place), await open(place), await open(place)];
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, index) => stores[index % 3]?.approvals.await(pendingOf())),
      );
      expect(new Set(asked.map((pending) => pending?.id)).size).toBe(1);
    });

    it.each([
      ["turned round", "update onym_approvals set verdict = 'approved'"],
      ["for somebody else", "update onym_approvals set principal = 'eve'"],
      ["without an end", "update onym_approvals set expires_at = null"],
      ["no longer revoked", "update onym_approvals set revoked_at = null"],
      ["for more than one call", "update onym_approvals set is_once = null"],
      ["for any tool of a line", "update onym_approvals set is_own = null"],
    ])("are refused when %s behind the store's back (POL-2)", async (_, statement) => {
      const place = await newPlace();
      const store = await open(place);
      const decided = await store.approvals.decide(
        approvalOf({ verdict: "rejected", expiresAt: 100, isOnce: true }),
      );
      if (statement.includes("revoked")) await store.approvals.revoke(decided.id, 50);
      await place.tamper(statement);
      await expect(store.approvals.inForce(0)).rejects.toMatchObject({ code: "store-corrupt" });
    });
  });
}
