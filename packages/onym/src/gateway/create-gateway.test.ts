import { EMPTY_LOCK } from "@onym/core";
import { createProfileSet } from "@onym/core/profiles";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Notification } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import { errorReply, type Reply } from "../mcp/message.js";
import type { Log } from "../model/log.js";
import { createMemoryKeeper, type LockKeeper } from "./catalog/name-lock.js";
import { createGateway, type Gateway } from "./create-gateway.js";
import type { GatewaySettings } from "./settings.js";
import { buildRequestContext, buildSettings } from "./testing/test-callers.js";

const open: Gateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});

const staticServer = (server: string, ...tools: readonly string[]) => ({
  source: { server, tools },
  launch: { kind: "static" } as const,
  admits: () => true,
});

function start(
  settings: Partial<GatewaySettings> = {},
  tools: LockKeeper = createMemoryKeeper(EMPTY_LOCK),
  today = () => "2026-11-16",
) {
  const logged: string[] = [];
  const log: Log = (severity, text) => void logged.push(`${severity} ${text}`);
  const gateway = createGateway({
    settings: buildSettings({ servers: [staticServer("fixture", "get")], ...settings }),
    locks: { tools, prompts: createMemoryKeeper(EMPTY_LOCK) },
    log,
    version: "0.0.0",
    today,
  });
  open.push(gateway);
  const { router } = gateway;
  const hints = (as?: string, profile?: string) => ({ headers: new Map(), profile, as });
  const received: Notification[] = [];
  return {
    gateway,
    logged,
    received,
    /** One modern request. */
    ask(method: string, params: JsonObject = {}, given = hints()): Promise<Reply> {
      const request = { jsonrpc: "2.0", id: 1, method, params } as const;
      return router.handle(request, router.identifyCaller(request, given), buildRequestContext());
    },
    hints,
    async enter(params: JsonObject = {}, given = hints()) {
      const request = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test" }, ...params },
      } as const;
      const channel = {
        notify: (notification: Notification) => void received.push(notification),
        sendRequest: async () => errorReply(0, "no"),
      };
      return router.initialize(request, { hints: given, channel });
    },
  };
}

const namesIn = (reply: Reply): readonly string[] =>
  reply.kind === "json" ? JSON.parse(reply.json).tools.map(({ name }: { name: string }) => name) : [];

