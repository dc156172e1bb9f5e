import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditRecord } from "../../audit/audit-record.js";
import { loadConfig } from "../../config/load-config.js";
import type { Log } from "../../model/log.js";
import { openStore } from "../../store/open-store.js";
import type { Store } from "../../store/store.js";
import { keepRetention, openGuards } from "./open-guard.js";

const DAY_MS = 24 * 60 * 60_000;
const NOW = 100 * DAY_MS;
const OPTIONS = { maxBytes: 2 ** 40, everyMs: DAY_MS, now: () => NOW };
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
    keepRetention(store.audit, { ...OPTIONS, days: 30, log })();
  });
  expect(await removed).toBe(1);
  expect((await store.audit.read({})).map(({ at }) => at / DAY_MS)).toEqual([95, 99]);
  expect((await store.audit.verify()).broken).toEqual([]);
});

it("removes nothing where there is room and nothing was said", async () => {
  keepRetention(store.audit, { ...OPTIONS, days: undefined, log: () => {} })();
  expect(await store.audit.read({})).toHaveLength(2);
});

it("removes the oldest where they take too much, down to a tenth less, and says so (SAFE-4, POL-4)", async () => {
  for (let at = 0; at < 1500; at += 1)
    await store.audit.append([{ ...recordOf(NOW + 100 * at), arguments: "x".repeat(3000) }]);
  const before = await store.audit.bytes();
  const maxBytes = Math.floor(before / 2);
  const removed = await new Promise<unknown>((resolve) => {
    const log: Log = (severity, text, facts) => resolve([severity, text, Number(facts?.["removed"]) > 700]);
    keepRetention(store.audit, { ...OPTIONS, days: undefined, maxBytes, log })();
  });
  expect(removed).toEqual([
    "info",
    `the audit took more than ${maxBytes} bytes: its oldest records were removed`,
    true,
  ]);
  expect(await store.audit.bytes()).toBeLessThanOrEqual(maxBytes * 0.9);
  expect((await store.audit.verify()).broken).toEqual([]);
  const [last] = await store.audit.read({ last: true, limit: 1 });
  expect(last?.at).toBe(NOW + 100 * 1499);
});

it("keeps a bounded audit where the config says nothing, and says at the start how much (SAFE-4, POL-4)", async () => {
  const file = join(folder, "onym.json");
  writeFileSync(file, '{"store": "other.db"}');
  const env = { HOME: folder };
  const config = loadConfig({ file, env, cwd: folder });
  const told: unknown[] = [];
  const guards = await openGuards(config, (severity, text, facts) => told.push([severity, text, facts]), env);
  const guard = await guards.guardFor(config);
  expect(told).toContainEqual([
    "info",
    "the audit is kept until it is full, then its oldest records go",
    { maxBytes: 1024 ** 3, retentionDays: undefined },
  ]);
  await guard.close();
  await guards.close();
});
