import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  framesOf,
  initialize,
  modern,
  type PostOptions,
  post,
  readAnswer,
} from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import type { TokenSettings } from "../../model/auth-settings.js";
import { silentLog } from "../../model/log.js";
import { createAuthenticator } from "./create-authenticator.js";

function tokenOf(name: string, more: Partial<TokenSettings> = {}): TokenSettings {
  const hash = createHash("sha256").update(`${name}-token`).digest("hex");
  const terms = { profile: undefined, as: undefined, toolboxes: undefined };
  return { name, hash, expiresAt: undefined, ...terms, ...more };
}

const ANN = { authorization: "Bearer ann-token" };
const EVE = { authorization: "Bearer eve-token" };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

let edge: ServedEdge;
const authenticator = () =>
  createAuthenticator({
    settings: {
      tokens: [tokenOf("ann", { profile: "openai", as: "box", toolboxes: ["dev"] }), tokenOf("eve")],
      oauth: [],
    },
    resource: () => "http://127.0.0.1/mcp",
    log: silentLog,
    now: Date.now,
  });
let inForce = authenticator();
beforeEach(async () => {
  inForce = authenticator();
  edge = await serveEdge({ authenticate: (headers) => inForce.authenticate(headers) });
});
afterEach(() => edge.close());

async function openAs(headers: Record<string, string>): Promise<Record<string, string>> {
  const opened = await post(edge.url, initialize(), { headers });
  return { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

describe("an edge that asks who calls", () => {
  it.each([
    ["POST", "/mcp"],
    ["POST", "/mcp/openai"],
    ["GET", "/mcp"],
    ["DELETE", "/mcp"],
    ["PUT", "/mcp"],
    ["GET", "/sse"],
    ["POST", "/messages?sessionId=1"],
  ])("refuses %s %s without a token, before anything is read", async (method, path) => {
    const answer = await readAnswer(await fetch(`${edge.origin}${path}`, { method }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="onym"');
    expect(answer.json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000 } });
    expect(edge.router.events).toEqual([]);
  });

  it("refuses an unknown token, and one in the address", async () => {
    const wrong = await post(edge.url, initialize(), { headers: { authorization: "Bearer bob-token" } });
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="the token is not known here"',
    ]);
    expect((await post(`${edge.url}?access_token=ann-token`, initialize())).status).toBe(401);
  });

  it("hands on who calls and what they get, and never the token (GW-3)", async () => {
    const headers = { ...ANN, cookie: "a=b", "x-other": "c" };
    await post(edge.url, initialize(), { headers });
    await post(`${edge.url}?as=own`, initialize(), { headers });
    const request = modern("tools/call", { name: "echo" });
    await post(edge.url, request.body, { headers: { ...request.headers, ...EVE } });
    const seen = edge.router.hints;
    expect(seen.map(({ principal, as }) => [principal, as])).toEqual([
      ["ann", "box"],
      ["ann", "own"],
      ["eve", undefined],
    ]);
    expect(seen[0]?.terms).toMatchObject({ profile: "openai", toolboxes: ["dev"] });
    expect(seen[0]?.headers.get("x-other")).toBe("c");
    for (const each of seen) {
      expect([...each.headers.keys()]).not.toContain("authorization");
      expect([...each.headers.values()].join()).not.toMatch(/-token|a=b/);
    }
  });

  it("admits a caller that it has to wait for, with the whole of its message", async () => {
    const slow = await serveEdge({
      authenticate: async (headers) => {
        await new Promise((resolve) => setImmediate(resolve));
        return inForce.authenticate(headers);
      },
    });
    try {
      const { body, headers } = modern("tools/call", { name: "echo", arguments: { a: "x".repeat(50_000) } });
      const answer = await post(slow.url, body, { headers: { ...headers, ...ANN } });
      expect(answer.json.result.content[0].text).toHaveLength(50_008);
      expect((await post(slow.url, body, { headers })).status).toBe(401);
    } finally {
      await slow.close();
    }
  });

  it("fails closed when it cannot be told who calls", async () => {
    const broken = await serveEdge({ authenticate: () => Promise.reject(new Error("a bug")) });
    try {
      expect((await post(broken.url, initialize(), { headers: ANN })).status).toBe(500);
      expect(broken.router.hints).toEqual([]);
    } finally {
      await broken.close();
    }
  });
});

describe("a session", () => {
  const NOT_FOUND = { code: -32001, message: "Session not found. Send initialize again." };

  it.each<[string, (options: PostOptions) => Promise<{ status: number; json: unknown }>]>([
    ["a request", (options) => post(edge.url, PING, options)],
    ["a batch", (options) => post(edge.url, [PING], options)],
    ["a response", (options) => post(edge.url, { jsonrpc: "2.0", id: 1, result: {} }, options)],
    [
      "a cancellation",
      (options) => post(edge.url, { jsonrpc: "2.0", method: "notifications/cancelled" }, options),
    ],
    ["a stream", (options) => take("GET", options)],
    ["resumption", (options) => take("GET", { headers: { ...options.headers, "last-event-id": "1-1" } })],
    ["its end", (options) => take("DELETE", options)],
  ])("is its caller's alone: %s of another is answered as for no session", async (_, ask) => {
    const session = await openAs(ANN);
    const { status, json } = await ask({ headers: { ...session, ...EVE } });
    expect([status, json]).toMatchObject([404, { error: NOT_FOUND }]);
    expect((await post(edge.url, PING, { headers: session })).status).toBe(200);
    expect(edge.router.events.filter((event) => event.startsWith("leave"))).toEqual([]);
  });

  it("of somebody else is not betrayed by initialize", async () => {
    const session = await openAs(ANN);
    expect((await post(edge.url, initialize(), { headers: session })).status).toBe(400);
    expect((await post(edge.url, initialize(), { headers: { ...session, ...EVE } })).status).toBe(200);
  });

  it("needs its token with every request", async () => {
    const { "mcp-session-id": id } = await openAs(ANN);
    expect((await post(edge.url, PING, { headers: { "mcp-session-id": id } })).status).toBe(401);
  });

  it("ends when its caller gets other toolboxes, so that no old right lives on", async () => {
    const session = await openAs(ANN);
    inForce.adopt({ tokens: [tokenOf("ann", { toolboxes: ["ops"] })], oauth: [] });
    expect((await post(edge.url, PING, { headers: session })).status).toBe(404);
    inForce.adopt({ tokens: [tokenOf("eve")], oauth: [] });
    expect((await post(edge.url, PING, { headers: session })).status).toBe(401);
  });

  it("over SSE is its caller's alone, too", async () => {
    const frames = framesOf(await fetch(`${edge.origin}/sse`, { headers: ANN }));
    const address = `${edge.origin}${(await frames.next())?.data}`;
    expect((await post(address, PING, { headers: EVE })).status).toBe(404);
    expect((await post(address, PING)).status).toBe(401);
    expect((await post(address, initialize("2024-11-05"), { headers: ANN })).status).toBe(202);
    expect(JSON.parse((await frames.next())?.data ?? "").result.protocolVersion).toBe("2024-11-05");
    await frames.cancel();
  });

  async function take(method: string, { headers = {} }: PostOptions) {
    const all = { accept: "text/event-stream", ...(headers as Record<string, string>) };
    return readAnswer(await fetch(edge.url, { method, headers: all }));
  }
});
