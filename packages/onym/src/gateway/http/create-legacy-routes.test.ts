import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  framesOf,
  initialize,
  openSession,
  post,
  readAnswer,
  send,
} from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { systemEdgeClock } from "../../model/clock.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";

const LIMITS = { ...DEFAULT_EDGE_LIMITS, sessions: 3, streams: 2, pending: 2, replayBytes: 2000 };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

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

describe("a session", () => {
  it("is needed for all but initialize", async () => {
    for (const body of [
      PING,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]) {
      expect((await post(edge.url, body)).status).toBe(400);
      const unknown = await post(edge.url, body, { headers: { "mcp-session-id": "x" } });
      expect([unknown.status, unknown.json.error.code]).toEqual([404, -32001]);
    }
    expect(await answerTo(await fetch(edge.url))).toEqual([400, -32000]);
    expect(await answerTo(await fetch(edge.url, { method: "DELETE" }))).toEqual([400, -32000]);
  });

  it("is not begun twice", async () => {
    const again = await post(edge.url, initialize(), { headers });
    expect([again.status, again.json.error.code]).toEqual([400, -32600]);
    expect((await post(edge.url, initialize(), { headers: { "mcp-session-id": "gone" } })).status).toBe(200);
  });

  it("is not begun with the header of a modern revision", async () => {
    const { status, json } = await post(edge.url, initialize(), {
      headers: { "mcp-protocol-version": "2026-07-28" },
    });
    expect([status, json.error.code]).toEqual([400, -32020]);
  });

  it("is not begun when the router refuses", async () => {
    const answer = await post(edge.url, { jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    expect([answer.json.error.code, answer.headers.get("mcp-session-id")]).toEqual([-32602, null]);
  });

  it("refuses a revision that is not supported, and takes every older one", async () => {
    const ask = async (version: string) => {
      const { status } = await post(edge.url, PING, {
        headers: { ...headers, "mcp-protocol-version": version },
      });
      return status;
    };
    expect(await ask("2025-01-01")).toBe(400);
    expect(await ask("2025-03-26")).toBe(200);
    const none = await post(edge.url, PING, { headers: { ...headers, "mcp-protocol-version": undefined } });
    expect(none.status).toBe(200);
  });

  it("ends with DELETE, and its requests in flight with it", async () => {
    const waiting = post(edge.url, call("wait"), { headers });
    await edge.router.until("begin wait");
    expect((await fetch(edge.url, { method: "DELETE", headers })).status).toBe(200);
    await edge.router.until("abort wait");
    expect((await waiting).status).toBe(404);
    expect((await post(edge.url, PING, { headers })).status).toBe(404);
    expect(edge.router.events.filter((event) => event === "leave")).toHaveLength(1);
  });

  it("is dropped when it was idle for too long, but not while a request is in flight", async () => {
    edge.clock.pass(LIMITS.sessionIdleMs);
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
    const waiting = post(edge.url, call("wait"), { headers });
    await edge.router.until("begin wait");
    edge.clock.pass(LIMITS.sessionIdleMs + 1);
    edge.router.release();
    await waiting;
    const stream = framesOf(await open());
    edge.clock.pass(LIMITS.sessionIdleMs + 1);
    expect(edge.router.events).not.toContain("leave");
    await stream.cancel();
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
    edge.clock.pass(LIMITS.sessionIdleMs + 1);
    await edge.router.until("leave");
    expect((await post(edge.url, PING, { headers })).status).toBe(404);
  });

  it("does not age when the machine's clock is set (SAFE-5)", async () => {
    edge.clock.setForward(LIMITS.sessionIdleMs + 60_000);
    edge.clock.pass(15_000);
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
    expect(edge.router.events).not.toContain("leave");
  });

  it("ages by a clock that nobody can set (SAFE-5)", () => {
    const hour = 60 * 60_000;
    const before = systemEdgeClock.elapsed();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hour });
    try {
      expect(systemEdgeClock.elapsed() - before).toBeLessThan(hour);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes the place of the one that has been idle longest, where there are too many (SAFE-5)", async () => {
    const second = await openSession(edge.url);
    edge.clock.pass(1);
    const third = await openSession(edge.url);
    edge.clock.pass(1);
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
    expect((await post(edge.url, initialize())).status).toBe(200);
    const states = [headers, second, third].map(
      async (each) => (await post(edge.url, PING, { headers: each })).status,
    );
    expect(await Promise.all(states)).toEqual([200, 404, 200]);
  });

  it("is refused where all have something in flight, and welcome when one has ended", async () => {
    const all = [headers, await openSession(edge.url), await openSession(edge.url)];
    const waiting = all.map((each, index) => post(edge.url, call("wait", index), { headers: each }));
    await edge.router.until("begin wait", 3);
    const refused = await post(edge.url, initialize());
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    edge.router.release();
    await Promise.all(waiting);
    expect((await post(edge.url, initialize())).status).toBe(200);
  });

  it("bounds its requests in flight", async () => {
    const waiting = [1, 2].map((id) => post(edge.url, call("wait", id), { headers }));
    await edge.router.until("begin wait", 2);
    expect((await post(edge.url, PING, { headers })).json.error.code).toBe(-32603);
    edge.router.release();
    await Promise.all(waiting);
    expect((await post(edge.url, PING, { headers })).json.result).toEqual({});
  });
});

describe("a request in a session", () => {
  it.each([
    ["application/json, text/event-stream", 200],
    ["application/json", 200],
    ["*/*", 200],
    [undefined, 200],
    ["text/html", 406],
  ])("with Accept %s is answered with %i", async (accept, status) => {
    expect((await send(edge.url, PING, { headers: { ...headers, accept: accept as string } })).status).toBe(
      accept === undefined ? 200 : status,
    );
  });

  it("is answered by a stream where the client takes nothing else", async () => {
    const response = await send(edge.url, PING, { headers: { ...headers, accept: "text/event-stream" } });
    const frames = framesOf(response);
    expect((await frames.next())?.data).toBe("");
    expect(JSON.parse((await frames.next())?.data ?? "").result).toEqual({});
  });

  it("that is cancelled gets no answer, and only the id of the same type is meant", async () => {
    const waiting = send(edge.url, call("wait", 7), { headers });
    await edge.router.until("begin wait");
    const cancel = (requestId: unknown) =>
      post(
        edge.url,
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
        { headers },
      );
    for (const other of ["7", 8, null, {}]) expect((await cancel(other)).status).toBe(202);
    expect(edge.router.events).not.toContain("abort wait");
    await cancel(7);
    await edge.router.until("abort wait");
    const answer = await readAnswer(await waiting);
    expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([
      200,
      "text/event-stream",
      "",
    ]);
  });

  it("goes on when its client's connection breaks", async () => {
    const controller = new AbortController();
    const sent = send(edge.url, call("wait"), { headers, signal: controller.signal });
    await edge.router.until("begin wait");
    controller.abort();
    await expect(sent).rejects.toThrow();
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
    expect(edge.router.events).not.toContain("abort wait");
  });

  it("may send a request to the client, on its own stream and answered by a POST", async () => {
    const frames = framesOf(await send(edge.url, call("ask"), { headers }));
    await frames.next();
    const serverRequest = JSON.parse((await frames.next())?.data ?? "");
    expect([serverRequest.id, serverRequest.method]).toEqual(["onym-1", "elicitation/create"]);
    const result = { action: "accept", content: { who: "me" } };
    for (const id of ["onym-2", 1, null]) await post(edge.url, { jsonrpc: "2.0", id, result }, { headers });
    const answered = await post(edge.url, { jsonrpc: "2.0", id: "onym-1", result }, { headers });
    expect(answered.status).toBe(202);
    const reply = JSON.parse((await frames.next())?.data ?? "");
    expect(JSON.parse(reply.result.content[0].text)).toEqual(result);
    expect(await frames.next()).toBeUndefined();
  });

  it("passes on the client's refusal to answer", async () => {
    const frames = framesOf(await send(edge.url, call("ask"), { headers }));
    await frames.next();
    await frames.next();
    const error = { code: -1, message: "no", data: { a: 1 } };
    await post(edge.url, { jsonrpc: "2.0", id: "onym-1", error }, { headers });
    expect(JSON.parse((await frames.next())?.data ?? "").error).toEqual(error);
  });

  it("withdraws its server request when it is cancelled", async () => {
    const frames = framesOf(await send(edge.url, call("ask", "a"), { headers }));
    await frames.next();
    await frames.next();
    const params = { requestId: "a" };
    await post(edge.url, { jsonrpc: "2.0", method: "notifications/cancelled", params }, { headers });
    expect(JSON.parse((await frames.next())?.data ?? "")).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "onym-1" },
    });
    expect(await frames.next()).toBeUndefined();
  });

  it("cannot ask a client that takes no stream", async () => {
    const { json } = await post(edge.url, call("ask"), {
      headers: { ...headers, accept: "application/json" },
    });
    expect(json.error.code).toBe(-32603);
  });
});

