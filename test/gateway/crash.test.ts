// `kill -9` at random moments under load, on both engines: no acknowledged decision is lost and none is half, every call
// that a downstream received has its intent on record, the audit chains verify, the lock is whole (POL-2, POL-4).
// ONYM_KILLS says how many kills in all.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../packages/onym/src/store/testing/start-postgres.js";
import { isLong } from "../long-runs.js";
import { type Control, createControl, type Directed } from "../servers/control.js";
import { inspectRemains, rawOf } from "./crash/inspect.js";
import { startLoad } from "./crash/load.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { askModern } from "./harness-raw.js";

const KILLS = Number(process.env["ONYM_KILLS"] ?? (isLong ? 40 : 6));
/** Kills on one store; then a new one, so that looking at all of it stays quick. */
const GENERATION = 25;
const UNDECIDED = 60;
/** A gateway is killed within this time after it listens, or after its first answer. */
const MAX_MS = 350;
/** How many of them are killed while they still connect. */
const EARLY = 0.2;

let control: Control;
let downstream: { readonly url: string; readonly control: Directed };
let postgres: TestPostgres;
const root = mkdtempSync(join(tmpdir(), "onym-crash-"));
let nonces = 0;
let folders = 0;

beforeAll(async () => {
  control = await createControl();
  // It outlives the gateways, so it knows what it received from each of them.
  downstream = await control.startHttp({ label: "mail", tools: toolsOf(0) });
  postgres = await startPostgres();
});

afterAll(async () => {
  await control.close();
  await postgres.stop();
  rmSync(root, { recursive: true, force: true });
});

describe("killed at random (POL-4)", () => {
  it.each([
    ["sqlite", async () => "onym.db"],
    ["postgres", () => postgres.newLocation()],
  ])(
    "on %s: loses nothing that it acknowledged, and forwards nothing unrecorded",
    async (engine, newLocation) => {
      const total = {
        kills: 0,
        answered: 0,
        received: 0,
        intents: 0,
        records: 0,
        chains: 0,
        acknowledged: 0,
      };
      for (let left = Math.ceil(KILLS / 2); left > 0; left -= GENERATION) {
        const done = await runGeneration(await newLocation(), Math.min(left, GENERATION));
        for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += done[key];
        if (process.env["ONYM_KILLS"] !== undefined)
          process.stdout.write(`${engine} ${JSON.stringify(total)}\n`);
      }
      expect(total.acknowledged).toBeGreaterThan(0);
      expect(total.received).toBeGreaterThan(0);
    },
  );
});

/** So many kills on one store. */
async function runGeneration(location: string, kills: number) {
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  const server = downstream.control;
  await server.direct({ do: "forget" });
  const acknowledged: (readonly [string, string])[] = [];
  let answered = 0;
  let latest: readonly string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    // Another definition, so that the same tools are undecided again.
    await server.direct({ do: "set", tools: toolsOf(++nonces), quiet: true });
    const onym = await start(folder, location);
    const load = startLoad({
      url: `${onym.url}/openai`,
      undecided: UNDECIDED,
      nextNonce: () => `n${++nonces}`,
    });
    // Each generation has at least one decision to lose.
    if (kill === 0) await load.decided;
    else if (Math.random() >= EARLY) await load.begun;
    await pause(Math.random() * MAX_MS);
    await onym.stop("SIGKILL");
    await load.ended;
    answered += load.answered();
    acknowledged.push(...load.acknowledged);
    latest = [...load.acknowledged.keys()];
    await inspectRemains({ location, folder, server, acknowledged });
  }
  await checkInForce(await start(folder, location), latest);
  const remains = await inspectRemains({ location, folder, server, acknowledged });
  // Those that nobody was told about any more may be there; they are whole, too.
  expect(new Set(remains.decisions.map(({ tool }) => rawOf(tool))).size).toBeLessThanOrEqual(UNDECIDED);
  return { ...remains, kills, answered, acknowledged: acknowledged.length };
}

/** What was decided before the last kill holds after it: nobody is asked. */
async function checkInForce(onym: RunningOnym, decided: readonly string[]): Promise<void> {
  for (const raw of decided) {
    const nonce = `n${++nonces}`;
    const params = { name: `mail_${raw}`, arguments: { nonce } };
    const { result } = await askModern({ url: `${onym.url}/openai`, method: "tools/call", params });
    expect(result?.["structuredContent"]).toMatchObject({ raw, nonce });
  }
  await onym.stop();
}

function start(dir: string, location: string): Promise<RunningOnym> {
  const config = {
    mcpServers: { mail: { url: downstream.url } },
    policy: { default: "allow", rules: [{ effect: "ask", tool: "mail@1/ask_*" }] },
    store: location,
    audit: { arguments: true },
  };
  return startOnym({ dir, config });
}

function toolsOf(round: number): readonly unknown[] {
  const inputSchema = { type: "object", properties: { nonce: { type: "string" } } };
  const asking = Array.from({ length: UNDECIDED }, (_, at) => ({
    name: `ask_${at}`,
    description: `Asked about in round ${round}`,
    inputSchema,
  }));
  return [{ name: "free", inputSchema }, ...asking];
}
