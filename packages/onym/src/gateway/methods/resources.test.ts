import { describe, expect, it } from "vitest";
import { createTickets } from "../../mcp/fast-path/in-flight.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import { Followers } from "../resources/followers.js";
import { MAX_SUBSCRIPTIONS } from "../resources/resource-subscriptions.js";
import { checkListen } from "../sessions/create-subscription.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildRequestContext, buildSession } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { createChangeFeed } from "../view/change-feed.js";
import { completeArgument, handleResource } from "./resources.js";

describe("resources that a session follows", () => {
  it("are bounded: one below, at and one above (limits: MAX_SUBSCRIPTIONS of resource-subscriptions) (SAFE-5)", async () => {
    const templates = [{ uriTemplate: "note://{id}", name: "note" }];
    const server = createMemoryDownstream({ templates }, { answer: () => resultReply({}) });
    const context = buildTestContext([server]);
    const session = buildSession();
    const requestContext = buildRequestContext();
    const subscribe = (uri: string) =>
      handleResource(
        { method: "resources/subscribe", params: { uri }, caller: session, requestContext, epoch: 0 },
        context,
      );
    for (let n = 2; n <= MAX_SUBSCRIPTIONS; n++) await subscribe(`note://${n}`);
    expect(session.resources.size).toBe(MAX_SUBSCRIPTIONS - 1);
    expect(await subscribe("note://1")).toMatchObject({ kind: "result" });
    const sent = server.asked.length;
    const refused = { code: -32602, message: expect.stringContaining("1000 resources"), data: { max: 1000 } };
    expect(await subscribe("note://0")).toMatchObject({ kind: "error", error: refused });
    expect(server.asked).toHaveLength(sent);
    expect(await subscribe("note://2")).toMatchObject({ kind: "result" });
    expect(session.resources.size).toBe(MAX_SUBSCRIPTIONS);
  });
});

describe("the end of a subscription", () => {
  /** Sessions that follow notes of one server, which answers subscriptions when the test says so. */
  function createStage() {
    let waiting: ((reply: Reply) => void)[] = [];
    let isSlow = false;
    const answer = (): Promise<Reply> | Reply =>
      isSlow ? new Promise((resolve) => waiting.push(resolve)) : resultReply({});
    const templates = [{ uriTemplate: "note://{id}", name: "note" }];
    const server = createMemoryDownstream({ templates }, { answer });
    const base = buildTestContext([server]);
    const { latestView, settings } = base;
    const feed = createChangeFeed({
      sessions: new Set(),
      modernCallers: createTickets(),
      latestView,
      recordNames: latestView,
      settings,
      log: silentLog,
    });
    const context = { ...base, isSubscribed: feed.isFollowed };
    return {
      open(callerKey: string) {
        const caller = buildSession({ callerKey, resources: feed.followers.createSetOf(callerKey) });
        const ask = (method: string) => (uri: string) =>
          handleResource(
            { method, params: { uri }, caller, requestContext: buildRequestContext(), epoch: 0 },
            context,
          );
        return { subscribe: ask("resources/subscribe"), unsubscribe: ask("resources/unsubscribe") };
      },
      slow: (on: boolean) => {
        isSlow = on;
      },
      async settle(reply: Reply) {
        await expect.poll(() => waiting).not.toEqual([]);
        for (const resolve of waiting) resolve(reply);
        waiting = [];
      },
      unsubscribed: () => server.asked.filter(({ method }) => method === "resources/unsubscribe").length,
      asked: server.asked,
    };
  }

  it("reaches the server when the last follower leaves, and not while another's is on its way", async () => {
    const { open, slow, settle, unsubscribed, asked } = createStage();
    const [ann, bob] = [open("ann"), open("bob")];
    await ann.subscribe("note://1");
    slow(true);
    const following = bob.subscribe("note://1");
    await expect.poll(() => asked).toHaveLength(2);
    slow(false);
    await ann.unsubscribe("note://1");
    expect(unsubscribed()).toBe(0);
    await settle(resultReply({}));
    await following;
    // Not its own any more.
    await ann.unsubscribe("note://1");
    expect(unsubscribed()).toBe(0);
    await bob.unsubscribe("note://1");
    expect(unsubscribed()).toBe(1);
  });

  it("waits for no follower whose subscription the server refused", async () => {
    const { open, slow, settle, unsubscribed } = createStage();
    const [ann, bob] = [open("ann"), open("bob")];
    await ann.subscribe("note://1");
    slow(true);
    const following = bob.subscribe("note://1");
    await settle(errorReply(-32603, "no"));
    expect(await following).toMatchObject({ kind: "error" });
    slow(false);
    await ann.unsubscribe("note://1");
    expect(unsubscribed()).toBe(1);
  });

  it("waits for the last address under which one session follows it", async () => {
    const { open, unsubscribed } = createStage();
    const { subscribe, unsubscribe } = open("ann");
    for (const uri of ["note://1", "onym://fs/note://1"]) await subscribe(uri);
    await unsubscribe("note://1");
    expect(unsubscribed()).toBe(0);
    await unsubscribe("onym://fs/note://1");
    expect(unsubscribed()).toBe(1);
  });
});

