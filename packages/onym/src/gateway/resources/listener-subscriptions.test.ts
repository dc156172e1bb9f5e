import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countCalls } from "../../../../../test/count-calls.js";
import { createTickets } from "../../mcp/fast-path/in-flight.js";
import { type Reply, resultReply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import type { Caller, Session } from "../caller.js";
import { OPEN_GUARD } from "../calls/guard.js";
import { createRouter } from "../create-router.js";
import type { View } from "../gateway-context.js";
import { createPendingRequests } from "../sessions/in-flight-requests.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildCaller, buildSession } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { createChangeFeed } from "../view/change-feed.js";
import { normalizeAddress } from "./uri-names.js";

const HINTS = { headers: new Map(), profile: undefined, as: undefined };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** More turns than anything here takes. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 100; n += 1) await turn();
};

interface Stage {
  readonly guard?: Partial<View["guard"]>;
  readonly answer?: () => Promise<Reply> | Reply;
}

function createStage({ guard = {}, answer = () => resultReply({}) }: Stage = {}) {
  const fs = createMemoryDownstream({ templates: [{ uriTemplate: "file:///{+path}" }] }, { answer });
  const base = buildTestContext([fs]);
  const view = { ...base.latestView(), guard: { ...OPEN_GUARD, ...guard } };
  const sessions = new Set<Session>();
  const modernCallers = createTickets<Caller>();
  const feed = createChangeFeed({
    sessions,
    modernCallers,
    latestView: () => view,
    recordNames: () => view,
    settings: base.settings,
    log: silentLog,
  });
  let isClosing = false;
  const router = createRouter({
    context: { ...base, latestView: () => view, isSubscribed: feed.isFollowed },
    sessions,
    modernCallers,
    feed,
    pendingRequests: createPendingRequests(),
    downstreams: () => [fs],
    admitAlias: () => undefined,
    isClosing: () => isClosing,
    sinks: [],
  });
  return {
    fs,
    feed,
    listen: (uris: readonly string[], caller: Partial<Caller> = {}) =>
      router.subscribe({ resourceSubscriptions: [...uris] }, buildCaller(caller), () => {}),
    async openSession(uris: readonly string[]) {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a" } };
      const { session } = await router.initialize(
        { jsonrpc: "2.0", id: 1, method: "initialize", params },
        { hints: HINTS, channel: buildSession().channel },
      );
      for (const uri of uris) session?.resources.add(uri);
      return { stop: () => (session === undefined ? undefined : router.closeSession(session)) };
    },
    shutDown: () => {
      isClosing = true;
    },
    /** How often the server was asked. */
    asked: (method: "subscribe" | "unsubscribe") =>
      fs.asked.filter((request) => request.method === `resources/${method}`).length,
  };
}

const addressesOf = (client: number, count: number) =>
  Array.from({ length: count }, (_, n) => `file:///${client}/${n}/${"p/".repeat(60)}`);

