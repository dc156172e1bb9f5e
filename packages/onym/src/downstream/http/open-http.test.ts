import type { ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import { type JsonObject, TOO_DEEP } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { systemClock } from "../../model/clock.js";
import { serveHttp, type TestServer } from "../testing/serve-http.js";
import { type Script, sendEvent, sendJson, serveScriptedHttp } from "../testing/serve-scripted-http.js";
import {
  createTestClock,
  startDownstream,
  type TestDownstream,
  type TestOptions,
} from "../testing/start-downstream.js";

/** What every error of a call says that was sent and not answered. */
const UNKNOWN = ". The call may have run: its outcome is unknown.";
const started: TestDownstream[] = [];
const servers: TestServer[] = [];

async function ready(server: TestServer, more: Partial<TestOptions> = {}): Promise<TestDownstream> {
  const launch = { kind: "http", url: server.url, headers: new Map([["x-key", "s3cret-key"]]) } as const;
  servers.push(server);
  const test = startDownstream({ launch, ...more });
  started.push(test);
  await test.downstream.firstAttempt;
  return test;
}

const scripted = async (script: Script = () => false) => {
  const server = await serveScriptedHttp(script);
  return { server, ...(await ready(server)) };
};

function errorOf(reply: Reply): string {
  return reply.kind === "error" ? reply.error.message : `${reply.kind}, not error`;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ downstream }) => downstream.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("a legacy server over HTTP", () => {
  it.each(["json", "events"])(
    "loses only the tool whose schema is nested too deeply: %s (SAFE-4, NAME-8)",
    async (as) => {
      const deep = `{"name":"deep","inputSchema":{"not":${"[".repeat(1_400)}${"]".repeat(1_400)}}}`;
      const server = await serveScriptedHttp(({ body }, response) => {
        if (body?.["method"] !== "tools/list") return false;
        const text = `{"jsonrpc":"2.0","id":${body["id"]},"result":{"tools":[${deep},{"name":"echo"}]}}`;
        if (as === "json") response.writeHead(200, { "content-type": "application/json" }).end(text);
        else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);
        return true;
      });
      const { downstream } = await ready(server);
      expect(downstream.inventory?.tools).toEqual([{ name: "echo" }]);
      expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([
        `tools/list: 1 entry ${TOO_DEEP.reason} left out; the first is "deep"`,
      ]);
    },
  );

  it.each(["application/json", "text/event-stream"])(
    "that leaves many answers incomplete has some of them fail, before they take all memory: %s (SAFE-5)",
    async (type) => {
      const open: ServerResponse[] = [];
      const server = await serveScriptedHttp(({ body }, response) => {
        const params = body?.["params"] as JsonObject | undefined;
        if (params?.["name"] !== "slow") return false;
        open.push(response);
        response.writeHead(200, { "content-type": type }).write(`data: ${" ".repeat(900)}`);
        return true;
      });
      const { call } = await ready(server, { limits: { frameBytes: 1_000 } });
      const calls = Array.from({ length: 6 }, () => call("slow"));
      expect(errorOf(await Promise.race(calls))).toBe(
        `server "test" sent more than 4000 bytes in messages that are not complete${UNKNOWN}`,
      );
      expect(await call("echo")).toMatchObject({ kind: "result" });
      for (const response of open) response.end();
    },
  );

  it("is asked within its session, with the headers of the config, and notified when it ends (GW-1)", async () => {
    const { server, downstream, call } = await scripted();
    expect(downstream.status).toEqual({ kind: "ready", era: "legacy", revision: "2025-11-25" });
    expect(await call("echo", { a: 1 })).toMatchObject({
      result: { sent: { name: "echo", arguments: { a: 1 } } },
    });
    expect(server.received.at(-1)?.headers).toMatchObject({
      "x-key": "s3cret-key",
      "mcp-session-id": "session-1",
      "mcp-protocol-version": "2025-11-25",
    });
    await downstream.close();
    expect(server.received.at(-1)?.method).toBe("DELETE");
  });

  it("that forgot the session gets a new one, and only the request it turned away again", async () => {
    const { server, call } = await scripted();
    server.forget();
    const replies = await Promise.all([call("one"), call("two")]);
    expect(replies.map(({ kind }) => kind)).toEqual(["result", "result"]);
    const initialized = server.received.filter(({ body }) => body?.["method"] === "initialize");
    expect(initialized).toHaveLength(2);
  });

  it("that ends every session it begins is given up and tried again later, and not greeted without end (SAFE-5)", async () => {
    let handshakes = 0;
    let isSick = false;
    const { server, call, downstream } = await scripted(({ body }, response) => {
      if (body?.["method"] === "initialize") handshakes += 1;
      else if (isSick) return sendJson(response, { error: "gone" }, 404);
      return false;
    });
    isSick = true;
    expect(errorOf(await call("echo"))).not.toBe("result, not error");
    // Without an end there would be many more by then.
    const isOver = (): boolean => downstream.status.kind === "failed" || handshakes > 20;
    await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
    expect(downstream.status).toMatchObject({
      kind: "failed",
      reason: `${server.url} ended a session before it had answered anything in it`,
    });
    expect(handshakes).toBe(2);
  });

  it.each([
    ["the call that was sent again", 1],
    ["the next call", 2],
    ["a call whose stream broke and was taken up", 1],
  ])("whose new session has answered %s may end that session, too (SAFE-5)", async (which, calls) => {
    let isBegun = false;
    let asked: unknown;
    const { server, call, downstream } = await scripted(({ method, headers, body }, response) => {
      if (method === "GET" && headers["last-event-id"] === "e1") {
        sendEvent(response, { jsonrpc: "2.0", id: asked, result: {} }, "e2");
        response.end();
        return true;
      }
      // Nothing but the calls proves the session.
      if (isBegun && body?.["method"] === "tools/list") return sendJson(response, {}, 500);
      if (body?.["method"] !== "tools/call" || headers["mcp-session-id"] !== "session-2") return false;
      if (which === "the next call" && asked === undefined) {
        asked = body["id"];
        return sendJson(response, {}, 500);
      }
      if (!which.startsWith("a call")) return false;
      asked = body["id"];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("retry: 1\nid: e1\ndata: \n\n");
      return true;
    });
    isBegun = true;
    server.forget();
    const replies: Reply[] = [];
    for (let count = 0; count < calls; count += 1) replies.push(await call("one"));
    expect(replies.at(-1)?.kind).toBe("result");
    which = "nothing more";
    server.forget();
    expect((await call("two")).kind).toBe("result");
    expect(downstream.status.kind).toBe("ready");
  });

  it("whose new listing fails keeps what it had, with a problem, until it lists again (NAME-5)", async () => {
    const lists = [
      { result: { tools: [{ name: "echo" }, { name: "other" }] } },
      { error: { code: -32603, message: "out of order" } },
      { result: { tools: [{ name: "later" }] } },
    ];
    const { server, downstream, inventories, until } = await scripted(({ body }, response) => {
      if (body?.["method"] !== "tools/list") return false;
      return sendJson(response, { jsonrpc: "2.0", id: body["id"], ...lists.shift() });
    });
    const names = () => downstream.inventory?.tools.map(({ name }) => name);
    const change = async (listings: number): Promise<void> => {
      await expect.poll(() => server.streams.size).toBe(1);
      for (const stream of server.streams)
        sendEvent(stream, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      await until(() => inventories.length === listings);
    };
    expect(names()).toEqual(["echo", "other"]);
    await change(2);
    expect(names()).toEqual(["echo", "other"]);
    expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([
      'tools/list failed: "out of order"',
    ]);
    await change(3);
    expect(names()).toEqual(["later"]);
    expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([]);
  });

  it("is asked nothing between two sessions", async () => {
    const meanwhile: Promise<Reply>[] = [];
    let test: TestDownstream | undefined;
    const started = await scripted(({ body }) => {
      if (body?.["method"] === "initialize" && test !== undefined) meanwhile.push(test.call("meanwhile"));
      return false;
    });
    test = started;
    started.server.forget();
    expect((await test.call("one")).kind).toBe("result");
    expect((await Promise.all(meanwhile)).map(({ kind }) => kind)).toEqual(["result"]);
  });

  it("may answer with a stream of progress, server requests and the result, all of which belong to one request", async () => {
    let waiting: { id: unknown; response: Parameters<Script>[1] } | undefined;
    const { call } = await scripted(({ body }, response) => {
      if (body?.["id"] === "q" && waiting !== undefined) {
        response.writeHead(202).end();
        sendEvent(waiting.response, { jsonrpc: "2.0", id: waiting.id, result: { answered: body["result"] } });
        waiting.response.end();
        return true;
      }
      if (body?.["method"] !== "tools/call") return false;
      const params = body["params"] as { readonly name: string; readonly _meta?: JsonObject };
      if (params.name !== "ask") return false;
      waiting = { id: body["id"], response };
      const progressToken = params._meta?.["progressToken"];
      sendEvent(response, {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1 },
      });
      sendEvent(response, { jsonrpc: "2.0", id: "q", method: "roots/list" });
      return true;
    });
    const received: unknown[] = [];
    const other = new AbortController();
    const origin = (id: string) => ({
      id,
      capabilities: { roots: {} },
      wantsProgress: true,
      notify: (notification: unknown) => received.push([id, notification]),
      sendRequest: async () => ({ kind: "result", result: { by: id } }) as const,
    });
    const [reply] = await Promise.all([
      call("ask", {}, origin("a")),
      call("echo", {}, origin("b"), { signal: other.signal }),
    ]);
    expect(reply).toEqual({
      kind: "result",
      result: { answered: { by: "a" } },
      text: '{"answered":{"by":"a"}}',
    });
    expect(received).toEqual([["a", { method: "notifications/progress", params: { progress: 1 } }]]);
  });

  it("that speaks of a session of its own is not asked twice, and stays up", async () => {
    const error = { code: -32000, message: "unknown browser session" };
    const { server, call, downstream } = await scripted(({ body }, response) =>
      body?.["method"] === "tools/call"
        ? sendJson(response, { jsonrpc: "2.0", id: body["id"], error }, 400)
        : false,
    );
    expect(await call("click")).toEqual({ kind: "error", error });
    expect(server.received.filter(({ body }) => body?.["method"] === "tools/call")).toHaveLength(1);
    expect(server.received.filter(({ body }) => body?.["method"] === "initialize")).toHaveLength(1);
    expect(downstream.status.kind).toBe("ready");
  });

  it.each([
    ["not sent again when the server may have taken it", 5, 1],
    ["sent again when the server did not read it", null, 2],
  ])("that ends a session with HTTP 400 gets a new one; the call is %s", async (_, id, times) => {
    const { server, call } = await scripted(({ method, body, headers }, response) => {
      const isGone = headers["mcp-session-id"] === "session-1" && isForgotten;
      return isGone && method === "POST" && body?.["method"] !== "initialize"
        ? sendJson(
            response,
            { jsonrpc: "2.0", id, error: { code: -32000, message: "No valid session" } },
            400,
          )
        : false;
    });
    isForgotten = true;
    const reply = await call("pay");
    isForgotten = false;
    const ran = server.received.filter(({ body }) => body?.["method"] === "tools/call");
    expect(ran).toHaveLength(times);
    if (times === 2) expect(reply.kind).toBe("result");
    else {
      expect(errorOf(reply)).toContain(UNKNOWN);
      expect(reply).toMatchObject({ error: { data: { outcome: "unknown" } } });
      expect((await call("look")).kind).toBe("result");
    }
  });
  let isForgotten = false;

  it("that refuses one connection still answers the calls it has", async () => {
    let answer = (): void => {};
    const server = await serveScriptedHttp(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      answer = () => void sendJson(response, { jsonrpc: "2.0", id: body["id"], result: { late: true } });
      return true;
    });
    const { call, until, downstream } = await ready(server);
    const slow = call("slow");
    await expect.poll(() => server.received.some(({ body }) => body?.["method"] === "tools/call")).toBe(true);
    const closed = server.stopListening();
    expect(errorOf(await call("other"))).toContain("could not be asked");
    await until(() => downstream.status.kind === "failed");
    answer();
    expect(await slow).toMatchObject({ kind: "result", result: { late: true } });
    await closed;
  });

  it("whose stream broke before the answer is taken up after the last event", async () => {
    const { server, call } = await scripted(({ method, headers, body }, response) => {
      if (method === "GET" && headers["last-event-id"] === "e1") {
        sendEvent(response, { jsonrpc: "2.0", id: 77, result: {} });
        sendEvent(
          response,
          { jsonrpc: "2.0", id: Number(headers["x-id"] ?? asked), result: { resumed: true } },
          "e2",
        );
        response.end();
        return true;
      }
      if (body?.["method"] !== "tools/call") return false;
      asked = Number(body["id"]);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("retry: 1\nid: e1\ndata: \n\n");
      return true;
    });
    expect(await call("slow")).toEqual({
      kind: "result",
      result: { resumed: true },
      text: '{"resumed":true}',
    });
    expect(server.received.filter(({ body }) => body?.["method"] === "tools/call")).toHaveLength(1);
  });
  let asked = 0;

  it("that answers with streams is asked over the same connection again", async () => {
    const ports = new Set<number | undefined>();
    const { call } = await scripted(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      ports.add(response.socket?.remotePort);
      sendEvent(response, { jsonrpc: "2.0", id: body["id"], result: {} });
      response.end();
      return true;
    });
    for (let calls = 0; calls < 20; calls += 1) await call("x");
    expect(ports.size).toBeLessThan(5);
  });

  it("whose stream broke without event ids is answered with an error, and not asked again", async () => {
    const { server, call } = await scripted(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
      return true;
    });
    expect(errorOf(await call("slow"))).toBe(
      `server "test" broke off before it answered tools/call${UNKNOWN}`,
    );
    expect(server.received.filter(({ body }) => body?.["method"] === "tools/call")).toHaveLength(1);
  });

  it("notifies of changes on its own stream", async () => {
    let tools = [{ name: "one" }];
    const { server, downstream, until } = await scripted(({ body }, response) =>
      body?.["method"] === "tools/list"
        ? sendJson(response, { jsonrpc: "2.0", id: body["id"], result: { tools } })
        : false,
    );
    await expect.poll(() => server.streams.size).toBe(1);
    tools = [{ name: "one" }, { name: "two" }];
    for (const stream of server.streams)
      sendEvent(stream, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await until(() => downstream.inventory?.tools.length === 2);
  });

  it("shows a log message on its own stream to nobody where it may be about the request of another (SAFE-6)", async () => {
    const waiting: (() => void)[] = [];
    const { server, call, receivers, until } = await scripted(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      waiting.push(() => sendJson(response, { jsonrpc: "2.0", id: body["id"], result: {} }));
      return true;
    });
    await expect.poll(() => server.streams.size).toBe(1);
    const received: string[] = [];
    const callAs = (id: string) => call("x", {}, { id, notify: () => void received.push(id) });
    const tellLog = async () => {
      const before = receivers.length + received.length;
      for (const stream of server.streams)
        sendEvent(stream, { jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } });
      await expect.poll(() => receivers.length + received.length).toBe(before + 1);
    };
    const first = callAs("a");
    await expect.poll(() => waiting.length).toBe(1);
    await tellLog();
    waiting.shift()?.();
    await first;
    await tellLog();
    const both = [callAs("a"), callAs("b")];
    await expect.poll(() => waiting.length).toBe(2);
    await tellLog();
    for (const answer of waiting) answer();
    await Promise.all(both);
    await tellLog();
    await until(() => receivers.length === 3);
    expect({ received, receivers }).toEqual({
      received: ["a"],
      receivers: [{ caller: "a" }, "nobody", "nobody"],
    });
  });

  it("is notified when a caller cancels", async () => {
    const { server, call } = await scripted(({ body }) => body?.["method"] === "tools/call");
    const cancel = new AbortController();
    const reply = call("slow", {}, {}, { signal: cancel.signal });
    await expect.poll(() => server.received.some(({ body }) => body?.["method"] === "tools/call")).toBe(true);
    cancel.abort();
    expect(errorOf(await reply)).toBe(`The request was cancelled${UNKNOWN}`);
    await expect.poll(() => server.received.at(-1)?.body?.["method"]).toBe("notifications/cancelled");
  });

  it.each([
    ["no JSON", (response: Parameters<Script>[1]) => response.end("<html>"), "broke off before it answered"],
    [
      "too much",
      (response: Parameters<Script>[1]) => response.end("x".repeat(1_000_001)),
      "more than 1000000 bytes",
    ],
    [
      "an error page",
      (response: Parameters<Script>[1]) => response.writeHead(502).end("key s3cret-key"),
      "answered HTTP 502: key [hidden]",
    ],
    [
      "nothing",
      (response: Parameters<Script>[1]) => response.writeHead(202).end(),
      "without an answer (HTTP 202)",
    ],
    ["a broken connection", (response: Parameters<Script>[1]) => response.destroy(), UNKNOWN],
  ])("that answers with %s gives an error", async (_, answer, expected) => {
    const { call, downstream } = await scripted(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      answer(response);
      return true;
    });
    expect(errorOf(await call("x"))).toContain(expected);
    expect(downstream.status.kind).toBe("ready");
  });

  it.each([
    ["one below", 9_999],
    ["at", 10_000],
    ["one above", 10_001],
  ])(
    "may answer with so many bytes, else the one request fails: %s (limits.frameBytes) (SAFE-4)",
    async (_, bytes) => {
      const server = await serveScriptedHttp(({ body }, response) => {
        if (body?.["method"] !== "tools/call") return false;
        const text = (more: number) =>
          `{"jsonrpc":"2.0","id":${body["id"]},"result":{"content":[{"type":"text","text":"${"1".repeat(more)}"}]}}`;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(text(bytes - text(0).length));
        return true;
      });
      const { call, downstream } = await ready(server, { limits: { frameBytes: 10_000 } });
      const reply = await call("x");
      if (bytes <= 10_000) expect(reply.kind).toBe("result");
      else expect(errorOf(reply)).toContain(`sent a message of more than 10000 bytes${UNKNOWN}`);
      expect(downstream.status.kind).toBe("ready");
    },
  );

  it.each([
    ["is broken inside", (text: string) => `{"a":[1,],"text":"${text}"}`],
    ["would add to the message", (text: string) => `{"text":"${text}"},"method":"ping"},{"a":{}`],
    ["ends too soon", (text: string) => `{"text":"${text}`],
    [
      "is nested beyond reason",
      (text: string) => `{"a":${"[".repeat(2_000)}"${text}"${"]".repeat(2_000)}}`,
      `answered tools/call with a result ${TOO_DEEP.reason}${UNKNOWN}`,
    ],
  ])(
    "with a large result that %s gives an error (SAFE-1)",
    async (_, result, expected = "broke off before it answered") => {
      const { call } = await scripted(({ body }, response) => {
        if (body?.["method"] !== "tools/call") return false;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(`{"jsonrpc":"2.0","id":${body["id"]},"result":${result("x".repeat(20_000))}}`);
        return true;
      });
      expect(errorOf(await call("x"))).toContain(expected);
    },
  );

  it("that went away is down, and is found again when it is back", async () => {
    const clock = createTestClock();
    const server = await serveScriptedHttp(() => false);
    const { downstream, call, until } = await ready(server, { clock });
    await server.close();
    // A connection that was kept alive may break first.
    await expect.poll(async () => errorOf(await call("x"))).toContain("nothing listens there (ECONNREFUSED)");
    await until(() => downstream.status.kind === "failed");
    const again = await serveScriptedHttp(() => false, server.port);
    servers.push(again);
    clock.fire();
    await until(() => downstream.status.kind === "ready");
    expect((await call("x")).kind).toBe("result");
  });

  it.each<[string, Script, RegExp]>([
    ["500", (_, response) => Boolean(response.writeHead(500).end("oops")), /HTTP 500/],
    ["401", (_, response) => Boolean(response.writeHead(401).end()), /HTTP 401/],
    ["429", (_, response) => Boolean(response.writeHead(429, { "retry-after": "120" }).end()), /HTTP 429/],
    [
      "a page",
      (_, response) => Boolean(response.writeHead(200, { "content-type": "text/html" }).end("<html>")),
      /text\/html instead of JSON \(HTTP 200\)/,
    ],
    [
      "results that are no objects",
      ({ body }, response) =>
        Boolean(
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ jsonrpc: "2.0", id: body?.["id"], result: "text" })),
        ),
      /answer/,
    ],
    ["nothing", () => true, /no answer within 40 ms/],
  ])(
    "that answers calls with %s alone is reported as unhealthy, left alone, and tried again (SAFE-5)",
    async (kind, script, last) => {
      let isWell = true;
      let time = Date.parse("2026-11-16T20:00:00Z");
      const clock = { now: () => time, after: systemClock.after };
      const server = await serveScriptedHttp((request, response) =>
        request.body?.["method"] === "tools/call" && !isWell ? script(request, response) : false,
      );
      const { downstream, call, logged, statuses } = await ready(server, { clock });
      const sent = () => server.received.filter(({ body }) => body?.["method"] === "tools/call").length;
      const ask = () => call("echo", {}, {}, { timeoutMs: kind === "nothing" ? 40 : 10_000 });
      isWell = false;
      for (let times = 0; times < 5; times += 1) expect((await ask()).kind).toBe("error");
      expect(sent()).toBe(5);
      const refused = await call("echo");
      expect(sent()).toBe(5);
      const wait = kind === "429" ? 120 : 4;
      expect(errorOf(refused)).toMatch(
        /^server "test" is unhealthy since 2026-11-16T20:00:00Z: its last 5 requests failed, the last one with /,
      );
      expect(errorOf(refused)).toMatch(last);
      expect(errorOf(refused)).toContain(`Nothing was sent. It is tried again in ${wait} s.`);
      expect(refused).toMatchObject({
        error: { data: { server: "test", state: "unhealthy", retryAfterMs: wait * 1000 } },
      });
      expect(downstream.status).toMatchObject({ kind: "ready", unhealthy: { failures: 5 } });
      // The probe fails, and nothing is reported again.
      time += wait * 1000;
      await ask();
      expect(sent()).toBe(6);
      expect(logged.filter((line) => line.includes("unhealthy"))).toHaveLength(1);
      isWell = true;
      time += 300_000;
      expect((await call("echo")).kind).toBe("result");
      expect((await call("echo")).kind).toBe("result");
      expect(downstream.status).toMatchObject({ kind: "ready", unhealthy: undefined });
      expect(logged.filter((line) => line.includes("answers again"))).toHaveLength(1);
      expect(statuses.filter((status) => status === "starting")).toHaveLength(1);
    },
  );

  it.each([
    [401, "wants authorization (HTTP 401)"],
    [302, "leads elsewhere (HTTP 302)"],
    [500, 'speaks no MCP that is known here: refused initialize: server "test" answered HTTP 500'],
    [404, "is no event stream (HTTP 404)"],
  ])("that answers everything with %i says so", async (status, expected) => {
    const { downstream } = await ready(await serveHttp((_, response) => response.writeHead(status).end()));
    expect(downstream.status.kind === "failed" && downstream.status.reason).toContain(expected);
  });

  it("that never answers fails at the deadline", async () => {
    const { downstream } = await ready(await serveHttp(() => {}), { limits: { startMs: 100 } });
    expect(downstream.status.kind === "failed" && downstream.status.reason).toContain(
      "did not answer initialize within 100 ms",
    );
  });
});

