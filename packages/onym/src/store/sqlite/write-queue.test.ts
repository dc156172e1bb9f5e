import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import { approvalOf, recordOf } from "../testing/test-place.js";

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
