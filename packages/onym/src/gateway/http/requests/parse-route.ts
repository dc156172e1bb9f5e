// Which of the edge's addresses a request is for, and what the address says of the client.

export type Route =
  /** Streamable HTTP. */
  | { readonly kind: "mcp"; readonly profile: string | undefined; readonly as: string | undefined }
  /** The stream of HTTP+SSE (2024-11-05). */
  | { readonly kind: "sse"; readonly profile: string | undefined; readonly as: string | undefined }
  /** The other half of HTTP+SSE. */
  | { readonly kind: "messages"; readonly sessionId: string | undefined };

/** `undefined`: not an address of the edge. */
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
