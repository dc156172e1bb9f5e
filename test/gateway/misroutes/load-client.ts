// A client that makes no fuss: MCP over raw HTTP with connections kept alive, in either era. It believes nothing.

import type { Pool } from "undici";

interface LoadCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** All that came for one request. */
export interface Came {
  readonly status: number;
  /** Every message, in the order it came; the answer should be the last. */
  readonly messages: readonly Message[];
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface LoadClient {
  readonly label: string;
  /** What its names belong to. */
  readonly profile: string;
  readonly era: "legacy" | "modern";
  readonly send: (call: LoadCall) => Promise<Came>;
  /** The body as it is. */
  readonly sendText: (text: string) => Promise<Came>;
  /** A request is cancelled by ending it; else by a notification. */
  readonly endsToCancel: boolean;
  readonly isSdk: boolean;
  readonly notify: (method: string, params: Readonly<Record<string, unknown>>) => Promise<void>;
}

export interface LoadClientOptions {
  readonly pool: Pool;
  readonly profile: string;
  readonly era: "legacy" | "modern";
  /** `/mcp`, where the profile comes from something else than the address. */
  readonly path?: string;
  readonly clientName?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MODERN = "2026-07-28";
const META = "io.modelcontextprotocol/";

export async function connectLoadClient(options: LoadClientOptions): Promise<LoadClient> {
  const { pool, profile, era, path = `/mcp/${profile}`, clientName = "load", headers = {} } = options;
  const clientInfo = { name: clientName, version: "1.0.0" };
  const common = {
    ...headers,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (body: string, more: Record<string, string>, signal?: AbortSignal): Promise<Came> => {
    const answer = await pool.request({
      path,
      method: "POST",
      headers: { ...common, ...more },
      body,
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.body.text();
    const type = String(answer.headers["content-type"] ?? "");
    const session = answer.headers["mcp-session-id"];
    if (typeof session === "string") sessionId = session;
    return { status: answer.statusCode, messages: readMessages(text, type) };
  };
  let sessionId: string | undefined;
  const sessionHeaders = (): Record<string, string> => ({
    "mcp-protocol-version": "2025-11-25",
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
  });
  if (era === "legacy") {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }), {});
    await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), sessionHeaders());
  }
  const envelope = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: {},
    [`${META}clientInfo`]: clientInfo,
  };
  return {
    label: `${profile}/${era}`,
    profile,
    era,
    endsToCancel: era === "modern",
    isSdk: false,
    send({ id, method, params, signal }) {
      if (era === "legacy")
        return post(JSON.stringify({ jsonrpc: "2.0", id, method, params }), sessionHeaders(), signal);
      const _meta = { ...(params["_meta"] as object | undefined), ...envelope };
      const { name } = params;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
      const named = typeof name === "string" ? { "mcp-name": headerValue(name) } : undefined;
      return post(body, { "mcp-protocol-version": MODERN, "mcp-method": method, ...named }, signal);
    },
    sendText: (text) => post(text, era === "legacy" ? sessionHeaders() : { "mcp-protocol-version": MODERN }),
    async notify(method, params) {
      if (era === "legacy") await post(JSON.stringify({ jsonrpc: "2.0", method, params }), sessionHeaders());
    },
  };
}

function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function readMessages(text: string, type: string): readonly Message[] {
  if (type.startsWith("application/json")) return [JSON.parse(text)];
  if (!type.startsWith("text/event-stream")) return [];
  return text.split("\n\n").flatMap((event) => {
    const data = event
      .split("\n")
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
      .join("\n");
    return data === "" ? [] : [JSON.parse(data)];
  });
}
