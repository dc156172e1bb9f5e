// Requests as bytes: what Onym says over HTTP before any SDK has read it.

import { formatHeaderValue } from "../../packages/onym/src/mcp/header-value.js";

const META = "io.modelcontextprotocol/";
const ACCEPT = "application/json, text/event-stream";

export interface RawRequest {
  readonly url: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Over those that belong to the request; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly clientName?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly logLevel?: string;
  readonly signal?: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  /** The message that answers, as it was sent. */
  readonly text: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
  /** Messages before the answer. */
  readonly notices: readonly Readonly<Record<string, unknown>>[];
}

/** One request of 2026-07-28, with the headers that go with it. */
export async function askModern(request: RawRequest): Promise<RawAnswer> {
  const { url, method, params = {}, headers = {}, clientName = "onym-raw", capabilities = {} } = request;
  const { signal, logLevel } = request;
  const body = {
    ...params,
    _meta: {
      ...(params["_meta"] as object | undefined),
      [`${META}protocolVersion`]: "2026-07-28",
      [`${META}clientCapabilities`]: capabilities,
      [`${META}clientInfo`]: { name: clientName, version: "1.0.0" },
      ...(logLevel === undefined ? {} : { [`${META}logLevel`]: logLevel }),
    },
  };
  const named = params["name"] ?? params["uri"];
  // Of a name in parts, its tool's name.
  const name = typeof named === "object" && named !== null ? Reflect.get(named, "name") : named;
  const all: Record<string, string | undefined> = {
    "content-type": "application/json",
    accept: ACCEPT,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": formatHeaderValue(name) } : {}),
    ...headers,
  };
  const response = await fetch(url, {
    method: "POST",
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return readAnswer(response);
}

/** One request of 2025-11-25 in a session of its own, which is ended again. */
export async function askLegacy(request: RawRequest): Promise<RawAnswer> {
  const { url, method, params = {}, headers = {}, clientName = "onym-raw", capabilities = {} } = request;
  const send = (message: object, session?: string): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: ACCEPT,
        ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
        ...(headers as Record<string, string>),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: clientName, version: "1.0.0" };
  const hello = await send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
  });
  const session = hello.headers.get("mcp-session-id") ?? "";
  const greeting = await readAnswer(hello);
  if (method === "initialize") return greeting;
  await send({ method: "notifications/initialized" }, session);
  const answer = await readAnswer(await send({ id: 1, method, params }, session));
  await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } });
  return answer;
}

/** An entry of a list, as far as tests look at it. */
export interface RawEntry {
  readonly name: string;
  readonly description?: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly source_server?: string;
  readonly content?: { readonly text: string };
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** The entries of a list in an answer; none where it is an error. */
export function entriesIn(answer: RawAnswer, member: string): readonly RawEntry[] {
  return (answer.result?.[member] ?? []) as readonly RawEntry[];
}

/** JSON, or the last message of a stream. */
async function readAnswer(response: Response): Promise<RawAnswer> {
  const body = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const messages = isStream
    ? body.split("\n").flatMap((line) => (/^data: ./.test(line) ? [line.slice(6)] : []))
    : [body];
  const text = messages.pop() ?? "";
  const parsed = text === "" ? {} : JSON.parse(text);
  return {
    status: response.status,
    text,
    notices: messages.map((message) => JSON.parse(message)),
    ...(parsed.result === undefined ? {} : { result: parsed.result }),
    ...(parsed.error === undefined ? {} : { error: parsed.error }),
  };
}

export interface RawListening {
  /** Every message so far. */
  readonly heard: readonly Readonly<Record<string, unknown>>[];
  /** Resolves once so many messages of the method came. */
  readonly reach: (method: string, count: number) => Promise<void>;
  readonly close: () => void;
}

/** `subscriptions/listen` of 2026-07-28; resolves when it is acknowledged. */
export async function listenModern(
  url: string,
  notifications: Readonly<Record<string, unknown>>,
): Promise<RawListening> {
  const stop = new AbortController();
  const _meta = { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {} };
  const method = "subscriptions/listen";
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: ACCEPT,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { notifications, _meta } }),
    signal: stop.signal,
  });
  const heard: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Set<() => void>();
  void readStream(response, (text) => {
    heard.push(JSON.parse(text));
    for (const look of [...waiting]) look();
  }).catch(() => {});
  const reach = (wanted: string, count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (heard.filter((message) => message["method"] === wanted).length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  await reach("notifications/subscriptions/acknowledged", 1);
  return { heard, reach, close: () => stop.abort() };
}

async function readStream(response: Response, take: (text: string) => void): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    const lines = (rest + decoder.decode(part as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) take(line.slice(6));
  }
}
