// Parses the headers, the URL and the body of a request.

import type { IncomingMessage } from "node:http";

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

export function parseAccept(accept: string | undefined): Accepted {
  // What nearly every client sends.
  if (accept === undefined || accept === "application/json, text/event-stream") return ALL;
  if (accept.trim() === "") return ALL;
  const types = accept.split(",").map((type) => (type.split(";", 1)[0] ?? "").trim().toLowerCase());
  const takes = (...names: string[]) => types.some((type) => type === "*/*" || names.includes(type));
  return { json: takes("application/json", "application/*"), stream: takes("text/event-stream", "text/*") };
}

export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
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
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  const [, first, second, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (first === "messages") {
    if (second !== undefined) return undefined;
    return { kind: "messages", sessionId: parseQuery(url, query).get("sessionId") ?? undefined };
  }
  if (first !== "mcp" && first !== "sse") return undefined;
  const named = second === undefined || second === "" ? undefined : decode(second);
  if (named === null) return undefined;
  const asked = parseQuery(url, query);
  return { kind: first, profile: named ?? textOf(asked.get("profile")), as: textOf(asked.get("as")) };
}

const PLAIN: Route = { kind: "mcp", profile: undefined, as: undefined };

function parseQuery(url: string, query: number): URLSearchParams {
  return new URLSearchParams(query === -1 ? "" : url.slice(query + 1));
}

function textOf(value: string | null): string | undefined {
  return value === null || value === "" ? undefined : value;
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
  /** The client disconnected while sending. */
  | { readonly kind: "gone" };

export function readBody(req: IncomingMessage, limit: number, done: (body: Body) => void): void {
  const declared = Number(req.headers["content-length"]);
  if (declared > limit) {
    done({ kind: "too-large" });
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let settled = false;
  const settle = (body: Body) => {
    if (settled) return;
    settled = true;
    done(body);
  };
  req.on("data", (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size > limit) {
      chunks.length = 0;
      req.pause();
      settle({ kind: "too-large" });
    } else chunks.push(chunk);
  });
  req.on("end", () => {
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
    settle({ kind: "bytes", bytes });
  });
  req.on("error", () => settle({ kind: "gone" }));
  req.on("close", () => settle({ kind: "gone" }));
}
