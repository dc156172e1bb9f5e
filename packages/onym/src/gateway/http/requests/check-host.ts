// Prevents web pages from reaching a local gateway through a host name they control (DNS rebinding).

import type { IncomingMessage } from "node:http";
import { escapeText } from "@onym/core";
import type { Refusal } from "../responses/refusal.js";

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
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
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
