// What every engine's usage, secrets, watching and closing must do.

import { expect, it } from "vitest";
import type { Suite } from "./names-contract.js";
import { approvalOf, heardOf, lockOf, pendingOf, recordOf, toolA, toolB } from "./test-place.js";

export function describeRest({ newPlace, open }: Suite): void {
  it("counts who calls former names, also at once (LOCK-2)", async () => {
    const place = await newPlace();
    const stores = [await open(place), await open(place)];
    const use = { caller: "ann\0", name: "old_\ud800", tool: toolA };
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores[index % 2]?.usage.count({ ...use, at: 100 - index })),
    );
    await stores[0]?.usage.count({ ...use, tool: toolB, at: 7 });
    expect(await stores[1]?.usage.list()).toEqual([
      { ...use, count: 20, lastAt: 100 },
      { ...use, tool: toolB, count: 1, lastAt: 7 },
    ]);
  });

  it("keeps secrets byte for byte", async () => {
    const place = await newPlace();
    const { secrets } = await open(place);
    const value = Uint8Array.from({ length: 600 }, (_, index) => index % 256);
    expect(await secrets.read("key\0")).toBeUndefined();
    await secrets.write("key\0", value.subarray(3, 500));
    await secrets.write("other", new Uint8Array());
    const again = (await open(place)).secrets;
    expect(await again.read("key\0")).toEqual(value.slice(3, 500));
    expect(await again.read("other")).toEqual(new Uint8Array());
    await secrets.write("key\0", Uint8Array.of(1));
    expect(await again.read("key\0")).toEqual(Uint8Array.of(1));
    await secrets.remove("key\0");
    expect(await again.read("key\0")).toBeUndefined();
  });

  it("swaps a secret for one of many who saw the same", async () => {
    const place = await newPlace();
    const stores = [await open(place), await open(place)];
    const before = Uint8Array.of(0, 255);
    expect(await stores[0]?.secrets.swap("key", before, Uint8Array.of(1))).toBe(false);
    await stores[0]?.secrets.write("key", before);
    const swaps = Array.from({ length: 10 }, (_, index) =>
      stores[index % 2]?.secrets.swap("key", before, Uint8Array.of(index)),
    );
    const won = (await Promise.all(swaps)).flatMap((isMine, index) => (isMine === true ? [index] : []));
    expect(won).toHaveLength(1);
    expect(await stores[1]?.secrets.read("key")).toEqual(Uint8Array.from(won));
  });

  it("tells of every change of names, approvals and secrets, with rising revisions, and of nothing else", async () => {
    const store = await open(await newPlace());
    const revisions: number[] = [];
    store.watch((revision) => revisions.push(revision));
    const stop = store.watch(() => {
      throw new Error("a listener that fails hurts nobody");
    });
    const before = await store.names.load("tools");
    await store.names.swap("tools", before, lockOf({ a: toolA }));
    await store.names.swap("tools", before, lockOf({ b: toolA }));
    const asked = await store.approvals.await(pendingOf());
    await store.approvals.await(pendingOf());
    const decided = await store.approvals.decide(approvalOf({ digest: "another" }));
    await store.approvals.revoke(decided.id, 0);
    await store.approvals.revoke(decided.id, 0);
    stop();
    await store.approvals.dismiss(asked.id);
    await store.secrets.write("key", Uint8Array.of(1));
    await store.secrets.swap("key", Uint8Array.of(2), Uint8Array.of(3));
    await store.secrets.remove("key");
    await store.secrets.remove("key");
    await store.audit.append([recordOf()]);
    await store.usage.count({ caller: "c", name: "n", tool: toolA, at: 1 });
    expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("tells another connection of a change, also one made before it began to watch", async () => {
    const place = await newPlace();
    const [writer, reader] = [await open(place), await open(place)];
    await writer.approvals.decide(approvalOf());
    await heardOf(reader, 1);
    const second = heardOf(reader, 2);
    await writer.approvals.decide(approvalOf());
    await second;
  });

  it.each(["9007199254740991", "9223372036854775807", "1000000000000"])(
    "tells of a change also where the revision was set to %s, and back (POL-2)",
    async (forged) => {
      const place = await newPlace();
      const [writer, reader] = [await open(place), await open(place)];
      const approval = await writer.approvals.decide(approvalOf());
      await heardOf(reader, 1);
      /** When the reader hears of anything. */
      const heard = () =>
        new Promise<void>((resolve) => {
          const stop = reader.watch(() => {
            stop();
            resolve();
          });
        });
      const first = heard();
      await place.tamper(`update onym_state set revision = ${forged}`);
      await writer.approvals.await(pendingOf());
      await first;
      for (const digest of ["one", "two"]) {
        const next = heard();
        await writer.approvals.decide(approvalOf({ principal: digest }));
        await next;
      }
      await place.tamper("update onym_state set revision = 1");
      const last = heard();
      expect(await writer.approvals.revoke(approval.id, 0)).toBe(true);
      await last;
    },
  );

  it("finishes what is under way when it closes, once, and refuses what comes later", async () => {
    const place = await newPlace();
    const store = await open(place);
    const writing = [
      store.audit.append([recordOf()]),
      store.approvals.decide(approvalOf()),
      store.secrets.write("k", Uint8Array.of(1)),
    ];
    store.watch(() => {});
    await Promise.all([store.close(), store.close()]);
    await Promise.all(writing);
    await expect(store.audit.append([recordOf()])).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await (await open(place)).approvals.inForce(0)).toHaveLength(1);
  });

  it("refuses a store of a later version, and says what to do", async () => {
    const place = await newPlace();
    await (await open(place)).close();
    await place.tamper("insert into onym_migrations (number, name, applied_at) values (99, '0099-later', 0)");
    await expect(open(place)).rejects.toMatchObject({
      code: "store-newer",
      message: expect.stringContaining("0099-later"),
      hint: expect.stringContaining("later"),
    });
  });

  it.each([
    ["a table", "drop table onym_secrets"],
    ["the record of its schema", "drop table onym_migrations"],
    ["its rows in the record of its schema", "delete from onym_migrations"],
    ["its revision", "delete from onym_state"],
    ["a space", "delete from onym_spaces where space = 'prompts'"],
    ["the right schema", "update onym_migrations set name = 'mine'"],
  ])("refuses a store without %s, and does not repair it", async (_, statement) => {
    const place = await newPlace();
    await (await open(place)).close();
    await place.tamper(statement);
    await expect(open(place)).rejects.toMatchObject({ code: "store-corrupt" });
    await expect(open(place)).rejects.toMatchObject({ code: "store-corrupt" });
  });
}
