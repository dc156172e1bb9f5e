import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { createSubscriptions } from "./subscriptions.js";

const ACKNOWLEDGED = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged" } as const;

interface Stream {
  readonly uris: unknown;
  readonly signal: AbortSignal;
  readonly end: (reply: Reply) => void;
}

function start() {
  const streams: Stream[] = [];
  const listen = (params: JsonObject, signal: AbortSignal): Promise<Reply> =>
    new Promise((resolve) => {
      const { resourceSubscriptions: uris } = params["notifications"] as JsonObject;
      streams.push({ uris, signal, end: resolve });
    });
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
  const subscriptions = createSubscriptions({ capabilities, listen, random: () => 0 });
  subscriptions.start();
  return {
    streams,
    isOpen: () => streams.map(({ signal }) => !signal.aborted),
    follow: (uri: string) => subscriptions.follow("resources/subscribe", { uri }),
    acknowledge: () => subscriptions.accept(ACKNOWLEDGED),
    close: subscriptions.close,
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("the streams of a server's changes (SAFE-5)", () => {
  it("are two at most: what is followed meanwhile waits for the acknowledgement", () => {
    const { streams, isOpen, follow, acknowledge } = start();
    acknowledge();
    for (let n = 0; n < 100; n++) expect(follow(`a://${n}`)).toEqual(resultReply({}));
    expect(streams.map(({ uris }) => uris)).toEqual([undefined, ["a://0"]]);
    expect(isOpen()).toEqual([true, true]);
    acknowledge();
    expect(isOpen()).toEqual([false, true, true]);
    expect(streams[2]?.uris).toHaveLength(100);
    acknowledge();
    acknowledge();
    expect(isOpen()).toEqual([false, false, true]);
  });

  it("are used unacknowledged where the server never does it, one after the other", () => {
    const { streams, isOpen, follow } = start();
    for (let n = 0; n < 100; n++) follow(`a://${n}`);
    expect(isOpen()).toEqual([true]);
    vi.runOnlyPendingTimers();
    expect(isOpen()).toEqual([true, true]);
    expect(streams[1]?.uris).toHaveLength(100);
    vi.runOnlyPendingTimers();
    expect(isOpen()).toEqual([false, true]);
    vi.runOnlyPendingTimers();
    expect(streams).toHaveLength(2);
  });

  it("are opened again where the newest one ends before it is acknowledged, with all that is followed", async () => {
    const { streams, isOpen, follow, acknowledge } = start();
    acknowledge();
    follow("a://0");
    follow("a://1");
    streams[1]?.end(resultReply({}));
    await nextTurn();
    expect(streams).toHaveLength(2);
    vi.runOnlyPendingTimers();
    expect(streams[2]?.uris).toEqual(["a://0", "a://1"]);
    expect(acknowledge()).toBeUndefined();
    expect(isOpen()).toEqual([false, true, true]);
  });

  it("are opened again where the one in use ends, and what was missed is told", async () => {
    const { streams, acknowledge } = start();
    acknowledge();
    streams[0]?.end(resultReply({}));
    await nextTurn();
    vi.runOnlyPendingTimers();
    expect(streams).toHaveLength(2);
    expect(acknowledge()).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  it("are not opened again where the server has no such method, nor after the end", async () => {
    const unable = start();
    unable.streams[0]?.end(errorReply(-32601, "Method not found"));
    const closed = start();
    closed.follow("a://0");
    closed.close();
    closed.streams[0]?.end(resultReply({}));
    await nextTurn();
    vi.runOnlyPendingTimers();
    expect([unable.streams.length, closed.streams.length]).toEqual([1, 1]);
    expect(closed.isOpen()).toEqual([false]);
  });
});