describe("who asks (GW-3)", () => {
  it("gets no answer for a profile that does not exist, in either era", async () => {
    const { ask, enter, hints } = start();
    const refused = { error: { code: -32602, message: expect.stringContaining("There is no profile") } };
    expect(await ask("tools/list", {}, hints(undefined, "nope"))).toMatchObject(refused);
    expect((await enter({}, hints(undefined, "nope"))).reply).toMatchObject(refused);
    expect((await enter({}, hints(undefined, "nope"))).session).toBeUndefined();
  });

  it("has the profile of a config that came into force while its session was opened (RULE-7)", async () => {
    const { gateway, enter, hints } = start();
    const before = buildSettings({ servers: [staticServer("fixture", "get")] });
    const cursor = before.profiles.find("cursor");
    if (cursor === undefined) throw new Error("cursor is built in");
    const corrected = { ...cursor, maxLength: 30 };
    const opening = enter({}, hints(undefined, "cursor"));
    await gateway.adopt({ ...before, profiles: createProfileSet([corrected]) });
    expect((await opening).session?.profile).toEqual(corrected);
    await gateway.adopt(before);
    expect((await opening).session?.profile).toEqual(cursor);
  });

  it("may bring so many aliases and no more, and none of them grows the lock beyond", async () => {
    const keeper = createMemoryKeeper(EMPTY_LOCK);
    const { ask, enter, hints, gateway } = start({}, keeper);
    for (let n = 0; n < buildSettings().limits.callerAliases; n++)
      expect(namesIn(await ask("tools/list", {}, hints(`a${n}`, "claude-code")))).toHaveLength(1);
    const size = keeper.current().profiles.size;
    const refused = { error: { code: -32602, message: expect.stringContaining("one too many") } };
    expect(await ask("tools/list", {}, hints("more", "claude-code"))).toMatchObject(refused);
    expect((await enter({}, hints("more"))).reply).toMatchObject(refused);
    expect(keeper.current().profiles.size).toBe(size);
    expect(namesIn(await ask("tools/list", {}, hints("a0", "claude-code")))).toHaveLength(1);

    const request = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" } as const;
    const { router } = gateway;
    const caller = router.identifyCaller(request, hints("more"));
    expect(router.subscribe({ toolsListChanged: true }, caller, () => {}).honoured).toEqual({});
  });

  it("may call itself anything", async () => {
    const { enter, gateway } = start();
    for (const clientInfo of [{ name: { toString: 1, valueOf: 1 } }, 5, null, { name: "\u202e" }]) {
      const { session, reply } = await enter({ clientInfo });
      expect(reply).toMatchObject({ result: { serverInfo: { name: "onym" } } });
      if (session !== undefined) gateway.router.closeSession(session);
    }
  });

  it("is told the alias that it knows the gateway by, in both eras (NAME-9)", async () => {
    const { ask, enter, hints, gateway } = start();
    const key = "io.modelcontextprotocol/serverInfo";
    for (const [as, name, title] of [
      [undefined, "onym", "Onym"],
      ["onym", "onym", "Onym"],
      ["acme", "acme", "acme"],
    ] as const) {
      const { session, reply } = await enter({}, hints(as));
      expect(reply).toMatchObject({ result: { serverInfo: { name, title } } });
      if (session !== undefined) gateway.router.closeSession(session);
      expect(await ask("server/discover", {}, hints(as))).toMatchObject({
        result: { _meta: { [key]: { name, title } } },
      });
      // Lists are kept ready, and still say each caller's.
      for (let time = 0; time < 2; time++)
        expect(JSON.stringify(await ask("tools/list", {}, hints(as)))).toContain(
          `\\"name\\":\\"${name}\\",\\"title\\"`,
        );
    }
  });

  it("gets method not found for methods of the other era", async () => {
    const { ask, enter, gateway } = start();
    for (const method of ["ping", "logging/setLevel", "resources/subscribe", "initialize", "__proto__"])
      expect(await ask(method)).toMatchObject({ error: { code: -32601 } });
    const { session } = await enter();
    if (session === undefined) throw new Error("no session");
    const discover = { jsonrpc: "2.0", id: 1, method: "server/discover" } as const;
    expect(await gateway.router.handle(discover, session, buildRequestContext())).toMatchObject({
      error: { code: -32601 },
    });
  });
});