describe("resources that one caller follows", () => {
  it("are bounded in all its sessions and subscriptions together: one below, at and one above (limits: MAX_CALLER_SUBSCRIPTIONS of followers) (SAFE-5)", async () => {
    const templates = [{ uriTemplate: "note://{id}", name: "note" }];
    const server = createMemoryDownstream({ templates }, { answer: () => resultReply({}) });
    const followers = new Followers();
    const context = { ...buildTestContext([server]), roomToFollow: (key: string) => followers.roomOf(key) };
    const requestContext = buildRequestContext();
    const open = (callerKey: string) => {
      const session = buildSession({ callerKey, resources: followers.createSetOf(callerKey) });
      return (uri: string) =>
        handleResource(
          { method: "resources/subscribe", params: { uri }, caller: session, requestContext, epoch: 0 },
          context,
        );
    };
    const listen = (callerKey: string, count: number) => {
      const notifications = { resourceSubscriptions: Array(count).fill("note://a") };
      const params = { notifications };
      return checkListen(
        { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params },
        context.roomToFollow(callerKey),
      );
    };
    const refused = { kind: "error", error: { code: -32602, data: { max: 10_000 } } };
    const [one, two, other] = [open("ann"), open("ann"), open("bob")];
    followers.hold("ann", 9_998);
    expect([listen("ann", 1), listen("ann", 2)]).toEqual([undefined, undefined]);
    expect(listen("ann", 3)).toMatchObject(refused);
    expect(await one("note://1")).toMatchObject({ kind: "result" });
    expect(await two("note://1")).toMatchObject({ kind: "result" });
    const sent = server.asked.length;
    expect(await one("note://2")).toMatchObject(refused);
    expect(listen("ann", 1)).toMatchObject(refused);
    expect(listen("ann", 0)).toBeUndefined();
    expect(server.asked).toHaveLength(sent);
    // What it follows already takes no room.
    expect(await one("note://1")).toMatchObject({ kind: "result" });
    expect(await other("note://2")).toMatchObject({ kind: "result" });
    expect(listen("bob", 1_000)).toBeUndefined();
    followers.release("ann", 1);
    expect(await one("note://2")).toMatchObject({ kind: "result" });
  });
});

describe("the address of a resource", () => {
  const WRAPPED = "onym://mem/";

  it.each([
    ["one below", "", 8_191, true],
    ["at", "", 8_192, true],
    ["one above", "", 8_193, false],
    ["at, wrapped", WRAPPED, 8_192, true],
    ["one above, wrapped", WRAPPED, 8_193, false],
    ["far above", "ONYM://", 4_000_000, false],
  ])(
    "is bounded, before it is looked up or recorded: %s the limit of its characters (limits: MAX_URI_LENGTH of match-template)",
    async (_, wrap, length, isShort) => {
      const server = createMemoryDownstream({}, { answer: () => resultReply({}) });
      const context = buildTestContext([server]);
      const refused: unknown[] = [];
      const latestView = () => {
        const now = context.latestView();
        return { ...now, guard: { ...now.guard, refuse: (each: unknown) => void refused.push(each) } };
      };
      const session = buildSession();
      const requestContext = buildRequestContext();
      const uri = `${wrap}${"note:".padEnd(length, "x")}`;
      const ask = (method: string) =>
        handleResource(
          { method, params: { uri }, caller: session, requestContext, epoch: 0 },
          { ...context, latestView },
        );
      const long = { kind: "error", error: { code: -32602, data: { max: 8_192 } } };
      const replies = [
        await ask("resources/read"),
        await ask("resources/subscribe"),
        await completeArgument(
          {
            method: "completion/complete",
            params: { ref: { type: "ref/resource", uri }, argument: { name: "a", value: "b" } },
            caller: session,
            requestContext,
            epoch: 0,
          },
          { ...context, latestView },
        ),
      ];
      for (const reply of replies) {
        if (isShort) expect(reply).not.toMatchObject(long);
        else expect(reply).toMatchObject(long);
      }
      if (!isShort) expect([refused, server.asked, session.resources.size]).toEqual([[], [], 0]);
      const listen = { notifications: { resourceSubscriptions: [uri] } };
      const checked = checkListen(
        { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: listen },
        1,
      );
      expect(checked === undefined).toBe(isShort);
    },
  );
});
