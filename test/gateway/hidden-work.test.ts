// A hidden tool costs as much as one that never was, before the reply: no caller learns by the clock what policy hides
// (GW-6). Work is counted in calls of functions, which V8 counts; nothing is timed.

import { EMPTY_LOCK } from "@onym/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGuard } from "../../packages/onym/src/gateway/calls/create-guard.js";
import { createMemoryKeeper } from "../../packages/onym/src/gateway/catalog/name-lock.js";
import { createGateway, type Gateway } from "../../packages/onym/src/gateway/create-gateway.js";
import { buildRequestContext, buildSettings } from "../../packages/onym/src/gateway/testing/test-callers.js";
import { silentLog } from "../../packages/onym/src/model/log.js";
import { createMemoryStore } from "../../packages/onym/src/store/create-memory-store.js";
import { countCalls } from "../count-calls.js";

const MANY = Array.from({ length: 200 }, (_, n) => String(n).padStart(3, "0"));
/** Each so large that reading it once takes hundreds of steps. */
const TOOLS = MANY.map((n) => ({
  name: `tool_${n}`,
  inputSchema: { type: "object", properties: Object.fromEntries(MANY.map((m) => [`p${m}`, { title: n }])) },
}));

let gateway: Gateway;
beforeAll(async () => {
  const guard = await createGuard({
    policy: {
      default: "allow",
      rules: [{ effect: "deny", server: ["vault"] }],
      ask: { when: "fail", waitMs: 0 },
    },
    audit: { arguments: false, onFailure: "deny" },
    renames: [],
    sources: [],
    maxSuspended: 1,
    store: createMemoryStore(silentLog),
    writer: undefined,
    log: silentLog,
    now: Date.now,
  });
  const serverOf = (server: string) => ({
    source: { server, tools: TOOLS },
    launch: { kind: "static" } as const,
    admits: () => true,
  });
  gateway = createGateway({
    settings: buildSettings({ servers: [serverOf("notes"), serverOf("vault")] }),
    locks: { tools: createMemoryKeeper(EMPTY_LOCK), prompts: createMemoryKeeper(EMPTY_LOCK) },
    log: silentLog,
    version: "0.0.0",
    today: () => "2026-11-16",
    guard,
  });
  // The first of each kind build what all later ones share.
  for (const name of ["vault_tool_001", "vaulz_tool_001"]) await refuse(name);
});
afterAll(() => gateway.close());

async function refuse(name: string, method = "tools/call"): Promise<string> {
  const { router } = gateway;
  const request = { jsonrpc: "2.0", id: 1, method, params: { name, arguments: {} } } as const;
  const caller = router.identifyCaller(request, { headers: new Map(), profile: "openai", as: undefined });
  return JSON.stringify(await router.handle(request, caller, buildRequestContext()));
}

/** Lets everything end that was left for later turns: records of refused calls, work in slices. */
async function endWork(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

/** Until the reply is there. */
async function workFor(name: string) {
  await endWork();
  return countCalls(() => refuse(name));
}

it.each([
  { method: "tools/call", searches: [200] },
  // Who is denied any prompt gets no suggestions.
  { method: "prompts/get", searches: [] },
])(
  "makes suggestions once for each $method, and not in the turn in which hundreds arrive (SAFE-4)",
  async (asked) => {
    const names = Array.from({ length: 200 }, (_, n) => `${n % 2 === 0 ? "vault" : "vaulz"}_tool_${n}`);
    let answered = 0;
    await endWork();
    const work = await countCalls(async () => {
      const turn = new Promise<number>((resolve) => setImmediate(() => resolve(answered)));
      const refused = names.map((name) => refuse(name, asked.method).then(() => answered++));
      expect(await turn).toBe(0);
      await Promise.all(refused);
    });
    const searches = [...work].filter(([place]) => place.includes(" nearestNames "));
    expect(searches.map(([, count]) => count)).toEqual(asked.searches);
  },
);

/** Lookups of the one tool that a hidden name leads to. What is read of the tool, or grows with tools, takes hundreds. */
const MAX_DIFFERENCE = 10;

it.each(["for the first time", "again"])(
  "a hidden name takes as many steps as an unknown one: %s",
  async () => {
    const hidden = await workFor("vault_tool_008");
    const unknown = await workFor("vaulz_tool_008");
    const called = [...new Set([...hidden.keys(), ...unknown.keys()])];
    const differences = called.flatMap((name) => {
      const [one = 0, other = 0] = [hidden.get(name), unknown.get(name)];
      return one === other ? [] : [{ name, hidden: one, unknown: other }];
    });
    expect(called.length).toBeGreaterThan(100);
    expect(
      differences.filter(({ hidden: one, unknown: other }) => Math.abs(one - other) > MAX_DIFFERENCE),
    ).toEqual([]);
    // Whose tool it is, and that it was found once; the record of an unknown name, which a hidden one gets after the reply.
    const ofOne = differences.filter((each) => each.hidden === 0 || each.unknown === 0);
    const known = new Set(["ownerOf", "remember", "recordLater"]);
    expect(ofOne.filter(({ name }) => !known.has(name.split(" ")[1] ?? ""))).toEqual([]);
  },
);
