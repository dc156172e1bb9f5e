// Limits of the edge over real HTTP: one below, at and one above (SAFE-4, SAFE-5).

import { afterEach, describe, expect, it } from "vitest";
import { modern, openSession, post, send } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "./edge-limits.js";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

let edge: ServedEdge;
const start = async (limits: Partial<EdgeLimits>): Promise<void> => {
  edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, ...limits } });
};
afterEach(() => edge.close());

const pingStatus = async (headers: Record<string, string>): Promise<number> =>
  (await post(edge.url, PING, { headers })).status;

describe("limits over HTTP", () => {
  it("requests, one below, at and one above: the larger is refused with 413 (limits.requestBytes) (SAFE-4)", async () => {
    await start({ requestBytes: 1000 });
    const sized = (bytes: number): string => {
      const { body } = modern("tools/call", { name: "echo", arguments: { text: "" } });
      const text = JSON.stringify(body);
      return text.replace('"text":""', `"text":"${"x".repeat(bytes - text.length)}"`);
    };
    const { headers } = modern("tools/call", { name: "echo" });
    const statuses = [];
    for (const bytes of [999, 1000, 1001]) {
      const text = sized(bytes);
      expect(Buffer.byteLength(text)).toBe(bytes);
      statuses.push((await post(edge.url, text, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 413]);
  });

  it("sessions, one below, at and one above: one more takes the place of the one that was idle longest (limits.sessions) (SAFE-5)", async () => {
    await start({ sessions: 3 });
    const all = [await openSession(edge.url), await openSession(edge.url)];
    expect(await Promise.all(all.map(pingStatus))).toEqual([200, 200]);
    all.push(await openSession(edge.url));
    expect(await Promise.all(all.map(pingStatus))).toEqual([200, 200, 200]);
    all.push(await openSession(edge.url));
    expect((await Promise.all(all.map(pingStatus))).toSorted()).toEqual([200, 200, 200, 404]);
  });

  it("silence, one below, at and one above: a session ends when it was silent for longer (limits.sessionIdleMs) (SAFE-5)", async () => {
    await start({ sessionIdleMs: 60_000 });
    const headers = await openSession(edge.url);
    for (const ms of [59_999, 60_000]) {
      edge.clock.pass(ms);
      expect(await pingStatus(headers)).toBe(200);
    }
    edge.clock.pass(60_001);
    expect(await pingStatus(headers)).toBe(404);
  });

  it.each([
    ["(limits.streams)", "streams", 503],
    ["(limits.callerStreams)", "callerStreams", 429],
  ] as const)(
    "streams, one below, at and one above: one more is refused, and when to try again %s (SAFE-5)",
    async (_, limit, status) => {
      await start({ [limit]: 3 });
      const { body, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
      const open = [];
      for (let n = 0; n < 4; n += 1) open.push(await send(edge.url, body, { headers }));
      expect(open.map((answer) => answer.status)).toEqual([200, 200, 200, status]);
      expect(open.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
      await Promise.all(open.map((answer) => answer.body?.cancel()));
    },
  );

  it("requests in flight, one below, at and one above: one more is refused with 429 until one is answered (limits.callerPending) (SAFE-5)", async () => {
    await start({ callerPending: 3 });
    const wait = modern("tools/call", { name: "wait", arguments: {} });
    const echo = modern("tools/call", { name: "echo", arguments: {} });
    const ask = async () => (await post(edge.url, echo.body, { headers: echo.headers })).status;
    const waiting = [1, 2].map(() => post(edge.url, wait.body, { headers: wait.headers }));
    await edge.router.until("begin wait", 2);
    expect(await ask()).toBe(200);
    waiting.push(post(edge.url, wait.body, { headers: wait.headers }));
    await edge.router.until("begin wait", 3);
    expect(await ask()).toBe(429);
    edge.router.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await ask()).toBe(200);
  });
});

it("1,000 sessions left open keep nobody out, and take no more than their number (SAFE-5)", async () => {
  await start({ sessions: 100, callerSessions: 100 });
  for (let n = 0; n < 1000; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => openSession(edge.url)));
  expect(await pingStatus(await openSession(edge.url))).toBe(200);
  const { events } = edge.router;
  const count = (wanted: string) => events.filter((event) => event === wanted).length;
  expect(count("open") - count("leave")).toBe(100);
});
