// Keeps the values of a launch's environment, headers and variables out of reasons, hints and log lines.

import { escapeText } from "@onym/core";
import type { Launch } from "../model/launch.js";

/** Untrusted text for people: one line, escaped, truncated, without secrets. */
export type HideSecrets = (text: string, max?: number) => string;

/** Shorter values are words like `1` or `dev`; hiding them would make texts unreadable. */
const SHORTEST = 4;

/** Settings that are not secrets, and without which error messages are unreadable. */
const OPEN_NAMES =
  /^(?:PATH|HOME|USER|SHELL|LANG|NODE_ENV|NODE_OPTIONS|PORT|HOST|LOG_LEVEL|DEBUG|TZ|content-type|accept|user-agent)$/i;

/** Characters of a secret that are hidden at the start or end of a text that was cut within it. Fewer reveal little. */
const SHORTEST_PART = 6;
/** Longer parts are not searched for: a line is shorter. */
const LONGEST_PART = 1_000;

/** `more` returns secrets that change at run time. */
export function createHideSecrets(launch: Launch, more: () => readonly string[] = () => []): HideSecrets {
  const secrets = secretsOf(launch);
  return (text, max = 300) => {
    const current = more().filter((secret) => secret.length >= SHORTEST);
    const all = current.length === 0 ? secrets : [...current, ...secrets];
    const hidden = all.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text.trim());
    const line = escapeText(hideCutParts(hidden, all).trim().replace(/\s+/g, " "));
    return line.length > max ? `${line.slice(0, max - 1)}…` : line;
  };
}

const HIDDEN = "[hidden]";

/** Hides what a text begins or ends with of a secret whose rest is on another line, or was cut off. */
function hideCutParts(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (shown.length >= SHORTEST_PART && secret.includes(shown)) return HIDDEN;
    const end = partLength(secret, (length) => shown.endsWith(secret.slice(0, length)));
    if (end > 0) shown = `${shown.slice(0, -end)}${HIDDEN}`;
    const start = partLength(secret, (length) => shown.startsWith(secret.slice(-length)));
    if (start > 0) shown = `${HIDDEN}${shown.slice(start)}`;
  }
  return shown;
}

/** The length of the longest part that is there; 0 for none. */
function partLength(secret: string, isThere: (length: number) => boolean): number {
  for (let length = Math.min(secret.length - 1, LONGEST_PART); length >= SHORTEST_PART; length -= 1)
    if (isThere(length)) return length;
  return 0;
}

/** Longest first, so that a secret within a secret leaves nothing behind. */
function secretsOf(launch: Launch): readonly string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    for (const part of [value, ...value.split(/\s+/)])
      for (const form of part.length < SHORTEST ? [] : formsOf(part)) found.add(form);
  };
  const addNamed = (values: ReadonlyMap<string, string> | undefined): void => {
    for (const [name, value] of values ?? []) if (!OPEN_NAMES.test(name)) add(value);
  };
  if (launch.kind === "stdio") addNamed(launch.env);
  if (launch.kind === "http" || launch.kind === "sse") {
    addNamed(launch.headers);
    if (launch.oauth) add(launch.oauth.clientSecret ?? "");
    const url = URL.canParse(launch.url) ? new URL(launch.url) : undefined;
    for (const value of url?.searchParams.values() ?? []) add(value);
    const [user, password] = [decodePercent(url?.username ?? ""), decodePercent(url?.password ?? "")];
    for (const value of [user, password]) add(value);
    // As it is sent in the `Authorization` header, which a server may repeat.
    if (user !== "" || password !== "") add(`${user}:${password}`);
  }
  if ("variables" in launch) {
    // Which host a server has is no secret; without it no failure to reach it can be understood.
    const origin = launch.kind !== "stdio" && URL.canParse(launch.url) ? new URL(launch.url).origin : "";
    addNamed(new Map([...(launch.variables ?? [])].filter(([, value]) => !origin.includes(value))));
  }
  found.delete("Bearer");
  found.delete("Basic");
  return [...found].sort((a, b) => b.length - a.length);
}

/** A secret as it is, and as it stands in an address, in JSON or in base64. */
function formsOf(secret: string): readonly string[] {
  const encoded = encodePercent(secret);
  const inLowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const base64 = Buffer.from(secret).toString("base64");
  return [
    secret,
    base64,
    base64.replace(/={1,2}$/, ""),
    Buffer.from(secret).toString("base64url"),
    encoded,
    inLowerCase,
    inForm,
    decodePercent(secret),
    JSON.stringify(secret).slice(1, -1),
  ].filter(({ length }) => length >= SHORTEST);
}

/** The text itself where it holds half a character, which has no encoded form. */
function encodePercent(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text itself where a `%` in it encodes nothing. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