describe("a change", () => {
  const more = buildSettings({ servers: [staticServer("fixture", "get", "put")] });

  it("is in force at once, and told once (GW-7)", async () => {
    const { gateway, enter, received, ask } = start();
    const { session } = await enter();
    if (session === undefined) throw new Error("no session");
    gateway.router.handleNotification({ method: "notifications/initialized", params: {} }, session);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" } as const;
    await gateway.router.handle(list, session, buildRequestContext());
    gateway.adopt(more);
    gateway.adopt(more);
    await expect.poll(() => received).toEqual([{ method: "notifications/tools/list_changed", params: {} }]);
    expect(namesIn(await ask("tools/list"))).toEqual(["fixture_get", "fixture_put"]);
  });

  it("of a large catalog is made in slices, and in force when that is done (SAFE-4)", async () => {
    const tools = Array.from({ length: 1_000 }, (_, at) => `tool_${at}`);
    const keeper = createMemoryKeeper(EMPTY_LOCK);
    const { gateway, ask } = start({ servers: [staticServer("fixture", ...tools)] }, keeper);
    expect((await ask("tools/list")).kind).toBe("bytes");
    const adopted = gateway.adopt(buildSettings({ servers: [staticServer("fixture", ...tools, "new")] }));
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    expect(gateway.snapshot().tools.catalog.tools).toHaveLength(1_000);
    await adopted;
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
    expect(gateway.snapshot().tools.catalog.tools).toHaveLength(1_001);
  });

  it("is not made of the opening of a toolbox that is open (GW-14)", async () => {
    const boxed = staticServer("boxed", "read");
    const { gateway } = start({
      mode: "dynamic",
      toolboxes: [{ id: "dev", description: undefined }],
      servers: [{ ...boxed, source: { ...boxed.source, toolbox: "dev" } }],
    });
    const closed = gateway.snapshot();
    expect(await gateway.operate.openToolbox("dev")).toBe("opened");
    await gateway.waitForServers(0);
    const opened = gateway.snapshot();
    expect(opened).not.toBe(closed);
    expect(await gateway.operate.openToolbox("dev")).toBe("opened");
    await gateway.waitForServers(0);
    expect(gateway.snapshot()).toBe(opened);
  });

  it("that cannot be made a view of is told in the log, and the old one stays", async () => {
    const { gateway, ask, logged } = start();
    const broken = { ...staticServer("fixture", "put"), admits: () => raise() };
    gateway.adopt(buildSettings({ servers: [broken] }));
    expect(logged.some((line) => line.startsWith("error the view could not be renewed"))).toBe(true);
    expect(namesIn(await ask("tools/list"))).toEqual(["fixture_get"]);
  });

  it("after the gateway closed changes nothing, and closing is no change", async () => {
    const { gateway, enter, received, ask } = start();
    const { session } = await enter();
    if (session === undefined) throw new Error("no session");
    gateway.router.handleNotification({ method: "notifications/initialized", params: {} }, session);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" } as const;
    await gateway.router.handle(list, session, buildRequestContext());
    await gateway.close();
    gateway.adopt(more);
    expect(gateway.downstreams()).toEqual([]);
    expect(received).toEqual([]);
    expect(namesIn(await ask("tools/list"))).toEqual(["fixture_get"]);
  });
});

describe("an error of ours", () => {
  it("keeps its text in the log", async () => {
    const keeper: LockKeeper = { current: () => EMPTY_LOCK, keep: () => raise() };
    const { ask, enter, logged } = start({}, keeper);
    for (const reply of [await ask("tools/list"), await ask("server/discover"), (await enter()).reply]) {
      expect(reply).toMatchObject({
        error: { code: -32603, message: expect.stringMatching(/^Internal error \(/) },
      });
      expect(JSON.stringify(reply)).not.toContain("secret");
    }
    expect(logged.filter((line) => line.includes("a secret"))).toHaveLength(3);
  });
});

function raise(): never {
  throw new Error("a secret");
}

it("refuses an old name from the day after its window, though nothing else has changed (LOCK-2)", async () => {
  let today = "2026-11-16";
  const renames = [{ from: "fixture_fetch", to: "fixture@1/get@1", until: "2026-11-16" }];
  const { gateway, ask } = start({ renames }, undefined, () => today);
  const resolve = () => gateway.snapshot().tools.resolve("fixture_fetch").outcome;
  expect(resolve()).toBe("resolved");
  today = "2026-11-17";
  expect(await ask("tools/call", { name: "fixture_fetch" })).toMatchObject({
    kind: "error",
    error: { code: -32602, data: { successor: "fixture_get" } },
  });
  expect(resolve()).toBe("retired");
});

it("introduces itself after 1 s though a server is still starting, and lists after listMs", async () => {
  vi.useFakeTimers();
  try {
    const args = ["-e", "setInterval(() => {}, 1e6)"];
    const launch = { kind: "stdio", command: process.execPath, args, env: new Map(), cwd: "." } as const;
    const slow = { source: { server: "slow", tools: [] }, launch, admits: () => true };
    const limits = { ...buildSettings().limits, startMs: 60_000, listMs: 10_000 };
    const { ask, enter } = start({ servers: [staticServer("fixture", "get"), slow], limits });
    const answered: string[] = [];
    void enter().then(() => answered.push("initialize"));
    void ask("server/discover").then(() => answered.push("server/discover"));
    void ask("tools/list").then(() => answered.push("tools/list"));
    await vi.advanceTimersByTimeAsync(999);
    expect(answered).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answered.toSorted()).toEqual(["initialize", "server/discover"]);
    await vi.advanceTimersByTimeAsync(8_999);
    expect(answered).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});
