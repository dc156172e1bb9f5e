// What must hold when several processes use one store.

import type { ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredAuditRecord } from "../../audit/audit-record.js";
import type { Suite } from "./names-contract.js";
import { prepareStoreProcesses, type StoreProcess, type StoreProcesses } from "./store-process.js";
import { approvalOf, lockOf, recordOf, toolA } from "./test-place.js";

export function describeProcesses({ newPlace, open }: Suite): void {
  describe("several processes", () => {
    let processes: StoreProcesses;
    beforeAll(async () => {
      processes = await prepareStoreProcesses();
    });
    afterAll(() => processes.stop());
    const start = (count: number): readonly StoreProcess[] =>
      Array.from({ length: count }, () => processes.start());

    it("that start at once on nothing make one store, once", async () => {
      const { location, folder } = await newPlace();
      const started = start(5);
      await Promise.all(started.map((process) => process.ask("open", { location, folder })));
      await Promise.all(started.map((process) => process.ask("approvals.decide", approvalOf())));
      const history = await started[0]?.ask("approvals.history");
      expect(history).toHaveLength(5);
      await Promise.all(started.map((process) => process.kill()));
    });

    it("that claim one name at once: one wins, and all agree", async () => {
      const { location, folder } = await newPlace();
      const started = start(5);
      await Promise.all(started.map((process) => process.ask("open", { location, folder })));
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          started[index % 5]?.ask("claim", "send", toolKeyOf({ server: `s${index}`, raw: "send" })),
        ),
      );
      expect(claims.filter((won) => won === true)).toHaveLength(1);
      const winner = toolKeyOf({ server: `s${claims.indexOf(true)}`, raw: "send" });
      const loaded = (await Promise.all(started.map((process) => process.ask("names.load", "tools")))) as {
        lock: { profiles: Map<string, { names: Map<string, { key: ToolKey }> }> };
      }[];
      for (const { lock } of loaded)
        expect([...(lock.profiles.get("openai")?.names ?? [])]).toEqual([["send", { key: winner }]]);
      await Promise.all(started.map((process) => process.kill()));
    });

    it("that see a server first at once: one says what it is known by, and what others list is new (POL-1)", async () => {
      const place = await newPlace();
      const { location, folder } = place;
      const started = start(5);
      await Promise.all(started.map((process) => process.ask("open", { location, folder })));
      const listing = { owner: { server: "mail" }, formerOwners: [], launch: "l", isWhole: true, at: 1 };
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          started[index % 5]?.ask("known.note", { ...listing, tools: ["send", `own_${index}`] }),
        ),
      );
      expect(added.filter((each) => Array.isArray(each) && each.length === 0)).toHaveLength(1);
      const { tools } = await (await open(place)).known.load();
      const first = toolKeyOf({
        server: "mail",
        raw: `own_${added.findIndex((each) => Array.isArray(each) && each.length === 0)}`,
      });
      const known = tools.filter(({ state }) => state === "known").map(({ tool }) => tool);
      expect(known).toEqual([first, toolKeyOf({ server: "mail", raw: "send" })]);
      expect(tools).toHaveLength(21);
      await Promise.all(started.map((process) => process.kill()));
    });

    it("decide, revoke and list while another writes, and all is there afterwards", async () => {
      const place = await newPlace();
      const gateway = await open(place);
      const clis = start(2);
      const { location, folder } = place;
      await Promise.all(clis.map((process) => process.ask("open", { location, folder })));
      let isOver = false;
      const written = (async () => {
        let count = 0;
        for (; !isOver || count < 50; count += 1) await gateway.audit.append([recordOf({ at: count })]);
        return count;
      })();
      const decided = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          clis[index % 2]?.ask("approvals.decide", approvalOf({ principal: `p${index}` })),
        ),
      );
      isOver = true;
      expect(decided).toHaveLength(40);
      const records = await written;
      expect(await gateway.approvals.inForce(0)).toHaveLength(40);
      expect(await gateway.audit.verify()).toEqual({ records, chains: 1, broken: [] });
      await Promise.all(clis.map((process) => process.kill()));
    });

    it("hear of each other's changes, the last one always", async () => {
      const place = await newPlace();
      const { location, folder } = place;
      const [one, two] = start(2) as [StoreProcess, StoreProcess];
      await Promise.all([one, two].map((process) => process.ask("open", { location, folder })));
      await Promise.all([one, two].map((process) => process.ask("watch")));
      const store = await open(place);
      for (let count = 0; count < 10; count += 1) await store.approvals.decide(approvalOf());
      await one.heard(10);
      await one.ask("names.swap", "tools", { revision: 0, lock: lockOf({}) }, lockOf({ send: toolA }));
      await Promise.all([one.heard(11), two.heard(11)]);
      for (const { revisions } of [one, two])
        expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      await Promise.all([one.kill(), two.kill()]);
    });

    it("keep what they acknowledged when they are killed", async () => {
      const place = await newPlace();
      const { location, folder } = place;
      const acknowledged: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        const process = processes.start();
        await process.ask("open", { location, folder });
        let count = 0;
        const working = (async () => {
          for (;;) {
            const call = `${round}-${count}`;
            await process.ask("audit.append", [recordOf({ call }), recordOf({ call, kind: "outcome" })]);
            acknowledged.push(call);
            count += 1;
            if (count === 10 + round) void process.kill();
          }
        })();
        await expect(working).rejects.toThrow("process-ended");
      }
      const store = await open(place);
      const verdict = await store.audit.verify();
      expect(verdict).toMatchObject({ chains: 5, broken: [] });
      const records: readonly StoredAuditRecord[] = await store.audit.read({ limit: 10_000 });
      const calls = records.map(({ call }) => call);
      expect(acknowledged.length).toBeGreaterThan(50);
      for (const call of acknowledged) expect(calls.filter((other) => other === call)).toHaveLength(2);
      expect(records.length % 2).toBe(0);
    });
  });
}
