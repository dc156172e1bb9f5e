// Parses the headers, the URL and the body of a request, checks the host that it is for, and detects the era of its message.

import type { IncomingMessage } from "node:http";
import { escapeText } from "@onym/core";
import { BodyBytes } from "../../../mcp/framing/frames.js";
import { parseHeaderValue } from "../../../mcp/header-value.js";
import {
  checkEnvelope,
  errorReply,
  explainEnvelope,
  isEnveloped,
  isModernRequest,
  isModernRevision,
  metaOf,
  type ReadMessage,
  type Reply,
  type RpcNotification,
  type RpcRequest,
  refuseRevision,
  revisionOf,
} from "../../../mcp/message.js";
import { METHODS } from "../../../mcp/methods.js";
import { CODES, META } from "../../../mcp/protocol.js";
import { MAX_SMALL_PIECES, MIN_PIECE_BYTES, SCATTERED_EVENT } from "../guard-connections.js";
import { badRequest, type Refusal } from "../responses/refusal.js";

/** Lower-case names. A repeated header is joined as in HTTP; a repeated MCP header then matches nothing. */
export function readHeaders(req: IncomingMessage): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const { rawHeaders } = req;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** What the client accepts as a response. Without an Accept header, everything. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const ALL: Accepted = { json: true, stream: true };
const NONE: Accepted = { json: false, stream: false };

/** Of the headers that are taken apart; those of clients have about forty characters. */
export const MAX_TYPE_LENGTH = 1_024;

export function parseAccept(accept: string | undefined): Accepted {
  // What nearly every client sends.
  if (accept === undefined || accept === "application/json, text/event-stream") return ALL;
  if (accept.length > MAX_TYPE_LENGTH) return NONE;
  if (accept.trim() === "") return ALL;
  const types = accept.split(",").map((type) => (type.split(";", 1)[0] ?? "").trim().toLowerCase());
  const takes = (...names: string[]) => types.some((type) => type === "*/*" || names.includes(type));
  return { json: takes("application/json", "application/*"), stream: takes("text/event-stream", "text/*") };
}

export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  if (contentType === undefined || contentType.length > MAX_TYPE_LENGTH) return false;
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

// The endpoint of a request, and what its URL says of the client.

export type Route =
  /** Streamable HTTP. */
  | { readonly kind: "mcp"; readonly profile: string | undefined; readonly as: string | undefined }
  /** The stream of HTTP+SSE (2024-11-05). */
  | { readonly kind: "sse"; readonly profile: string | undefined; readonly as: string | undefined }
  /** The POST endpoint of HTTP+SSE. */
  | { readonly kind: "messages"; readonly sessionId: string | undefined };

