import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { envelope, framesOf, modern, post, readAnswer, send } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";

let edge: ServedEdge;
beforeEach(async () => {
  edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, streams: 2 } });
});
afterEach(() => edge.close());

type Headers = Record<string, string | undefined>;
const V = "2026-07-28";
const KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

describe("a modern request", () => {
  const call = (name: string, id: string | number = 1) => modern("tools/call", { name, arguments: {} }, id);

  it.each<[string, Headers]>([
    ["another revision in the header", { "mcp-protocol-version": "2025-11-25" }],
    ["no revision in the header", { "mcp-protocol-version": undefined }],
    ["no method header", { "mcp-method": undefined }],
    ["another method in the header", { "mcp-method": "tools/list" }],
    ["the method in other letters", { "mcp-method": "TOOLS/CALL" }],
    ["no name header", { "mcp-name": undefined }],
    ["another name in the header", { "mcp-name": "wait" }],
    ["a name header that is not Base64", { "mcp-name": "=?base64?ZWNobw?=" }],
    ["a name header for another text in Base64", { "mcp-name": "=?base64?d2FpdA==?=" }],
  ])("is refused with -32020 for %s (GW-4)", async (_, changed) => {
    const { body, headers } = call("echo", "id");
    const { status, json } = await post(edge.url, body, { headers: { ...headers, ...changed } });
    expect([status, json.error.code, json.id]).toEqual([400, -32020, "id"]);
  });

  it("is refused with -32020 for another name in the header than in a structured name (GW-4)", async () => {
    const { body, headers } = call("echo");
    const written = JSON.stringify(body).replace('"name":"echo"', '"name":{"server":"fs","name":"echo"}');
    const named: object = JSON.parse(written);
    const codeFor = async (name: string) =>
      (await post(edge.url, named, { headers: { ...headers, "mcp-name": name } })).json.error?.code;
    expect(await codeFor("wait")).toBe(-32020);
    expect(await codeFor("echo")).not.toBe(-32020);
  });

  it("may have its name in Base64, and whitespace around header values (GW-4)", async () => {
    const { body, headers } = call("echo");
    for (const name of ["=?base64?ZWNobw==?=", "  echo\t"]) {
      expect((await post(edge.url, body, { headers: { ...headers, "mcp-name": name } })).status).toBe(200);
    }
  });

  it.each<[string, object | undefined]>([
    ["no _meta", undefined],
    ["no revision", { [CAPABILITIES]: {} }],
    ["no capabilities", { [KEY]: V }],
    ["capabilities that are no object", envelope({ [CAPABILITIES]: [] })],
    ["a revision that is no text", envelope({ [KEY]: 5 })],
    ["a log level nobody knows", envelope({ "io.modelcontextprotocol/logLevel": "loud" })],
  ])("is refused with -32602 for an envelope with %s", async (_, _meta) => {
    const headers = { "mcp-protocol-version": V, "mcp-method": "tools/list" };
    const body = { jsonrpc: "2.0", id: 5, method: "tools/list", params: { ...(_meta && { _meta }) } };
    const { status, json } = await post(edge.url, body, { headers });
    expect([status, json.error.code, json.id]).toEqual([400, -32602, 5]);
  });

  it("learns which revisions there are when it names another", async () => {
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "server/discover",
      params: { _meta: envelope({ [KEY]: "v999" }) },
    };
    const { status, json } = await post(edge.url, body, { headers: { "mcp-protocol-version": "v999" } });
    expect([status, json.error.code]).toEqual([400, -32022]);
    expect(json.error.data).toEqual({ supported: [V], requested: "v999" });
  });

  it.each(["initialize", "ping", "logging/setLevel", "unknown/method", "constructor"])(
    "for %s is answered with 404",
    async (method) => {
      const { body, headers } = modern(method, {}, 500);
      const { status, json } = await post(edge.url, body, { headers });
      expect([status, json.error.code, json.id]).toEqual([404, -32601, 500]);
    },
  );

  it("keeps errors of the router in the answer", async () => {
    const { body, headers } = call("nothing");
    const { status, json } = await post(edge.url, body, { headers });
    expect([status, json.error.code]).toEqual([200, -32602]);
  });

  it("becomes a stream when something comes before its result", async () => {
    const { body, headers } = modern("tools/call", {
      name: "progress",
      _meta: envelope({ progressToken: "p" }),
    });
    const response = await send(edge.url, body, { headers });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const frames = framesOf(response);
    const messages = [];
    for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
      expect([frame.event, frame.id]).toEqual(["message", undefined]);
      messages.push(JSON.parse(frame.data ?? ""));
    }
    expect(messages.map(({ params }) => params?.progress)).toEqual([1, 2, 3, undefined]);
    expect(messages[0].params.progressToken).toBe("p");
    expect(messages[3]).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  it("sends a client that only takes JSON just the result", async () => {
    const { body, headers } = call("progress");
    const { json } = await post(edge.url, body, { headers: { ...headers, accept: "application/json" } });
    expect(json.result.content[0].text).toBe("done");
  });

  it("that takes long becomes a stream that is kept alive", async () => {
    const { body, headers } = call("wait");
    const sent = send(edge.url, body, { headers });
    await edge.router.until("begin wait");
    edge.clock.pass(15_000);
    const frames = framesOf(await sent);
    edge.clock.pass(15_000);
    expect((await frames.next())?.comment).toBe("keep-alive");
    edge.router.release();
    expect(JSON.parse((await frames.next())?.data ?? "").result.content[0].text).toBe("waited");
    expect(await frames.next()).toBeUndefined();
  });

  it("is aborted when its client goes away", async () => {
    const controller = new AbortController();
    const { body, headers } = call("wait");
    const sent = send(edge.url, body, { headers, signal: controller.signal });
    await edge.router.until("begin wait");
    controller.abort();
    await expect(sent).rejects.toThrow();
    await edge.router.until("abort wait");
  });

  it("in flight is refused when the gateway closes", async () => {
    const { body, headers } = call("wait");
    const sent = post(edge.url, body, { headers });
    await edge.router.until("begin wait");
    await edge.closeEdge();
    expect((await sent).status).toBe(503);
  });
});

