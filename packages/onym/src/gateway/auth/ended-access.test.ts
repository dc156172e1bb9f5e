import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf, initialize, modern, post, send } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { type ServedIssuer, serveIssuer } from "../../../../../test/edge/serve-issuer.js";
import type { AuthSettings, TokenSettings } from "../../model/auth-settings.js";
import { silentLog } from "../../model/log.js";
import { createAuthenticator } from "./create-authenticator.js";

const RESOURCE = "http://127.0.0.1/mcp";
const TERMS = { profile: undefined, as: undefined, toolboxes: undefined };

function tokenOf(name: string, more: Partial<TokenSettings> = {}): TokenSettings {
  const hash = createHash("sha256").update(`${name}-token`).digest("hex");
  return { name, hash, expiresAt: undefined, ...TERMS, ...more };
}

const ANN = { authorization: "Bearer ann-token" };
const EVE = { authorization: "Bearer eve-token" };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const BOTH: AuthSettings = { tokens: [tokenOf("ann"), tokenOf("eve")], oauth: [] };

let edge: ServedEdge;
let inForce: ReturnType<typeof createAuthenticator>;

async function serve(settings: AuthSettings | undefined, begin = 0): Promise<void> {
  const now = (): number => begin + edge.clock.now();
  inForce = createAuthenticator({ settings, resource: () => RESOURCE, log: silentLog, now });
  edge = await serveEdge({ authenticate: (headers) => inForce.authenticate(headers) });
}

function adopt(settings: AuthSettings | undefined): void {
  inForce.adopt(settings);
  edge.review();
}

