import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { errorReply, type Reply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import type { Router } from "../router.js";
import { buildCaller } from "../testing/test-callers.js";
import { createPendingRequests, runRequest } from "./in-flight-requests.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["one below", 999, undefined],
  ["at", 1_000, 0],
  ["one above", 1_001, 0],
])("waits for what is in flight for 1000 ms: %s (limits.drainMs)", async (_, ms, expected) => {
  const pending = createPendingRequests();
  pending.begin();
  let left: number | undefined;
  void pending.drain(1_000).then((rest) => {
    left = rest;
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect(left).toBe(expected);
});

it("says what is left of the time where all was answered before", async () => {
  const pending = createPendingRequests();
  pending.begin();
  pending.begin();
  const drained = pending.drain(1_000);
  await vi.advanceTimersByTimeAsync(300);
  pending.end();
  await vi.advanceTimersByTimeAsync(100);
  pending.end();
  expect(await drained).toBe(600);
  expect(await createPendingRequests().drain(1_000)).toBe(1_000);
});

const REPLY: Reply = errorReply(-32601, "no such method");

it.each<[string, () => Promise<Reply>]>([
  ["has its reply at once", () => Promise.resolve(REPLY)],
  ["rejects at once", () => Promise.reject(new Error("no"))],
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
])("calls back after it has returned, where the router %s", async (_, handle) => {
  const events: string[] = [];
  runRequest({
    router: { handle } as Pick<Router, "handle"> as Router,
    request: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    caller: buildCaller(),
    sink: { send: () => true },
    sendRequest: undefined,
    headers: undefined,
    held: undefined,
    log: silentLog,
    onReply: ({ kind } = REPLY) => void events.push(kind),
    onEnd: () => void events.push("end"),
  });
  events.push("returned");
  await vi.waitFor(() => expect(events).toEqual(["returned", "end", "error"]));
});
