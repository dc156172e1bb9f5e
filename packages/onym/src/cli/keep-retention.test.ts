import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Log } from "../observe/log.js";
import { openStore } from "../store/open-store.js";
import type { AuditRecord, Store } from "../store/store.js";
import { keepRetention } from "./keep-retention.js";

const DAY_MS = 24 * 60 * 60_000;
const NOW = 100 * DAY_MS;
let folder: string;
let store: Store;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "onym-retention-"));
  store = await openStore({ location: "onym.db", folder });
  await store.audit.append([1, 95, 99].map((day) => recordOf(day * DAY_MS)));
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function recordOf(at: number): AuditRecord {
  const none = undefined;
  const unknown = { profile: none, sent: none, tool: none, canonical: none, rule: none, decision: none };
  const rest = { definition: none, argumentsDigest: none, arguments: none, outcome: none, ms: none };
  return { kind: "refusal", at, call: `call ${at}`, caller: "local", ...unknown, ...rest };
}

it("removes what is past its time, and leaves a chain that verifies (POL-4)", async () => {
  const removed = new Promise<unknown>((resolve) => {
    const log: Log = (_, __, facts) => resolve(facts?.["removed"]);
    keepRetention(store.audit, { days: 30, log, now: () => NOW })();
  });
  expect(await removed).toBe(1);
  expect((await store.audit.read({})).map(({ at }) => at / DAY_MS)).toEqual([95, 99]);
  expect((await store.audit.verify()).broken).toEqual([]);
});

it("removes nothing where nothing was said", async () => {
  keepRetention(store.audit, { days: undefined, log: () => {}, now: () => NOW })();
  expect(await store.audit.read({})).toHaveLength(2);
});