describe("a modern notification", () => {
  it("is taken without an answer", async () => {
    const body = { jsonrpc: "2.0", method: "notifications/whatever" };
    const answer = await post(edge.url, body, { headers: { "mcp-protocol-version": V } });
    expect([answer.status, answer.text]).toEqual([202, ""]);
  });

  it.each<[string, object, Headers, number]>([
    ["a header that names another method", {}, { "mcp-method": "x" }, -32020],
    ["an envelope that names another revision", { _meta: envelope({ [KEY]: "2027-01-01" }) }, {}, -32020],
    ["an envelope without a readable revision", { _meta: { [KEY]: 1 } }, {}, -32602],
  ])("is refused for %s", async (_, params, changed, code) => {
    const headers = { "mcp-protocol-version": V, ...changed };
    const { status, json } = await post(
      edge.url,
      { jsonrpc: "2.0", method: "notifications/x", params },
      { headers },
    );
    expect([status, json.error.code, json.id]).toEqual([400, code, null]);
  });
});

describe("subscriptions/listen", () => {
  const listen = (
    id: string | number,
    notifications: unknown = { toolsListChanged: true, promptsListChanged: true },
  ) => {
    const { body, headers } = modern("subscriptions/listen", { notifications }, id);
    return send(edge.url, body, { headers });
  };
  const STAMP = "io.modelcontextprotocol/subscriptionId";

  it("acknowledges what it honours, stamps notifications, and ends with a result (GW-7)", async () => {
    const frames = framesOf(await listen("s"));
    const next = async () => JSON.parse((await frames.next())?.data ?? "null");
    expect(await next()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true }, _meta: { [STAMP]: "s" } },
    });
    edge.router.publish({ method: "notifications/tools/list_changed", params: { _meta: { a: 1 } } });
    expect((await next()).params._meta).toEqual({ a: 1, [STAMP]: "s" });
    edge.clock.pass(15_000);
    expect((await frames.next())?.comment).toBe("keep-alive");
    await edge.closeEdge();
    const end = await next();
    expect([end.id, end.result.resultType, end.result._meta[STAMP]]).toEqual(["s", "complete", "s"]);
    expect(await frames.next()).toBeUndefined();
    expect(edge.router.events).toEqual(["listen", "unlisten"]);
  });

  it("ends when the client goes away", async () => {
    const frames = framesOf(await listen(1));
    await frames.next();
    await frames.cancel();
    await edge.router.until("unlisten");
  });

  it("is bounded in number, and frees its place at the end", async () => {
    const first = framesOf(await listen(1));
    await listen(2);
    const { status, headers, json } = await readAnswer(await listen(3));
    expect([status, headers.get("retry-after"), json.error.code, json.id]).toEqual([503, "5", -32000, 3]);
    await first.cancel();
    await edge.router.until("unlisten");
    expect((await listen(4)).headers.get("content-type")).toBe("text/event-stream");
  });

  it("follows a bounded number of resources: one below, at and one above (limits: MAX_SUBSCRIPTIONS of resource-subscriptions) (SAFE-5)", async () => {
    const follow = async (count: number) => {
      const uris = Array.from({ length: count }, (_, n) => `note://${n}`);
      const { body, headers } = modern("subscriptions/listen", {
        notifications: { resourceSubscriptions: uris },
      });
      const response = await send(edge.url, body, { headers });
      const type = response.headers.get("content-type");
      await response.body?.cancel();
      return type;
    };
    expect(await follow(999)).toBe("text/event-stream");
    await edge.router.until("unlisten", 1);
    expect(await follow(1000)).toBe("text/event-stream");
    await edge.router.until("unlisten", 2);
    expect(await follow(1001)).toBe("application/json");
  });

  it.each([[undefined], [5], [[]], [{ toolsListChanged: "yes" }], [{ resourceSubscriptions: [1] }]])(
    "is refused for the filter %j",
    async (filter) => {
      const { body, headers } = modern("subscriptions/listen", { notifications: filter });
      const { json } = await post(edge.url, body, { headers });
      expect(json.error.code).toBe(-32602);
    },
  );
});
