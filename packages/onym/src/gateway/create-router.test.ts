import { describe, expect, it } from "vitest";
import { createTickets } from "../mcp/fast-path/in-flight.js";
import { type Reply, resultReply } from "../mcp/message.js";
import { METHODS } from "../mcp/methods.js";
import { type Log, silentLog } from "../model/log.js";
import type { Caller, Session } from "./caller.js";
import { createRouter } from "./create-router.js";
import { checkListen } from "./sessions/create-subscription.js";
import { createPendingRequests } from "./sessions/in-flight-requests.js";
import type { GatewaySettings } from "./settings.js";
import { createMemoryDownstream, toolsNamed } from "./testing/memory-downstream.js";
import { buildRequestContext, buildSession } from "./testing/test-callers.js";
import { buildTestContext } from "./testing/test-context.js";
import { createChangeFeed } from "./view/change-feed.js";

function setUp(
  answer: () => Promise<Reply> | Reply,
  with_: { readonly settings?: Partial<GatewaySettings>; readonly log?: Log } = {},
) {
  const fs = createMemoryDownstream({ tools: toolsNamed("read") }, { answer });
  const { log = silentLog } = with_;
  const context = { ...buildTestContext([fs], with_.settings), log };
  const sessions = new Set<Session>();
  const modernCallers = createTickets<Caller>();
  const { latestView, settings } = context;
  const feed = createChangeFeed({
    sessions,
    modernCallers,
    latestView,
    recordNames: latestView,
    settings,
    log: silentLog,
  });
  const router = createRouter({
    context,
    sessions,
    modernCallers,
    feed,
    pendingRequests: createPendingRequests(),
    downstreams: () => [fs],
    admitAlias: () => undefined,
    isClosing: () => false,
    sinks: [],
  });
  const session = buildSession();
  sessions.add(session);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "fs_read" } } as const;
  return {
    router,
    modernCallers,
    session,
    call: (
      caller: Caller = router.identifyCaller(call, { headers: new Map(), profile: undefined, as: undefined }),
    ) => router.handle(call, caller, buildRequestContext()),
    /** Words of the server that belong to no request. */
    speak: () =>
      feed.relay(
        fs,
        { jsonrpc: "2.0", method: "notifications/message", params: { level: "error" } },
        "anybody",
      ),
  };
}

describe("a modern caller", () => {
  it("is there while its request is under way, and what a server says meanwhile may be meant for it", async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let finish = (_: Reply): void => {};
    const { modernCallers, session, call, speak } = setUp(
      () =>
        new Promise((resolve) => {
          finish = resolve;
          begin();
        }),
    );
    const reply = call();
    expect(modernCallers.size).toBe(1);
    await begun;
    speak();
    expect(session.received).toEqual([]);
    finish(resultReply({ content: [] }));
    expect(await reply).toMatchObject({ kind: "result" });
    expect(modernCallers.size).toBe(0);
    speak();
    expect(session.received).toHaveLength(1);
  });

  it("has left when its request failed, and who has a session is none", async () => {
    const { modernCallers, session, call } = setUp(() => {
      throw new Error("a bug");
    });
    expect(await call()).toMatchObject({ kind: "error" });
    expect(modernCallers.size).toBe(0);
    const reply = call(session);
    expect(modernCallers.size).toBe(0);
    await reply;
  });
});

describe("find_tools", () => {
  it("ends where its client leaves, and is no bug of the gateway (SAFE-5)", async () => {
    const lines: string[] = [];
    const { router } = setUp(() => resultReply({ content: [] }), {
      settings: { mode: "proxy", toolboxes: [{ id: "box", description: "" }] },
      log: (level, message) => void (level === "error" && lines.push(message)),
    });
    const params = { name: "find_tools", arguments: { query: "read" } };
    const find = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
    const caller = router.identifyCaller(find, { headers: new Map(), profile: undefined, as: undefined });
    const stays = await router.handle(find, caller, buildRequestContext());
    expect(stays).toMatchObject({ kind: "result" });
    const left = await router.handle(find, caller, buildRequestContext({ signal: AbortSignal.abort() }));
    expect(left).toMatchObject({ kind: "error", error: { message: "The client has left." } });
    expect(lines).toEqual([]);
  });
});

describe("what a client says of itself", () => {
  const HINTS = { headers: new Map(), profile: undefined, as: undefined };
  /** As JSON, `[clientInfo, capabilities]` has so many characters. */
  const introductionOf = (length: number) => {
    const capabilities = (text: string) => ({ experimental: { text } });
    const clientInfo = { name: "a", version: "1" };
    const rest = JSON.stringify([clientInfo, capabilities("")]).length;
    return { clientInfo, capabilities: capabilities("x".repeat(length - rest)) };
  };

  it.each([
    ["one below", 65_535, true],
    ["at", 65_536, true],
    ["one above", 65_537, false],
  ])(
    "is bounded, for sessions and for requests without one: %s the limit (limits: MAX_INTRODUCTION_LENGTH of create-callers)",
    async (_, length, isTaken) => {
      const { router, modernCallers } = setUp(() => resultReply({ content: [] }));
      const { clientInfo, capabilities } = introductionOf(length);
      const refused = { kind: "error", error: { code: -32602, message: expect.stringContaining("65536") } };
      const params = { protocolVersion: "2025-11-25", clientInfo, capabilities };
      const { session, reply } = await router.initialize(
        { jsonrpc: "2.0", id: 1, method: "initialize", params },
        { hints: HINTS, channel: buildSession().channel },
      );
      expect(session?.capabilities).toEqual(isTaken ? capabilities : undefined);
      expect(reply).toMatchObject(isTaken ? { kind: "result" } : refused);
      const _meta = {
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "fs_read", _meta },
      } as const;
      const caller = router.identifyCaller(call, HINTS);
      expect(caller.capabilities).toEqual(isTaken ? capabilities : {});
      const called = await router.handle(call, caller, buildRequestContext());
      expect(called).toMatchObject(isTaken ? { kind: "result" } : refused);
      expect(modernCallers.size).toBe(0);
    },
  );
});

describe("a request with more in _meta than is forwarded", () => {
  const _meta = Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`k${at}`, 1]));
  const refused = { kind: "error", error: { code: -32602, data: { limit: "_meta members", max: 256 } } };
  const request = (method: string) =>
    ({ jsonrpc: "2.0", id: 1, method, params: { name: "fs_read", uri: "file:///a", _meta } }) as const;

  it.each([...METHODS].filter(([method]) => method !== "initialize" && method !== "subscriptions/listen"))(
    "is refused, before anything is done with it: %s (SAFE-4)",
    async (method, { eras }) => {
      let calls = 0;
      const { router, session } = setUp(() => {
        calls += 1;
        return resultReply({});
      });
      const hints = { headers: new Map(), profile: undefined, as: undefined };
      for (const era of eras) {
        const caller = era === "legacy" ? session : router.identifyCaller(request(method), hints);
        expect(await router.handle(request(method), caller, buildRequestContext())).toMatchObject(refused);
      }
      expect(calls).toBe(0);
    },
  );

  it("opens neither a session nor a stream (SAFE-4)", async () => {
    const { router } = setUp(() => resultReply({}));
    const hints = { headers: new Map(), profile: undefined, as: undefined };
    const { channel } = buildSession();
    const opened = await router.initialize(request("initialize"), { hints, channel });
    expect(opened.session).toBeUndefined();
    expect(opened.reply).toMatchObject(refused);
    expect(checkListen(request("subscriptions/listen"), 10)).toMatchObject(refused);
  });
});
