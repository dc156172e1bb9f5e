// onym store backup, and what onym doctor says of retention: the built program and a real store.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { approvalOf, recordOf } from "../packages/onym/src/store/testing/test-place.js";
import { newFolder, runOnym } from "./cli/run-onym.js";

let folder: string;
beforeEach(() => {
  folder = newFolder();
  configure({});
});

function configure(more: object): void {
  const config = { mcpServers: { docs: { tools: ["search"] } }, ...more };
  writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
}

const onym = (...args: readonly string[]) => runOnym(folder, [...args, "--config", "onym.json"]);

describe("onym store backup", () => {
  it("copies a store that is in use, whole, and writes over nothing", async () => {
    const store = await openStore({ location: "onym.db", folder });
    await store.audit.append([recordOf({ call: "one" }), recordOf({ call: "two" })]);
    await store.approvals.decide(approvalOf());
    expect(onym("store", "backup", "copy.db")).toMatchObject({
      code: 0,
      out: expect.stringContaining("copy.db is a whole copy of the store."),
    });
    await store.audit.append([recordOf({ call: "later" })]);
    await store.close();
    expect(onym("store", "backup", "copy.db").code).not.toBe(0);
    const copy = await openStore({ location: "copy.db", folder });
    expect(await copy.audit.verify()).toMatchObject({ records: 2, broken: [] });
    expect(await copy.approvals.inForce(0)).toHaveLength(1);
    await copy.close();
  });

  it("says that there is nothing to copy where nothing was kept yet", () => {
    expect(onym("store", "backup", "copy.db")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nothing was copied."),
    });
    expect(existsSync(join(folder, "copy.db"))).toBe(false);
  });
});

describe("onym doctor", () => {
  it.each([
    [{ retentionDays: 30, maxBytes: 64_000_000 }, "records are kept for 30 days, and up to 61 MiB"],
    [{ maxBytes: 64_000_000 }, "records are kept for up to 61 MiB"],
  ])("tells how long records are kept: %j", async (audit, message) => {
    configure({ audit });
    await (await openStore({ location: "onym.db", folder })).close();
    expect(JSON.parse(onym("doctor", "--json").out).checks).toContainEqual(
      expect.objectContaining({ name: "retention", status: "ok", message: expect.stringContaining(message) }),
    );
  });
});