/** A server of the SDK for both eras, or for the modern one alone. */
async function serveSdk(legacy: "stateless" | "reject") {
  const seen: { readonly method: string; readonly headers: Headers }[] = [];
  let cancelled = 0;
  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: "sdk", version: "1" },
        { capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} } },
      );
      server.setRequestHandler("tools/list", () => ({
        tools: [{ name: "größe", inputSchema: { type: "object" } }],
      }));
      server.setRequestHandler("resources/list", () => ({ resources: [] }));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
      server.setRequestHandler("tools/call", async ({ params }, context) => {
        if (params.name === "progress")
          await context.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1 },
          });
        if (params.name === "wait")
          await new Promise<void>((resolve) =>
            context.mcpReq.signal.addEventListener("abort", () => {
              cancelled += 1;
              resolve();
            }),
          );
        if (
          params.name === "ask" &&
          (context.mcpReq as { inputResponses?: unknown }).inputResponses === undefined
        )
          return {
            resultType: "input_required",
            inputRequests: {
              who: {
                method: "elicitation/create",
                params: {
                  mode: "form",
                  message: "Who?",
                  requestedSchema: { type: "object", properties: {} },
                },
              },
            },
            requestState: "s1",
          } as never;
        const answers = (context.mcpReq as { inputResponses?: unknown }).inputResponses;
        return { content: [{ type: "text", text: JSON.stringify({ name: params.name, answers }) }] };
      });
      return server;
    },
    { legacy },
  );
  const server = await serveHttp(
    getRequestListener((request) => {
      seen.push({ method: request.headers.get("mcp-method") ?? "", headers: request.headers });
      return handler.fetch(request);
    }),
  );
  return { ...server, seen, handler, cancelled: () => cancelled };
}