describe("what clients of both eras follow", () => {
  it("is subscribed at the server exactly as long as one of them follows it", async () => {
    const uris = ["file:///a", "onym://fs/file:///a", "ONYM://fs/file:///a", "file:///a/b", "file:///c"];
    const step = fc.record({
      client: fc.nat(4),
      uris: fc.subarray(uris, { minLength: 1 }),
      isAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const { fs, listen, feed } = createStage();
        const open = new Map<number, { readonly uris: readonly string[]; readonly stop: () => void }>();
        const check = async () => {
          await settle();
          const atServer = new Set<unknown>();
          for (const { method, params } of fs.asked) {
            if (method === "resources/subscribe") atServer.add(params["uri"]);
            // It is told once, of what it was asked for.
            else expect(atServer.delete(params["uri"])).toBe(true);
          }
          const followed = [...open.values()].flatMap((each) => each.uris);
          const held = [...open.values()].map((each) => new Set(each.uris.map(normalizeAddress)).size);
          expect(feed.followers.roomOf("local")).toBe(10_000 - held.reduce((sum, size) => sum + size, 0));
          expect(atServer).toEqual(new Set(followed.map((uri) => uri.replace(/^onym:\/\/fs\//i, ""))));
        };
        for (const { client, uris, isAtOnce } of steps) {
          const before = open.get(client);
          before?.stop();
          if (before === undefined) open.set(client, { uris, ...listen(uris) });
          else open.delete(client);
          if (!isAtOnce) await check();
        }
        for (const { stop } of open.values()) stop();
        open.clear();
        await check();
        for (const uri of uris) expect(feed.followers.count(uri)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("ends in later turns, and costs each client the same, however many there are (SAFE-4)", async () => {
    const callsToClose = async (clients: number): Promise<number> => {
      const { listen, openSession, asked } = createStage();
      const open: { readonly stop: () => void }[] = [];
      for (let n = 0; n < clients; n += 1) {
        open.push(listen(addressesOf(n, 10)), await openSession(addressesOf(n + clients, 10)));
      }
      while (asked("subscribe") < clients * 10) await turn();
      const counted = await countCalls(async () => {
        for (const { stop } of open) stop();
        expect(asked("unsubscribe")).toBe(0);
        while (asked("unsubscribe") < clients * 20) await turn();
      });
      // Not what this test does until it is done.
      const own = [...counted].filter(([name]) => name.includes("/gateway/") && !name.includes(".test.ts"));
      return own.reduce((sum, [, calls]) => sum + calls, 0);
    };
    await callsToClose(1);
    const few = await callsToClose(5);
    expect((await callsToClose(50)) / few).toBeLessThan(11);
  });

  it("is left to the end of the connections when the gateway closes", async () => {
    const { listen, openSession, shutDown, asked } = createStage();
    const open = [listen(addressesOf(1, 100)), await openSession(addressesOf(2, 100))];
    while (asked("subscribe") < 100) await turn();
    shutDown();
    for (const { stop } of open) stop();
    await settle();
    expect(asked("unsubscribe")).toBe(0);
  });
});

describe("a listening client that names many addresses", () => {
  it("has a few of them decided and recorded at a time, with those of its caller's others (SAFE-5)", async () => {
    const waiting: (() => void)[] = [];
    let max = 0;
    const record = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        max = Math.max(max, waiting.length);
      });
    const { listen, asked } = createStage({
      guard: {
        refuse: record,
        recordIntent: async (call, decision) => {
          await record();
          return { kind: "recorded", call, decision, entry: undefined } as never;
        },
      },
    });
    for (let n = 0; n < 3; n += 1)
      listen([...addressesOf(n, 30), ...addressesOf(n, 30).map((uri) => `x${uri}`)]);
    listen(["file:///other"], { callerKey: "other" });
    await settle();
    expect(waiting).toHaveLength(17);
    let recorded = 0;
    while (asked("subscribe") < 91 || recorded < 181) {
      waiting.shift()?.();
      recorded += 1;
      await settle();
    }
    expect(max).toBe(17);
  });

  it.each([
    ["one below", 15, 15],
    ["at", 16, 16],
    ["one above", 17, 16],
  ])(
    "has so many of its addresses begin at the same time: %s the limit (limits: MAX_STARTING of listener-subscriptions)",
    async (_, count, expected) => {
      let begun = 0;
      const recordIntent = () => {
        begun += 1;
        return new Promise<never>(() => {});
      };
      const { listen } = createStage({ guard: { recordIntent } });
      listen(addressesOf(1, count));
      await settle();
      expect(begun).toBe(expected);
    },
  );

  it("does not wait for servers that do not answer", async () => {
    const { listen, asked } = createStage({ answer: () => new Promise(() => {}) });
    listen(addressesOf(1, 40));
    while (asked("subscribe") < 40) await turn();
    expect(asked("subscribe")).toBe(40);
  });

  it("is asked for no more once it left", async () => {
    const { listen, asked } = createStage();
    listen(addressesOf(1, 200)).stop();
    await settle();
    expect(asked("subscribe")).toBe(asked("unsubscribe"));
    expect(asked("subscribe")).toBeLessThan(20);
  });
});