/** `undefined`: not an MCP endpoint. */
export function parseRoute(url: string): Route | undefined {
  if (url === "/mcp") return PLAIN;
  const queryAt = url.indexOf("?");
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  const [, first, second, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (first === "messages") {
    if (second !== undefined) return undefined;
    return { kind: "messages", sessionId: parseQuery(url, queryAt).get("sessionId") ?? undefined };
  }
  if (first !== "mcp" && first !== "sse") return undefined;
  const named = second === undefined || second === "" ? undefined : decode(second);
  if (named === null) return undefined;
  const query = parseQuery(url, queryAt);
  return {
    kind: first,
    profile: named ?? (query.get("profile") || undefined),
    as: query.get("as") || undefined,
  };
}

const PLAIN: Route = { kind: "mcp", profile: undefined, as: undefined };

function parseQuery(url: string, query: number): URLSearchParams {
  return new URLSearchParams(query === -1 ? "" : url.slice(query + 1));
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// The body of a POST, read once and never beyond the limit.

type Body =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The client disconnected while sending. */
  | { readonly kind: "gone" };

/** `take` gets the length of each piece, and returns why no more of them is read. */
export function readBody(
  req: IncomingMessage,
  { limit, take }: { readonly limit: number; readonly take: (bytes: number) => Refusal | undefined },
  done: (body: Body) => void,
): void {
  const declared = Number(req.headers["content-length"]);
  if (declared > limit) {
    done({ kind: "too-large" });
    return;
  }
  let held: BodyBytes | undefined = new BodyBytes(limit);
  const finish = (body: Body) => {
    if (held === undefined) return;
    held = undefined;
    done(body);
  };
  const stop = (body: Body) => {
    req.pause();
    finish(body);
  };
  req.on("data", (chunk: Buffer) => {
    if (held === undefined) return;
    if (!held.add(chunk)) return stop({ kind: "too-large" });
    const refusal = take(chunk.length);
    if (refusal !== undefined) stop({ kind: "refused", refusal });
  });
  req.on("end", () => {
    if (held !== undefined) finish({ kind: "bytes", bytes: held.take() });
  });
  req.on(SCATTERED_EVENT, () => stop({ kind: "refused", refusal: SCATTERED }));
  req.on("error", () => finish({ kind: "gone" }));
  req.on("close", () => finish({ kind: "gone" }));
}

const SCATTERED = badRequest(
  `Bad Request: the body comes in more than ${MAX_SMALL_PIECES} pieces of less than ${MIN_PIECE_BYTES} bytes on average. Send larger chunks.`,
);

// Prevents web pages from reaching a local gateway through a host name they control (DNS rebinding).

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * `undefined` if the request may be served. For every route of the server, not only those of MCP.
 * @param allow Host names beside those of the loopback interface, without a port: any port is allowed. `*`: any host, and pages
 *   of the host that the request is for.
 * @example
 * checkHost({ headers: { host: "evil.example" }, rawHeaders: ["Host", "evil.example"] }, [])?.code; // "forbidden"
 */
export function checkHost(
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  allow: readonly string[],
): Refusal | undefined {
  // Node uses the first; a proxy in front of the gateway may use the last.
  if (countHosts(rawHeaders) > 1) return TWO_HOSTS;
  const host = headers.host;
  const name = host === undefined ? undefined : parseHostName(host);
  if (name === undefined || !isAllowed(name, allow)) return refuse("Host", host, name);
  const origin = headers.origin;
  if (origin === undefined) return undefined;
  const from = parseOriginName(origin);
  if (from !== undefined && from === name) return undefined;
  return from !== undefined && isListed(from, allow) ? undefined : refuse("Origin", origin, from);
}

/** Whether a text is a host that can be allowed: a name, an address, or `*` for any. */
export function isHostPattern(text: string): boolean {
  return text === ANY_HOST || parseHostName(text) !== undefined;
}

const ANY_HOST = "*";

const TWO_HOSTS: Refusal = {
  code: "bad-request",
  message: "Bad Request: the Host header is there more than once.",
};

function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && isHost(text)).length;
}

function isHost(header: string): boolean {
  return header.length === 4 && header.toLowerCase() === "host";
}

function isAllowed(name: string, allow: readonly string[]): boolean {
  return allow.includes(ANY_HOST) || isListed(name, allow);
}

function isListed(name: string, allow: readonly string[]): boolean {
  return LOOPBACK.has(name) || allow.some((allowed) => parseHostName(allowed) === name);
}

/** The host name in lower case, without port. */
function parseHostName(host: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase();
}

