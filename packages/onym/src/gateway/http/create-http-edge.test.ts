import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  initialize,
  modern,
  openSession,
  post,
  readAnswer,
  send,
} from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { MAX_ID_LENGTH } from "../../mcp/message.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";

let edge: ServedEdge;
beforeEach(async () => {
  edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, requestBytes: 100_000 } });
});
afterEach(() => edge.close());

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("the HTTP edge", () => {
  it("opens a session and answers in it (GW-1)", async () => {
    const opened = await post(edge.url, initialize());
    expect(opened.status).toBe(200);
    expect(opened.json.result.protocolVersion).toBe("2025-11-25");
    const id = opened.headers.get("mcp-session-id") ?? "";
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{36}$/);
    const pong = await post(edge.url, PING, { headers: { "mcp-session-id": id } });
    expect(pong.json).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("answers a request that stands alone (GW-1)", async () => {
    const { body, headers } = modern("tools/call", { name: "echo", arguments: { a: 1 } }, "x");
    const answer = await post(edge.url, body, { headers });
    expect(answer.status).toBe(200);
    expect(answer.json.id).toBe("x");
    expect(answer.json.result.content[0].text).toBe('{"a":1}');
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  it("leaves other addresses alone", async () => {
    for (const path of ["/", "/mcpx", "/mcp/a/b", "/messages/x", "/console"]) {
      expect((await fetch(`${edge.origin}${path}`)).status).toBe(418);
    }
  });

  it.each([
    ["/mcp/claude", "claude", undefined],
    ["/mcp?profile=openai", "openai", undefined],
    ["/mcp?as=Tools&profile=cursor", "cursor", "Tools"],
    ["/mcp/a%20b?as=", "a b", undefined],
    ["/mcp/", undefined, undefined],
  ])("hands on what %s says of the client (GW-3)", async (path, profile, as) => {
    await post(`${edge.origin}${path}`, initialize(), { headers: { "X-Onym-Profile": "x" } });
    const [hints] = edge.router.hints;
    expect([hints?.profile, hints?.as, hints?.headers.get("x-onym-profile")]).toEqual([profile, as, "x"]);
  });

  it.each([
    ["another Host", { host: "evil.example" }, 403],
    ["another Host with our port", { host: "evil.example:80" }, 403],
    ["a Host that only begins like ours", { host: "localhost.evil.example" }, 403],
    ["another Origin", { host: "localhost", origin: "http://evil.example" }, 403],
    ["an opaque Origin", { host: "localhost", origin: "null" }, 403],
    ["an Origin with a user name", { host: "localhost", origin: "http://localhost@evil.example" }, 403],
    ["localhost with a page on localhost", { host: "LOCALHOST:1", origin: "http://localhost:6274" }, 200],
    ["the IPv6 loopback", { host: "[::1]:80", origin: "https://[::1]" }, 200],
  ])("answers %s with the right status", async (_, headers, status) => {
    const answer = await raw(edge, headers, JSON.stringify(initialize()));
    expect(answer.status).toBe(status);
    if (status === 403) expect(JSON.parse(answer.text).error.message).toContain("localhost");
    const stream = await raw(edge, headers, "", { method: "GET", path: "/sse" });
    expect(stream.status).toBe(status);
  });

  it("refuses what is not JSON, each with its own status", async () => {
    const statusOf = async (body: string, headers = {}) => {
      const { status, json } = await post(edge.url, body, { headers });
      return [status, json.error.code, json.id];
    };
    expect(await statusOf("{")).toEqual([400, -32700, null]);
    expect(await statusOf("")).toEqual([400, -32700, null]);
    expect(await statusOf("3")).toEqual([400, -32600, null]);
    expect(await statusOf('{"jsonrpc":"2.0","id":"7","method":"x","params":[]}')).toEqual([400, -32600, "7"]);
    const longId = "x".repeat(MAX_ID_LENGTH + 1);
    const ping = JSON.stringify({ jsonrpc: "2.0", id: longId, method: "ping" });
    expect(await statusOf(ping)).toEqual([400, -32600, longId]);
    expect(await statusOf("{}", { "content-type": "text/plain" })).toEqual([415, -32000, null]);
    expect(await statusOf("{}", { "content-type": "application/jsonx" })).toEqual([415, -32000, null]);
  });

  it("takes JSON with parameters on its content type", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await post(edge.url, initialize(), { headers })).status).toBe(200);
  });

  it("refuses other methods and says which there are", async () => {
    const put = await readAnswer(await fetch(edge.url, { method: "PUT", body: "x" }));
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
    const sse = await readAnswer(await fetch(`${edge.origin}/sse`, { method: "POST", body: "x" }));
    expect([sse.status, sse.headers.get("allow"), sse.json.error.code]).toEqual([405, "GET", -32000]);
  });

  it("refuses a body that says it is too large, and ends the connection", async () => {
    const answer = await raw(edge, { "content-length": "100001" }, "{");
    expect([answer.status, answer.connection]).toEqual([413, "close"]);
    expect(JSON.parse(answer.text).error.code).toBe(-32000);
  });

  it("refuses a body that turns out too large while it is read", async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(edge.port, "127.0.0.1");
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
      });
      socket.on("close", () => resolve(received));
      socket.on("error", () => {});
      socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
      socket.write("Transfer-Encoding: chunked\r\n\r\n");
      const piece = "a".repeat(0x4000);
      for (let index = 0; index < 8; index++) socket.write(`4000\r\n${piece}\r\n`);
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("keeps ids exactly as they were sent", async () => {
    const headers = await openSession(edge.url);
    for (const id of [1, "1", 0, "", -5, 1.5, "ä\u0000"]) {
      expect((await post(edge.url, { ...PING, id }, { headers })).json.id).toBe(id);
    }
  });

  it("takes keys such as __proto__ for what they are (SAFE-1)", async () => {
    const headers = await openSession(edge.url);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"x":1}},"__proto__":{"name":"wait"}},"__proto__":{"method":"x"}}';
    const { json } = await post(edge.url, body, { headers });
    expect(json.result.content[0].text).toBe('{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("outlives what is nested too deeply to be answered", async () => {
    const headers = await openSession(edge.url);
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"a":${deep}}}}`;
    expect((await post(edge.url, body, { headers })).json.error.code).toBe(-32700);
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
  });

  it("refuses a body that is not UTF-8", async () => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(edge.url, {
      method: "POST",
      headers,
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
  });

  it("answers a bug in the router with an internal error that says nothing of it", async () => {
    const headers = await openSession(edge.url);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "throw" } };
    const { status, text } = await post(edge.url, body, { headers });
    expect([status, text]).toEqual([
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
    ]);
  });

  it("refuses new requests once closed", async () => {
    await edge.closeEdge();
    const answer = await post(edge.url, initialize());
    expect([answer.status, answer.json.error.code]).toEqual([503, -32000]);
  });

  it("survives a client that goes away in the middle of its body", async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(edge.port, "127.0.0.1", () => {
        socket.write(
          "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
        );
        socket.end();
      });
      socket.on("close", () => resolve());
      socket.resume();
    });
    expect((await send(edge.url, initialize())).status).toBe(200);
  });
});

/** With headers that fetch would not send. Resolves with what came until the answer ended or became a stream. */
function raw(
  { port }: ServedEdge,
  headers: Record<string, string>,
  body: string,
  { method = "POST", path = "/mcp" } = {},
): Promise<{
  readonly status: number | undefined;
  readonly text: string;
  readonly connection: string | undefined;
}> {
  return new Promise((resolve, reject) => {
    const sent = { host: "localhost", "content-type": "application/json", ...headers };
    const req = request({ port, host: "127.0.0.1", method, path, headers: sent }, (res) => {
      let text = "";
      const done = () => {
        req.destroy();
        resolve({ status: res.statusCode, text, connection: res.headers.connection });
      };
      if (res.headers["content-type"] === "text/event-stream") return done();
      res.on("data", (chunk) => {
        text += chunk;
      });
      res.on("end", done);
    });
    req.on("error", reject);
    if (headers["content-length"] === undefined) req.end(body);
    else req.write(body);
  });
}
