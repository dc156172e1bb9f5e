// A gateway in this process with real HTTP on both sides, whose servers and settings change while it runs.

import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EMPTY_LOCK, formatLock, parseLock, type ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { createMemoryKeeper, type LockKeeper } from "../../packages/onym/src/gateway/catalog/name-lock.js";
import { createGateway, type Gateway } from "../../packages/onym/src/gateway/create-gateway.js";
import { createHttpEdge } from "../../packages/onym/src/gateway/http/create-http-edge.js";
import type { GatewaySettings } from "../../packages/onym/src/gateway/settings.js";
import { buildSettings } from "../../packages/onym/src/gateway/testing/test-callers.js";
import { silentLog } from "../../packages/onym/src/model/log.js";
import type { World } from "../laws/name-history.js";
import { askModern, entriesIn } from "./harness-raw.js";

export interface MovingGateway {
  /** Goes over to what is configured now, as a reload does, and waits until its servers answer. */
  readonly adopt: (world: World) => Promise<void>;
  /** Ends it and starts another with the lock that it has written. */
  readonly restart: (world: World) => Promise<void>;
  readonly list: (profile: string) => Promise<readonly ListedName[]>;
  readonly call: (profile: string, name: string) => Promise<CallEnd>;
  readonly close: () => Promise<void>;
}

interface ListedName {
  readonly name: string;
  readonly canonical: string;
  readonly key: ToolKey;
}

/** Who got a call, or whether the refusal said that the name is retired. */
type CallEnd =
  | { readonly kind: "ran"; readonly key: ToolKey }
  | { readonly kind: "refused"; readonly isRetired: boolean; readonly message: string };

const SETTLE_MS = 10_000;

/** Servers of all gateways; the tools of each are part of its address, so that a changed one is another. */
export async function serveTools(): Promise<{
  readonly origin: string;
  readonly close: () => Promise<void>;
}> {
  return listen((req, res) => void answer(req).then(({ status, body }) => send(res, status, body)));
}

export async function startMoving(origin: string, world: World): Promise<MovingGateway> {
  let tools = createMemoryKeeper(EMPTY_LOCK);
  let gateway = start(settingsOf(world, origin), tools);
  const edgeOf = (one: Gateway) => createHttpEdge({ router: one.router });
  let edge = edgeOf(gateway);
  const http = await listen((req, res) => void edge.handle(req, res));
  await gateway.waitForServers(SETTLE_MS);
  return {
    async adopt(next) {
      gateway.adopt(settingsOf(next, origin));
      await gateway.waitForServers(SETTLE_MS);
    },
    async restart(next) {
      await edge.close();
      await gateway.close();
      const read = parseLock(formatLock(tools.current()));
      if (!read.ok) throw new Error(read.problem.message);
      tools = createMemoryKeeper(read.value);
      gateway = start(settingsOf(next, origin), tools);
      edge = edgeOf(gateway);
      await gateway.waitForServers(SETTLE_MS);
    },
    async list(profile) {
      const listed = await askModern({ url: `${http.origin}/mcp/${profile}`, method: "tools/list" });
      return entriesIn(listed, "tools").flatMap(({ name, _meta }) => {
        const meta = (_meta ?? {}) as Meta;
        const { source_server: server, toolbox_name: toolbox, original_name: raw } = meta;
        if (server === undefined || raw === undefined) return [];
        const canonical = meta["onym/canonicalName"] ?? "";
        return [{ name: String(name), canonical, key: toolKeyOf({ server, toolbox, raw }) }];
      });
    },
    async call(profile, name) {
      const url = `${http.origin}/mcp/${profile}`;
      const { result, error } = await askModern({ url, method: "tools/call", params: { name } });
      const ran = result?.["structuredContent"] as { readonly key: ToolKey } | undefined;
      if (ran !== undefined) return { kind: "ran", key: ran.key };
      const isRetired = error?.data?.["retired"] !== undefined;
      return { kind: "refused", isRetired, message: error?.message ?? JSON.stringify(result) };
    },
    async close() {
      await edge.close();
      await gateway.close();
      await http.close();
    },
  };
}

interface Meta {
  readonly source_server?: string;
  readonly toolbox_name?: string;
  readonly original_name?: string;
  readonly "onym/canonicalName"?: string;
}

function start(settings: GatewaySettings, tools: LockKeeper): Gateway {
  return createGateway({
    settings,
    locks: { tools, prompts: createMemoryKeeper(EMPTY_LOCK) },
    log: silentLog,
    version: "0.0.0",
    today: () => "2026-11-16",
  });
}

function settingsOf({ servers, renames, pins, style }: World, origin: string): GatewaySettings {
  const { naming } = buildSettings();
  const boxes = new Set(servers.flatMap(({ toolbox }) => toolbox ?? []));
  return buildSettings({
    renames,
    naming: { ...naming, pins, style },
    toolboxes: [...boxes].map((id) => ({ id, description: undefined })),
    servers: servers.map(({ id, toolbox, formerly, tools, isDown }) => ({
      source: { server: id, formerly, tools: [], ...(toolbox === undefined ? {} : { toolbox }) },
      launch: {
        kind: "http",
        url: `${origin}/${encodePlace({ id, toolbox, tools, isDown })}`,
        headers: new Map(),
      },
      admits: () => true,
    })),
  });
}

interface Place {
  readonly id: string;
  readonly toolbox: string | undefined;
  readonly tools: readonly string[];
  readonly isDown: boolean;
}

function encodePlace(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

async function answer(req: IncomingMessage): Promise<{ readonly status: number; readonly body?: object }> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  if (req.method !== "POST") return { status: 405 };
  const { id: request, method, params } = JSON.parse(Buffer.concat(chunks).toString());
  if (request === undefined) return { status: 202 };
  const place: Place = JSON.parse(Buffer.from(req.url?.slice(1) ?? "", "base64url").toString());
  if (place.isDown) return { status: 503 };
  const result = resultOf(method, params, place);
  const error = { code: -32601, message: "Method not found" };
  return {
    status: 200,
    body: { jsonrpc: "2.0", id: request, ...(result === undefined ? { error } : { result }) },
  };
}

function resultOf(
  method: string,
  params: { readonly name?: string },
  { id, toolbox, tools }: Place,
): object | undefined {
  const serverInfo = { name: "tools", version: "1.0.0" };
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    case "tools/list":
      return { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) };
    case "tools/call": {
      const key = toolKeyOf({ server: id, toolbox, raw: params.name ?? "" });
      return { content: [], structuredContent: { key } };
    }
    default:
      return undefined;
  }
}

function send(res: Parameters<RequestListener>[1], status: number, body: object | undefined): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(body === undefined ? "" : JSON.stringify(body));
}

async function listen(
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