function parseOriginName(origin: string): string | undefined {
  const match = /^https?:\/\/([^/?#@\\\s]+)$/i.exec(origin);
  return match?.[1] === undefined ? undefined : parseHostName(match[1]);
}

function refuse(header: "Host" | "Origin", value: string | undefined, name: string | undefined): Refusal {
  const shown = value === undefined ? "no value" : `"${escapeText(value.slice(0, 200))}"`;
  const remedy =
    name === undefined
      ? "Use a name such as localhost or 127.0.0.1."
      : "Use localhost or 127.0.0.1, or allow this name: onym serve --allow-host NAME.";
  return {
    code: "forbidden",
    message: `Forbidden: the ${header} header names a host that is not allowed here (${shown}). ${remedy}`,
  };
}

// The era of a POSTed message. The body decides; the headers must agree with it (GW-1, GW-4).

export type Detected =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern" }
  /** Answered with HTTP 400. */
  | { readonly kind: "refused"; readonly reply: Reply };

type Headers = ReadonlyMap<string, string>;

const LEGACY: Detected = { kind: "legacy" };
const MODERN: Detected = { kind: "modern" };

export function detectEra(read: Exclude<ReadMessage, { kind: "invalid" }>, headers: Headers): Detected {
  switch (read.kind) {
    case "request":
      return detectRequest(read.message, headers);
    case "notification":
      return detectNotification(read.message, headers);
    case "response":
      return LEGACY;
  }
}

function detectRequest(request: RpcRequest, headers: Headers): Detected {
  const { method, params } = request;
  const version = headerOf(headers, "mcp-protocol-version");
  const namesModern = version !== undefined && isModernRevision(version);
  if (method === "initialize" && !isModernRequest(params)) {
    if (!namesModern) return LEGACY;
    return mismatch(
      version,
      "initialize opens a session of an older revision than the MCP-Protocol-Version header names",
    );
  }
  if (!isEnveloped(params)) return namesModern ? missingEnvelope(request, version) : LEGACY;

  const [problem] = checkEnvelope(metaOf(params) ?? {});
  if (problem !== undefined) return { kind: "refused", reply: explainEnvelope(problem) };
  const revision = revisionOf(params);
  if (version !== undefined && version !== revision) {
    return mismatch(version, `the body names protocol version ${revision}`);
  }
  const named = headerOf(headers, "mcp-method");
  if (named !== undefined && named !== method) return mismatch(named, `the body names method ${method}`);
  const unsupported = refuseRevision(revision);
  if (unsupported !== undefined) return { kind: "refused", reply: unsupported };
  if (version === undefined)
    return missing("MCP-Protocol-Version", `the body names protocol version ${revision}`);
  if (named === undefined) return missing("Mcp-Method", `the body names method ${method}`);
  return checkName(request, headers) ?? MODERN;
}

/** `Mcp-Name` repeats the name or URI of the body. */
function checkName({ method, params }: RpcRequest, headers: Headers): Detected | undefined {
  const field = METHODS.get(method)?.nameHeaderField;
  if (field === undefined) return undefined;
  const value = params?.[field];
  const named = headerOf(headers, "mcp-name");
  if (named === undefined) {
    return typeof value === "string" ? missing("Mcp-Name", `the body carries params.${field}`) : undefined;
  }
  const decoded = parseHeaderValue(named);
  if (decoded === undefined) return mismatch(named, "the Mcp-Name header is not valid Base64");
  // A structured name has its tool's own name in `name`.
  const name = typeof value === "object" && value !== null ? Reflect.get(value, "name") : value;
  return name !== undefined && decoded !== name
    ? mismatch(named, `the body carries another params.${field} than the Mcp-Name header`)
    : undefined;
}

function detectNotification({ method, params }: RpcNotification, headers: Headers): Detected {
  const version = headerOf(headers, "mcp-protocol-version");
  const enveloped = isEnveloped(params);
  const revision = enveloped ? revisionOf(params) : version;
  if (enveloped && revision === undefined) {
    return {
      kind: "refused",
      reply: explainEnvelope({ key: META.protocolVersion, problem: "must be a string" }),
    };
  }
  if (revision === undefined || !isModernRevision(revision)) return LEGACY;
  if (version !== undefined && version !== revision) {
    return mismatch(version, `the body names protocol version ${revision}`);
  }
  const named = headerOf(headers, "mcp-method");
  return named !== undefined && named !== method
    ? mismatch(named, `the body names method ${method}`)
    : MODERN;
}

function missingEnvelope({ params }: RpcRequest, version: string): Detected {
  const meta = metaOf(params);
  const keys = checkEnvelope(meta ?? {}).flatMap(({ key, problem }) => (problem === "missing" ? [key] : []));
  const absent = meta === undefined ? ["_meta"] : keys;
  const message = `Invalid params: the MCP-Protocol-Version header names ${version}, but the request lacks ${absent.join(", ")}`;
  return {
    kind: "refused",
    reply: errorReply(CODES.invalidParams, message, { envelope: { missing: absent } }),
  };
}

function missing(header: string, body: string): Detected {
  return mismatch("(missing)", `${body}, but the required ${header} header is absent`);
}

function mismatch(header: string, body: string): Detected {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return {
    kind: "refused",
    reply: errorReply(CODES.headerMismatch, message, { mismatch: { header, body } }),
  };
}

/** Without the whitespace that HTTP allows around a value. */
function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  if (value === undefined) return undefined;
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value, start)) start++;
  while (end > start && isBlank(value, end - 1)) end--;
  return value.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 0x20 || unit === 0x09;
}