async function openSession(headers: Record<string, string>): Promise<Record<string, string>> {
  const opened = await post(edge.url, initialize(), { headers });
  return { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

type Frames = ReturnType<typeof framesOf>;

/** Every kind of stream that stays open, past what is said at its beginning. */
const STREAMS: readonly (readonly [string, (headers: Record<string, string>) => Promise<Frames>])[] = [
  [
    "the stream of a session",
    async (headers) => {
      const session = await openSession(headers);
      const stream = framesOf(
        await fetch(edge.url, { headers: { ...session, accept: "text/event-stream" } }),
      );
      await stream.next();
      return stream;
    },
  ],
  [
    "a subscription",
    async (headers) => {
      const request = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
      const stream = framesOf(
        await send(edge.url, request.body, { headers: { ...request.headers, ...headers } }),
      );
      await stream.next();
      return stream;
    },
  ],
  [
    "a stream of the old transport",
    async (headers) => {
      const stream = framesOf(await fetch(`${edge.origin}/sse`, { headers }));
      await stream.next();
      return stream;
    },
  ],
];

/** Reads to the end, which comes only if the stream is ended. */
async function ended(stream: Frames): Promise<void> {
  while ((await stream.next()) !== undefined);
}

beforeEach(() => serve(BOTH));
afterEach(() => edge.close());

describe.each(STREAMS)("%s", (_, open) => {
  it("ends when its caller's token is taken away, and nobody else's does", async () => {
    const [ann, eve] = [await open(ANN), await open(EVE)];
    adopt({ tokens: [tokenOf("eve")], oauth: [] });
    await ended(ann);
    const frame = eve.next();
    edge.clock.pass(15_000);
    expect(await frame).toMatchObject({ comment: "keep-alive" });
    await eve.cancel();
  });

  it("ends when its caller gets other toolboxes, and stays when another setting changes", async () => {
    const [ann, eve] = [await open(ANN), await open(EVE)];
    adopt({ tokens: [tokenOf("ann", { toolboxes: ["dev"] }), tokenOf("eve", { as: "x" })], oauth: [] });
    await ended(ann);
    const frame = eve.next();
    edge.clock.pass(15_000);
    expect(await frame).toMatchObject({ comment: "keep-alive" });
    await eve.cancel();
  });

  it("ends at the moment the token expires", async () => {
    adopt({ tokens: [tokenOf("ann", { expiresAt: 5_000 }), tokenOf("eve")], oauth: [] });
    const stream = await open(ANN);
    edge.clock.pass(5_000);
    await ended(stream);
  });

  it("ends when tokens are wanted from those who needed none, and the other way round", async () => {
    adopt(undefined);
    const anybody = await open({});
    adopt(BOTH);
    await ended(anybody);
    const ann = await open(ANN);
    adopt(undefined);
    await ended(ann);
  });
});

describe("a session", () => {
  it("ends with what it has under way when its caller's token is taken away", async () => {
    const session = await openSession(ANN);
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait" } };
    const held = post(edge.url, call, { headers: session });
    await edge.router.until("begin wait");
    adopt({ tokens: [tokenOf("eve")], oauth: [] });
    await held;
    await edge.router.until("leave");
    adopt(BOTH);
    expect((await post(edge.url, PING, { headers: session })).status).toBe(404);
  });

  it("ends when its token expires, although nobody asks", async () => {
    adopt({ tokens: [tokenOf("ann", { expiresAt: 5_000 })], oauth: [] });
    await openSession(ANN);
    edge.clock.pass(5_000);
    await edge.router.until("leave");
  });
});

describe("a modern request under way", () => {
  it("is cancelled when its caller's token is taken away", async () => {
    const request = modern("tools/call", { name: "wait" });
    const held = post(edge.url, request.body, { headers: { ...request.headers, ...ANN } });
    await edge.router.until("begin wait");
    adopt({ tokens: [tokenOf("eve")], oauth: [] });
    expect((await held).status).toBe(503);
  });
});

describe("a caller with an OAuth token", () => {
  let issuer: ServedIssuer;
  const settingsOf = (more: object = {}): AuthSettings => ({
    tokens: [],
    oauth: [
      {
        issuer: issuer.issuer,
        audience: [],
        jwksUri: issuer.jwksUri,
        scopes: [],
        map: undefined,
        ...more,
      },
    ],
  });
  const bearer = async (claims: object = {}) => ({
    authorization: `Bearer ${await issuer.sign({ aud: RESOURCE, ...claims })}`,
  });
  beforeEach(async () => {
    issuer = await serveIssuer();
    await edge.close();
    await serve(undefined, Date.now());
    adopt(settingsOf());
  });
  afterEach(() => issuer.close());

  it.each([
    ["its issuer", () => ({ tokens: [tokenOf("eve")], oauth: [] })],
    ["its scope", () => settingsOf({ scopes: ["mcp"] })],
    ["its grant", () => settingsOf({ map: [{ claims: { team: "x" }, scope: undefined, ...TERMS }] })],
    ["its audience", () => settingsOf({ audience: ["https://elsewhere"] })],
    ["its name", () => ({ ...settingsOf(), tokens: [tokenOf("ann")] })],
  ])("loses its streams and its session with %s", async (_, next) => {
    const headers = await bearer();
    const streams = await Promise.all(STREAMS.map(([, open]) => open(headers)));
    adopt(next());
    await Promise.all(streams.map(ended));
    await edge.router.until("leave");
  });

  it("keeps its session by the token that it has shown last", async () => {
    const session = await openSession(await bearer());
    const renewed = { ...session, ...(await bearer({ scope: "mcp" })) };
    expect((await post(edge.url, PING, { headers: renewed })).status).toBe(200);
    adopt(settingsOf({ scopes: ["mcp"] }));
    expect((await post(edge.url, PING, { headers: renewed })).status).toBe(200);
  });

  it("keeps them when something else changes", async () => {
    const headers = await bearer();
    const streams = await Promise.all(STREAMS.map(([, open]) => open(headers)));
    adopt({ ...settingsOf(), tokens: [tokenOf("eve")] });
    const frames = streams.map((stream) => stream.next());
    edge.clock.pass(15_000);
    for (const frame of await Promise.all(frames)) expect(frame).toMatchObject({ comment: "keep-alive" });
    await Promise.all(streams.map((stream) => stream.cancel()));
  });
});
