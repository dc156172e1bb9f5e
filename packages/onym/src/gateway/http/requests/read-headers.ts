// The headers of a request as the gateway looks at them.

import type { IncomingMessage } from "node:http";

/** Lower-case names. A header sent twice is joined as HTTP has it; the ones MCP defines then never match anything. */
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

/** What the client takes as an answer. A client that does not say takes all. */
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
