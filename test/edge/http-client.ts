// Plain HTTP against the edge, with nothing in between that would put right what is wrong.

import { MODERN_REVISION } from "../../packages/onym/src/mcp/protocol.js";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly json: any;
  readonly text: string;
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** An `undefined` header is left out. */
export function send(
  url: string,
  body: unknown,
  { headers = {}, signal }: PostOptions = {},
): Promise<Response> {
  const all = Object.entries({ ...JSON_HEADERS, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", headers: all, body: text, ...(signal && { signal }) });
}

export async function post(url: string, body: unknown, options?: PostOptions): Promise<Answer> {
  return readAnswer(await send(url, body, options));
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

export function initialize(revision = "2025-11-25"): object {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  return { jsonrpc: "2.0", id: 0, method: "initialize", params };
}

/** Opens a session and returns the headers of its later requests. */
export async function openSession(url: string, revision = "2025-11-25"): Promise<Record<string, string>> {
  const { headers } = await post(url, initialize(revision));
  const session = { "mcp-session-id": headers.get("mcp-session-id") ?? "", "mcp-protocol-version": revision };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, { headers: session });
  return session;
}

export function envelope(more: object = {}): object {
  return {
    "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    ...more,
  };
}

/** A modern request and the headers that go with it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: string | number = 1,
): { readonly body: object; readonly headers: Record<string, string | undefined> } {
  const name = params["name"] ?? params["uri"];
  return {
    body: { jsonrpc: "2.0", id, method, params: { _meta: envelope(), ...params } },
    headers: {
      "mcp-protocol-version": MODERN_REVISION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
  };
}

export interface Frame {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly retry: string | undefined;
  readonly data: string | undefined;
  /** A comment, where the frame is one. */
  readonly comment: string | undefined;
}

/** The frames of an event stream, one at a time; `undefined` at the end. */
export function framesOf(response: Response): {
  readonly next: () => Promise<Frame | undefined>;
  readonly cancel: () => Promise<void>;
} {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end !== -1) {
          const frame = parseFrame(text.slice(0, end));
          text = text.slice(end + 2);
          return frame;
        }
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += decoder.decode(value, { stream: true });
      }
    },
    cancel: () => reader.cancel(),
  };
}

function parseFrame(text: string): Frame {
  const fields = new Map(
    text.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    }),
  );
  const [event, id, retry, data, comment] = ["event", "id", "retry", "data", ""].map((name) =>
    fields.get(name),
  );
  return { event, id, retry, data, comment };
}
