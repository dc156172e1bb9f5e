import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf, openSession, post, readAnswer, send } from "../../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../../test/edge/serve-edge.js";
import { DEFAULT_EDGE_LIMITS } from "../../sessions/edge-limits.js";

const LIMITS = { ...DEFAULT_EDGE_LIMITS, sessions: 3, streams: 2, pending: 2, replayBytes: 2000 };

let edge: ServedEdge;
let headers: Record<string, string>;
beforeEach(async () => {
  edge = await serveEdge({ limits: LIMITS });
  headers = await openSession(edge.url);
});
afterEach(() => edge.close());

const call = (name: string, id: string | number = 1, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...params },
});
const open = (more: Record<string, string> = {}) =>
  fetch(edge.url, { headers: { accept: "text/event-stream", ...headers, ...more } });
const answerTo = (response: Response) =>
  readAnswer(response).then(({ status, json }) => [status, json?.error?.code]);

describe("the stream of a session", () => {
  const notification = (n: number) => ({ method: "notifications/x", params: { n } });
  const notify = (n: number) => edge.router.sessions[0]?.channel.notify(notification(n));
  const numberOf = async (frames: ReturnType<typeof framesOf>) => {
    const frame = await frames.next();
    return [frame?.id, JSON.parse(frame?.data || "{}").params?.n];
  };

  it("begins with an event to resume from, and carries what belongs to no request", async () => {
    notify(1);
    const frames = framesOf(await open());
    expect(await frames.next()).toMatchObject({ id: "0-0", retry: "500", data: "" });
    expect(await numberOf(frames)).toEqual(["0-1", 1]);
    notify(2);
    expect(await numberOf(frames)).toEqual(["0-2", 2]);
    edge.clock.pass(15_000);
    expect((await frames.next())?.comment).toBe("keep-alive");
  });

  it("has no empty event for clients before 2025-11-25", async () => {
    headers = await openSession(edge.url, "2025-06-18");
    const frames = framesOf(await open());
    edge.router.sessions[1]?.channel.notify(notification(1));
    expect(await numberOf(frames)).toEqual(["0-1", 1]);
  });

  it("keeps less where its caller has many sessions (SAFE-5)", async () => {
    const padding = "x".repeat(1_500);
    const firstKept = async () => {
      const frames = framesOf(await open());
      await frames.next();
      return (await frames.next())?.id;
    };
    const tellLarge = (at: number) =>
      edge.router.sessions[at]?.channel.notify({ method: "notifications/x", params: { padding } });
    await edge.close();
    edge = await serveEdge({ limits: { ...LIMITS, sessions: 100, callerSessions: 100 } });
    headers = await openSession(edge.url);
    tellLarge(0);
    expect(await firstKept()).toBe("0-1");
    for (let count = 1; count < 64; count += 1) headers = await openSession(edge.url);
    // Half of 2,000 bytes: of these, only the small one is kept.
    tellLarge(63);
    edge.router.sessions[63]?.channel.notify(notification(2));
    expect(await firstKept()).toBe("0-2");
  });

  it.each([
    ["one below", 31, "0-1"],
    ["at", 32, "0-1"],
    ["one above", 33, undefined],
  ])(
    "keeps as much as it may up to so many sessions of its caller: %s (limits: REPLAY_SESSIONS of create-session-table) (SAFE-5)",
    async (_, count, kept) => {
      await edge.close();
      edge = await serveEdge({ limits: { ...LIMITS, sessions: 100, callerSessions: 100 } });
      for (let opened = 0; opened < count; opened += 1) headers = await openSession(edge.url);
      const method = "notifications/x";
      const rest = JSON.stringify({ jsonrpc: "2.0", method, params: { padding: "" } }).length;
      const channel = edge.router.sessions[count - 1]?.channel;
      channel?.notify({ method, params: { padding: "x".repeat(LIMITS.replayBytes - rest) } });
      const frames = framesOf(await open());
      await frames.next();
      channel?.notify(notification(2));
      expect((await frames.next())?.id).toBe(kept ?? "0-2");
    },
  );

  it("is resumed after the event that the client names (SEP-1699)", async () => {
    const first = framesOf(await open());
    for (const n of [1, 2, 3]) notify(n);
    for (let count = 0; count < 3; count++) await first.next();
    const second = framesOf(await open({ "last-event-id": "0-1" }));
    expect((await second.next())?.id).toBe("0-1");
    expect([await numberOf(second), await numberOf(second)]).toEqual([
      ["0-2", 2],
      ["0-3", 3],
    ]);
    await first.next();
    expect(await first.next()).toBeUndefined();
    notify(4);
    expect(await numberOf(second)).toEqual(["0-4", 4]);
  });

  it("takes up the stream of a request, with its answer (SEP-1699)", async () => {
    const waiting = send(edge.url, call("wait"), { headers });
    await edge.router.until("begin wait");
    edge.clock.pass(250);
    const lost = framesOf(await waiting);
    const priming = await lost.next();
    expect(priming).toMatchObject({ data: "", retry: "500" });
    await lost.cancel();
    const resumed = framesOf(await open({ "last-event-id": priming?.id ?? "" }));
    await resumed.next();
    edge.router.release();
    expect(JSON.parse((await resumed.next())?.data ?? "").result.content[0].text).toBe("waited");
    expect(await resumed.next()).toBeUndefined();
    const late = framesOf(await open({ "last-event-id": priming?.id ?? "" }));
    await late.next();
    expect(JSON.parse((await late.next())?.data ?? "").id).toBe(1);
    expect(await late.next()).toBeUndefined();
  });

  it.each(["", "x", "9-0", "0", "1-1-1", "-1-0", "99999999999999999999-1"])(
    "is not resumed after the unknown event %j",
    async (id) => {
      const status = (await open({ "last-event-id": id })).status;
      expect(status).toBe(400);
    },
  );

  it("keeps no more than it may", async () => {
    for (let n = 1; n <= 100; n++) notify(n);
    const frames = framesOf(await open({ "last-event-id": "0-0" }));
    await frames.next();
    const [id] = await numberOf(frames);
    expect(Number(String(id).slice(2))).toBeGreaterThan(50);
  });

  it("is bounded in number", async () => {
    // Kept, because a response that nobody holds is collected, and its stream ends.
    const first = await open();
    headers = await openSession(edge.url);
    const second = await open();
    headers = await openSession(edge.url);
    const third = await open();
    expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 503]);
  });

  it("wants a client that takes streams", async () => {
    expect(await answerTo(await open({ accept: "application/json" }))).toEqual([406, -32000]);
  });

  it("carries server requests while it is open, else they are answered with an error", async () => {
    const { signal } = new AbortController();
    const ask = () =>
      edge.router.sessions[0]?.channel.sendRequest({ method: "roots/list", params: {} }, signal);
    expect(await ask()).toMatchObject({ kind: "error" });
    const frames = framesOf(await open());
    await frames.next();
    const reply = ask();
    const { id } = JSON.parse((await frames.next())?.data ?? "");
    await post(edge.url, { jsonrpc: "2.0", id, result: { roots: [] } }, { headers });
    expect(await reply).toEqual({ kind: "result", result: { roots: [] } });
    const other = await openSession(edge.url);
    const unanswered = ask();
    const second = JSON.parse((await frames.next())?.data ?? "");
    await post(
      edge.url,
      { jsonrpc: "2.0", id: second.id, result: { roots: ["stolen"] } },
      { headers: other },
    );
    await fetch(edge.url, { method: "DELETE", headers });
    expect(await unanswered).toMatchObject({ kind: "error" });
  });
});
