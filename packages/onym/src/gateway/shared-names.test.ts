// Two gateways in one process that share a store: names before they are shown, and a store that is away.

import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import type { Notification } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import type { Reply } from "../mcp/message.js";
import { OnymError } from "../model/onym-error.js";
import { openStore } from "../store/open-store.js";
import type { Store } from "../store/store.js";
import { createStoreKeeper } from "./catalog/create-store-keeper.js";
import { createGateway, type Gateway } from "./create-gateway.js";
import type { GatewaySettings } from "./settings.js";
import { buildRequestContext, buildSettings } from "./testing/test-callers.js";

const gateways: Gateway[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
  for (const store of stores.splice(0)) await store.close();
});

const staticServer = (server: string, ...tools: readonly string[]) => ({
  source: { server, tools },
  launch: { kind: "static" } as const,
  admits: () => true,
});
const docs = staticServer("docs", "files_read", "files.read");
const files = staticServer("docs-files", "read", "read_2");

async function newStore() {
  const store = await openStore({ location: ":memory:", folder: tmpdir() });
  stores.push(store);
  return { ...store, isDown: false };
}

async function start(store: Store & { isDown: boolean }, ...servers: GatewaySettings["servers"]) {
  const logged: string[] = [];
  const log = (severity: string, text: string) => void logged.push(`${severity} ${text}`);
  let swaps = 0;
  const names: Store["names"] = {
    ...store.names,
    async swap(...given) {
      if (store.isDown) throw new OnymError("store-unavailable", "The store is away.", "Wait.");
      swaps += 1;
      return store.names.swap(...given);
    },
  };
  const shared = { names, watch: store.watch };
  const gateway = createGateway({
    settings: buildSettings({ servers }),
    locks: {
      tools: await createStoreKeeper({ store: shared, space: "tools", log }),
      prompts: await createStoreKeeper({ store: shared, space: "prompts", log }),
    },
    log,
    version: "0.0.0",
    today: () => "2026-11-16",
  });
  gateways.push(gateway);
  const ask = (method: string, params: JsonObject = {}): Promise<Reply> => {
    const request = { jsonrpc: "2.0", id: 1, method, params } as const;
    const hints = { headers: new Map<string, string>(), profile: "openai", as: undefined };
    return gateway.router.handle(
      request,
      gateway.router.identifyCaller(request, hints),
      buildRequestContext(),
    );
  };
  const list = async () => {
    const reply = await ask("tools/list");
    if (reply.kind !== "json") throw new Error("no list");
    return JSON.parse(reply.json) as { tools: { name: string }[]; ttlMs: number; _meta: JsonObject };
  };
  return {
    gateway,
    logged,
    ask,
    list,
    names: async () => (await list()).tools.map(({ name }) => name),
    swaps: () => swaps,
  };
}

describe("names that replicas share", () => {
  it("are recorded before they are shown, once (LOCK-1)", async () => {
    const store = await newStore();
    const a = await start(store, docs);
    const shown = await a.names();
    const { lock } = await store.names.load("tools");
    expect([...(lock.profiles.get("openai")?.names.keys() ?? [])].sort()).toEqual([...shown].sort());
    const swaps = a.swaps();
    await Promise.all([a.names(), a.names(), a.ask("tools/call", { name: shown[0] })]);
    expect(a.swaps()).toBe(swaps);
  });

  it("are taken over from who was first, also when both are asked at once (NAME-4)", async () => {
    const store = await newStore();
    const [a, b] = [await start(store, files), await start(store, docs, files)];
    const [onA, onB] = await Promise.all([a.names(), b.names()]);
    expect(onB).toEqual(expect.arrayContaining([...onA]));
    a.gateway.adopt(buildSettings({ servers: [docs, files] }));
    expect(await a.names()).toEqual(onB);
  });

  it("are told as changes when they are on record, and not when others only added theirs (GW-7)", async () => {
    const store = await newStore();
    const [a, b] = [await start(store, files), await start(store, docs, files)];
    await a.names();
    const received: Notification[] = [];
    let wake = (): void => {};
    const { router } = a.gateway;
    const request = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" } as const;
    const caller = router.identifyCaller(request, { headers: new Map(), profile: "openai", as: undefined });
    router.subscribe({ toolsListChanged: true }, caller, (notification) => {
      received.push(notification);
      wake();
    });
    const onB = await b.names();
    await a.names();
    expect(received).toEqual([]);
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    a.gateway.adopt(buildSettings({ servers: [docs, files] }));
    await changed;
    expect(await a.names()).toEqual(onB);
    expect(received).toEqual([{ method: "notifications/tools/list_changed", params: {} }]);
  });
});

describe("a store that is away", () => {
  it("leaves known names in force, and new ones out of lists, suggestions and calls until they are on record", async () => {
    const store = await newStore();
    const a = await start(store, files);
    const before = await a.names();
    store.isDown = true;
    a.gateway.adopt(buildSettings({ servers: [docs, files] }));
    const list = await a.list();
    expect(list.tools.map(({ name }) => name)).toEqual(before);
    expect(list._meta["onym/unrecorded"]).toEqual(["docs@1/files.read@1", "docs@1/files_read@1"]);
    expect(list.ttlMs).toBe(0);
    expect(a.logged.filter((line) => line.startsWith("error names cannot be recorded"))).toHaveLength(1);
    const wished = a.gateway
      .snapshot()
      .tools.namesFor("openai")
      .tools.map(({ name }) => name);
    const fresh = wished.filter((name) => !before.includes(name));
    expect(fresh).toHaveLength(2);
    for (const name of fresh)
      expect(await a.ask("tools/call", { name })).toMatchObject({ error: { code: -32603 } });
    const refused = JSON.stringify(await a.ask("tools/call", { name: `${fresh[0]}x` }));
    for (const name of fresh) expect(refused).not.toContain(JSON.stringify(name));
    // What it had is still found: a static tool is not run, and that is what it says.
    expect(JSON.stringify(await a.ask("tools/call", { name: before[0] }))).not.toMatch(/Unknown|on record/);

    store.isDown = false;
    const received = new Promise<void>((resolve) => {
      const { router } = a.gateway;
      const request = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" } as const;
      const caller = router.identifyCaller(request, { headers: new Map(), profile: "openai", as: undefined });
      router.subscribe({ toolsListChanged: true }, caller, () => resolve());
    });
    // Nobody asks: it is tried again by itself, and who listens is told.
    await received;
    const after = await a.list();
    expect(after.tools.map(({ name }) => name)).toEqual(wished);
    expect(after._meta["onym/unrecorded"]).toBeUndefined();
  });
});