describe("a modern server over HTTP", () => {
  it("is found, listed and asked with headers that agree with the body (GW-4)", async () => {
    const server = await serveSdk("reject");
    const { downstream, call } = await ready(server);
    expect(downstream.status).toEqual({ kind: "ready", era: "modern", revision: "2026-07-28" });
    expect(downstream.eraFor("legacy")).toBe("modern");
    expect(downstream.inventory?.serverInfo).toMatchObject({ name: "sdk" });
    expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([]);
    expect(await call("größe")).toMatchObject({ result: { resultType: "complete" } });
    const asked = server.seen.find(({ method }) => method === "tools/call");
    expect(asked?.headers.get("mcp-name")).toBe("=?base64?Z3LDtsOfZQ==?=");
  });

  it("of both eras serves each caller in its own", async () => {
    const server = await serveSdk("stateless");
    const { downstream, call } = await ready(server);
    expect([downstream.eraFor("legacy"), downstream.eraFor("modern")]).toEqual(["legacy", "modern"]);
    expect(await call("x")).toMatchObject({ result: { resultType: "complete" } });
    const legacy = await call("x", {}, { sendRequest: async () => ({ kind: "result", result: {} }) });
    const result = { content: [{ type: "text", text: '{"name":"x"}' }] };
    expect(legacy).toEqual({ kind: "result", result, text: JSON.stringify(result) });
  });

  it("sends progress of a request to its caller", async () => {
    const { call } = await ready(await serveSdk("reject"));
    const received: unknown[] = [];
    await call(
      "progress",
      {},
      { wantsProgress: true, notify: (notification) => received.push(notification) },
    );
    expect(received).toMatchObject([{ method: "notifications/progress", params: { progress: 1 } }]);
    expect(JSON.stringify(received)).not.toContain("progressToken");
  });

  it("that needs input gets it from a legacy caller, and a modern caller is told", async () => {
    const { call } = await ready(await serveSdk("reject"));
    const capabilities = { elicitation: { form: {} } };
    const legacy = await call(
      "ask",
      {},
      {
        capabilities,
        sendRequest: async ({ method }) => ({
          kind: "result",
          result: { action: "accept", content: { method } },
        }),
      },
    );
    expect(legacy.kind === "result" && Object.keys(legacy.result)).not.toContain("resultType");
    expect(JSON.stringify(legacy)).toContain("elicitation/create");
    const modern = await call("ask", {}, { capabilities });
    expect(modern).toMatchObject({ result: { resultType: "input_required", requestState: "s1" } });
  });

  it("sees the HTTP request end when the caller cancels", async () => {
    const server = await serveSdk("reject");
    const { call } = await ready(server);
    const cancel = new AbortController();
    const reply = call("wait", {}, {}, { signal: cancel.signal });
    await expect.poll(() => server.seen.some(({ method }) => method === "tools/call")).toBe(true);
    cancel.abort();
    expect(errorOf(await reply)).toBe(`The request was cancelled${UNKNOWN}`);
    await expect.poll(server.cancelled).toBe(1);
  });

  it("notifies of changes and of followed resources through one stream", async () => {
    const server = await serveSdk("reject");
    const { downstream, notifications, until } = await ready(server);
    const subscriptions = () => server.seen.filter(({ method }) => method === "subscriptions/listen").length;
    await expect.poll(subscriptions).toBe(1);
    const follow = (method: string) =>
      downstream.send({
        method,
        params: { uri: "a://b" },
        origin: {
          id: "x",
          callerKey: "x",
          capabilities: {},
          logLevel: undefined,
          wantsProgress: false,
          notify: () => {},
          sendRequest: undefined,
        },
        signal: new AbortController().signal,
        timeoutMs: 1000,
      });
    expect(await follow("resources/subscribe")).toEqual({ kind: "result", result: {} });
    await expect.poll(subscriptions).toBe(2);
    await expect
      .poll(() => {
        server.handler.notify.resourceUpdated("a://b");
        return notifications.length;
      })
      .toBeGreaterThan(0);
    await until(() => notifications.length > 0);
    expect(notifications[0]).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "a://b" },
    });
    expect(JSON.stringify(notifications[0])).not.toContain("subscriptionId");
  });
});
