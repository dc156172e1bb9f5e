import { describe, expect, it } from "vitest";
import type { Notification } from "../../downstream/downstream.js";
import { createFeedStage as createStage } from "../testing/feed-stage.js";
import { buildCaller } from "../testing/test-callers.js";
import { MAX_WAITING_UPDATES } from "./resource-updates.js";

describe("resource updates", () => {
  const updated = (uri: unknown, extra: unknown = 1) =>
    ({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri, extra, _meta: { extra } },
    }) as never;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Until the updates before this one have been sent. */
  const sent = async ({ fs, feed, enter }: ReturnType<typeof createStage>): Promise<void> => {
    const last = enter({ id: "last", resources: new Set(["onym://fs/file:///last"]) });
    feed.relay(fs, updated("file:///last"), "anybody");
    while (last.received.length === 0) await turn();
  };

  const extras = (notifications: readonly Notification[]) =>
    notifications.map(({ params }) => (params["_meta"] as { readonly extra: unknown }).extra);

  it("reach those who follow, under the address they know, without anything that MCP does not have there", async () => {
    const stage = createStage();
    const { fs, git, feed, enter, listen } = stage;
    const direct = enter({ id: "1", resources: new Set(["file:///a"]) });
    const wrapped = enter({ id: "2", resources: new Set(["onym://fs/file:///a"]) });
    const other = enter({ id: "3", resources: new Set(["git://a"]) });
    const { received } = listen({ resourceSubscriptions: ["file:///a", 5] });
    feed.relay(fs, updated("file:///a"), "anybody");
    const uris = (notifications: readonly Notification[]) => notifications.map(({ params }) => params["uri"]);
    expect([direct, wrapped, other].map((session) => uris(session.received))).toEqual([
      ["file:///a"],
      ["onym://fs/file:///a"],
      [],
    ]);
    expect(received).toEqual([
      { method: "notifications/resources/updated", params: { uri: "file:///a", _meta: { extra: 1 } } },
    ]);

    // Another server that says the same address is not meant.
    feed.relay(git, updated("file:///a"), "anybody");
    await sent(stage);
    expect(uris(direct.received)).toEqual(["file:///a"]);
  });

  it("inside a followed resource are told too, beside it not", async () => {
    const stage = createStage();
    const { fs, feed, enter } = stage;
    const session = enter({ resources: new Set(["onym://fs/file:///dir"]) });
    feed.relay(fs, updated("file:///dir/b"), "anybody");
    feed.relay(fs, updated("file:///directory"), "anybody");
    await sent(stage);
    expect(session.received).toHaveLength(1);
  });

  it("of one resource in one turn are sent as the first and the last of them (SAFE-4)", async () => {
    const stage = createStage();
    const { fs, feed, enter } = stage;
    const session = enter({ resources: new Set(["file:///a"]) });
    for (let n = 0; n < 1_000; n += 1) feed.relay(fs, updated("file:///a", n), "anybody");
    expect(extras(session.received)).toEqual([0]);
    await sent(stage);
    expect(extras(session.received)).toEqual([0, 999]);
    await turn();
    feed.relay(fs, updated("file:///a", 1_000), "anybody");
    expect(session.received).toHaveLength(3);
  });

  it("reach a hundred clients at once, and the others in later turns (SAFE-4)", async () => {
    const { fs, feed, enter } = createStage();
    const all = Array.from({ length: 250 }, (_, n) =>
      enter({ id: String(n), resources: new Set(["file:///a"]) }),
    );
    const received = () => all.filter((session) => session.received.length === 1).length;
    feed.relay(fs, updated("file:///a"), "anybody");
    expect(received()).toBe(100);
    while (received() < all.length) await turn();
    expect(all.every((session) => session.received.length === 1)).toBe(true);
  });

  it.each([
    ["one below", MAX_WAITING_UPDATES - 1, 0],
    ["at", MAX_WAITING_UPDATES, 0],
    ["one above", MAX_WAITING_UPDATES + 1, 1],
  ])(
    "wait in a limited number, and the rest is dropped: %s the limit (limits: MAX_WAITING_UPDATES of resource-updates) (SAFE-5)",
    async (_, waiting, dropped) => {
      const stage = createStage();
      const { fs, feed, enter } = stage;
      const session = enter({ resources: new Set(["onym://fs/file:///dir"]) });
      const received = waiting - dropped + 1;
      // The first of a turn does not wait.
      for (let n = 0; n <= waiting; n += 1) feed.relay(fs, updated(`file:///dir/${n}`), "anybody");
      while (session.received.length < received) await turn();
      await sent(stage);
      expect(session.received).toHaveLength(received);
    },
  );

  it("of wrong types are nobody's", async () => {
    const stage = createStage();
    const { fs, feed, enter } = stage;
    const session = enter({ resources: new Set(["file:///a"]) });
    for (const uri of [undefined, 5, { toString: 1 }]) feed.relay(fs, updated(uri), "anybody");
    await sent(stage);
    expect(session.received).toEqual([]);
  });

  it("are wanted for as long as somebody follows, under whatever address", () => {
    const { fs, feed, enter, listen } = createStage();
    const resource = { owner: fs, uri: "file:///a" };
    const session = enter({ resources: new Set(["onym://fs/file:///a"]) });
    expect(feed.isFollowed(resource)).toBe(true);
    session.resources.clear();
    expect(feed.isFollowed(resource)).toBe(false);
    const { stop, following } = listen({ resourceSubscriptions: ["file:///a"] });
    expect(feed.isFollowed(resource)).toBe(false);
    following.subscribed.add("file:///a");
    expect(feed.isFollowed(resource)).toBe(true);
    stop();
    following.subscribed.clear();
    expect(feed.isFollowed(resource)).toBe(false);
  });
});

describe("log messages of no request", () => {
  const message = (level: unknown) =>
    ({ jsonrpc: "2.0", method: "notifications/message", params: { level, data: "x" } }) as never;

  it("reach the one client there is, at its level", () => {
    const { fs, feed, enter } = createStage();
    const session = enter({ logLevel: "warning" });
    for (const level of ["info", "warning", "error"]) feed.relay(fs, message(level), "anybody");
    expect(session.received.map(({ params }) => params["level"])).toEqual(["warning", "error"]);
  });

  it("reach nobody where it is not certain whose they are", () => {
    const { fs, feed, enter, modernCallers, sessions } = createStage();
    const one = enter({ id: "1" });
    const caller = buildCaller();
    modernCallers.add(caller);
    feed.relay(fs, message("error"), "anybody");
    modernCallers.delete(caller);
    const two = enter({ id: "2" });
    feed.relay(fs, message("error"), "anybody");
    sessions.delete(two);
    one.ready = false;
    feed.relay(fs, message("error"), "anybody");
    expect([one.received, two.received]).toEqual([[], []]);
  });

  it("reach a client only if every request was its own (SAFE-6)", () => {
    const { fs, feed, enter } = createStage();
    const session = enter({ id: "1" });
    feed.relay(fs, message("error"), "nobody");
    feed.relay(fs, message("error"), { caller: "2" });
    expect(session.received).toEqual([]);
    feed.relay(fs, message("error"), { caller: "1" });
    expect(session.received).toHaveLength(1);
  });

  it("with a level that is a trap harm nobody", () => {
    const { fs, feed } = createStage();
    expect(() => feed.relay(fs, message({ toString: 1, valueOf: 1 }), "anybody")).not.toThrow();
  });
});
