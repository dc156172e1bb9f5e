// Awful tools on hostile servers that come, go, change and lie, called by many clients at once: every answer is the
// echo of the right tool, or a clean error (GW-5, GW-6, NAME-4). ONYM_MISROUTE_CALLS says how many calls at least.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isLong } from "../long-runs.js";
import { type Control, createControl } from "../servers/control.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { connectV1, connectV2 } from "./harness-clients.js";
import { createChance } from "./misroutes/chance.js";
import { createFleet, type Fleet } from "./misroutes/fleet.js";
import { createLedger } from "./misroutes/ledger.js";
import { connectLoadClient, type LoadClient, type LoadClientOptions } from "./misroutes/load-client.js";
import { wrapSdkClient } from "./misroutes/sdk-load-client.js";
import { createTraffic } from "./misroutes/traffic.js";
import { createUpheavals } from "./misroutes/upheaval.js";

const CALLS = Number(process.env["ONYM_MISROUTE_CALLS"] ?? (isLong ? 5_000 : 1_000));
const SEED = Number(process.env["ONYM_MISROUTE_SEED"] ?? 1);
/** Clients of each kind that call at once. */
const EACH = 2;
const UPHEAVALS_AT_ONCE = 3;

const PROFILES: readonly Omit<LoadClientOptions, "pool">[] = [
  { profile: "openai", era: "legacy" },
  { profile: "openai", era: "modern", path: "/mcp", headers: { "x-openai-mode": "true" } },
  { profile: "cursor", era: "legacy" },
  { profile: "cursor", era: "modern" },
  { profile: "claude-code", era: "legacy", path: "/mcp", clientName: "claude-code" },
  { profile: "claude-code", era: "modern" },
  { profile: "universal", era: "legacy", path: "/mcp", clientName: "nobody" },
  { profile: "universal", era: "modern" },
  { profile: "canonical", era: "legacy" },
  { profile: "canonical", era: "modern" },
  { profile: "vscode", era: "legacy" },
  { profile: "vscode", era: "modern" },
];

let control: Control;
let fleet: Fleet;
let onym: RunningOnym;
let pool: Pool;
const sdkClients: { readonly close: () => Promise<void> }[] = [];
const folder = mkdtempSync(join(tmpdir(), "onym-misroutes-"));

beforeAll(async () => {
  control = await createControl();
  fleet = createFleet(control, folder);
  for (const server of fleet.servers)
    if (server.kind.transport === "http" && server.present) await fleet.startHttp(server);
  onym = await startOnym({ config: fleet.config() });
  pool = new Pool(new URL(onym.url).origin, { connections: 128, pipelining: 1 });
});
afterAll(async () => {
  await Promise.all(sdkClients.map((client) => client.close()));
  await pool?.destroy();
  await onym?.stop();
  await control?.close();
  rmSync(folder, { recursive: true, force: true });
});

it(`GW-5 misroutes none of ${CALLS} calls while servers come, go, change, lie and hang, and moves no name (NAME-4)`, async () => {
  const wrongs: string[] = [];
  const ledger = createLedger(fleet.isKnown, wrongs);
  const traffic = createTraffic(fleet, ledger, wrongs);
  const clients = await Promise.all(PROFILES.map((options) => connectLoadClient({ pool, ...options })));
  const sdk = await connectSdkClients();
  const looker = clients.find(({ label }) => label === "canonical/modern") as LoadClient;
  const memory = [["start", rssOf(onym.pid)]];
  const began = Date.now();

  // All callable, in every profile, before anything happens.
  const sweepers = clients.filter((_, index) => index % 4 === 0 || index % 4 === 3);
  for (const client of sweepers) expect(await traffic.sweep(client)).toBe(289);
  expect(wrongs).toEqual([]);

  const upheavals = createUpheavals({
    fleet,
    onym,
    traffic,
    wrongs,
    chance: createChance(SEED),
    looker,
  });
  let isCalm = false;
  const isOver = (): boolean => {
    if (traffic.calls() >= 20_000 && memory.length === 1) memory.push(["20,000 calls", rssOf(onym.pid)]);
    return wrongs.length > 20 || (traffic.calls() >= CALLS && upheavals.isComplete());
  };
  const workers = [...Array.from({ length: EACH }, () => clients).flat(), ...sdk].map((client, index) =>
    traffic.work(client, SEED * 1000 + index, () => isCalm),
  );
  await Promise.all(Array.from({ length: UPHEAVALS_AT_ONCE }, () => upheavals.rage(isOver)));
  isCalm = true;
  await Promise.all(workers);

  // All callable again, whatever happened; and every name still belongs to whom it was first shown for.
  const offered = fleet.servers
    .filter(({ present }) => present)
    .reduce((sum, { tools }) => sum + tools.size, 0);
  for (const client of sweepers) expect(await traffic.sweep(client)).toBe(offered);
  memory.push(["end", rssOf(onym.pid)]);
  report({
    calls: traffic.calls(),
    seconds: (Date.now() - began) / 1000,
    lists: ledger.lists(),
    memory: Object.fromEntries(memory),
    kinds: Object.fromEntries(traffic.byKind),
    outcomes: Object.fromEntries(traffic.outcomes),
    upheavals: Object.fromEntries(upheavals.made),
    wrongs: wrongs.length,
  });
  expect(wrongs).toEqual([]);
  for (const kind of ["misroute", "unclean"]) expect(traffic.outcomes.get(kind) ?? 0).toBe(0);
  // It never fell over, and leaves in good order.
  expect(await onym.stop()).toEqual({ code: 0, signal: null });
}, 0);

async function connectSdkClients(): Promise<readonly LoadClient[]> {
  const { url } = onym;
  const modern = await connectV2({ url, profile: "openai", era: "modern" });
  const legacy = await connectV2({ url, profile: "cursor", era: "legacy" });
  const old = await connectV1({ url, profile: "universal" });
  sdkClients.push(modern, legacy, old);
  return [
    wrapSdkClient(modern, { profile: "openai", era: "modern" }),
    wrapSdkClient(legacy, { profile: "cursor", era: "legacy" }),
    wrapSdkClient(old, { profile: "universal", era: "legacy" }),
  ];
}

/** In MiB, where the system tells. */
function rssOf(pid: number): number | undefined {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? undefined : Math.round(Number(kib) / 1024);
  } catch {
    return undefined;
  }
}

/** The figures of a long run, for whoever started it. */
function report(figures: unknown): void {
  if (process.env["ONYM_MISROUTE_CALLS"] !== undefined) console.info(JSON.stringify(figures, undefined, 2));
}