describe("batches", () => {
  const batch = [{ ...PING, id: "a" }, { jsonrpc: "2.0", method: "notifications/roots/list_changed" }, PING];

  it("are answered in a session of 2025-03-26 (GW-1)", async () => {
    const old = await openSession(edge.url, "2025-03-26");
    const { json } = await post(edge.url, batch, { headers: old });
    expect(json).toEqual([
      { jsonrpc: "2.0", id: "a", result: {} },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
    expect(edge.router.events).toContain("accept notifications/roots/list_changed");
    expect((await post(edge.url, batch.slice(1, 2), { headers: old })).status).toBe(202);
    const streamed = await post(edge.url, [PING, call("progress", 2)], { headers: old });
    expect(streamed.text.match(/^data: /gm)).toHaveLength(5);
    for (const bad of [[], [1], [initialize()]]) {
      const refused = await post(edge.url, bad, { headers: old });
      expect([refused.status, refused.json.error.code]).toEqual([400, -32600]);
    }
  });

  it.each([
    ["one below", 99, 202],
    ["at", 100, 202],
    ["one above", 101, 400],
  ])(
    "hold 100 messages at most: %s (limits: BATCH_MESSAGES of read-client-batch) (SAFE-4)",
    async (_, count, status) => {
      const old = await openSession(edge.url, "2025-03-26");
      expect((await post(edge.url, Array(count).fill(batch[1]), { headers: old })).status).toBe(status);
    },
  );

  it.each([
    ["one below", 1_023, 200],
    ["at", 1_024, 200],
    ["one above", 1_025, 400],
  ])(
    "have ids of 1,024 characters at most: %s (limits: MAX_ID_LENGTH of message) (SAFE-5)",
    async (_, length, status) => {
      const old = await openSession(edge.url, "2025-03-26");
      const ping = { jsonrpc: "2.0", id: "x".repeat(length), method: "ping" };
      expect((await post(edge.url, [ping], { headers: old })).status).toBe(status);
    },
  );

  it.each([
    ["one below", -1, true],
    ["at", 0, true],
    ["one above", 1, false],
  ])(
    "have answers of 4 MiB together: %s (limits: MAX_BATCH_BYTES of answer-batch) (SAFE-5)",
    async (_, more, isAnswered) => {
      const old = await openSession(edge.url, "2025-03-26");
      // A line end takes two characters in a request, and three in the text that echoes it.
      const lines = "\n".repeat(10_000);
      const echo = (id: number, text: string) => call("echo", id, { arguments: { text } });
      const ask = (filler: string) => post(edge.url, [echo(1, lines), echo(2, filler)], { headers: old });
      // The list has two brackets and a comma.
      const rest = (await ask("")).text.length - 3;
      const { json } = await ask("x".repeat(4 * 1_048_576 - rest + more));
      const full = { code: -32603, data: { limit: "batchBytes", max: 4 * 1_048_576 } };
      expect(json[0]).toHaveProperty("result");
      if (isAnswered) expect(json[1]).toHaveProperty("result");
      else expect(json[1]).toMatchObject({ id: 2, error: full });
    },
  );

  it("are refused before they are parsed where millions are in them (SAFE-4)", async () => {
    const old = await openSession(edge.url, "2025-03-26");
    const refused = await post(edge.url, `[${"{},".repeat(30_000)}{}]`, { headers: old });
    expect([refused.status, refused.json.error.code]).toEqual([400, -32600]);
    expect(refused.json.error.message).toContain("5000 values");
    expect((await post(edge.url, batch, { headers: old })).json).toHaveLength(2);
  });

  it("are refused elsewhere", async () => {
    const refused = await post(edge.url, batch, { headers });
    expect([refused.status, refused.json.error.code]).toEqual([400, -32600]);
    expect((await post(edge.url, batch)).status).toBe(400);
  });
});
