// Keeps the values of a launch's environment and headers out of reasons, hints and log lines.

import { escapeText } from "@onym/core";
import type { Launch } from "../model/launch.js";

/** Untrusted text for people: one line, escaped, truncated, without secrets. */
export type HideSecrets = (text: string, max?: number) => string;

/** Shorter values are words like `1` or `dev`; hiding them would make texts unreadable. */
const SHORTEST = 4;

/** Settings that are not secrets, and without which error messages are unreadable. */
const OPEN_NAMES =
  /^(?:PATH|HOME|USER|SHELL|LANG|NODE_ENV|NODE_OPTIONS|PORT|HOST|LOG_LEVEL|DEBUG|TZ|content-type|accept|user-agent)$/i;

/** `more` returns secrets that change at run time. */
export function createHideSecrets(launch: Launch, more: () => readonly string[] = () => []): HideSecrets {
  const secrets = secretsOf(launch);
  return (text, max = 300) => {
    let shown = text;
    for (const secret of more()) if (secret.length >= SHORTEST) shown = shown.replaceAll(secret, "[hidden]");
    for (const secret of secrets) shown = shown.replaceAll(secret, "[hidden]");
    const line = escapeText(shown.trim().replace(/\s+/g, " "));
    return line.length > max ? `${line.slice(0, max - 1)}…` : line;
  };
}

/** Longest first, so that a secret within a secret leaves nothing behind. */
function secretsOf(launch: Launch): readonly string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    for (const part of [value, ...value.split(/\s+/)]) if (part.length >= SHORTEST) found.add(part);
  };
  if (launch.kind === "stdio") for (const [name, value] of launch.env) if (!OPEN_NAMES.test(name)) add(value);
  if (launch.kind === "http" || launch.kind === "sse") {
    for (const [name, value] of launch.headers) if (!OPEN_NAMES.test(name)) add(value);
    if (launch.oauth) add(launch.oauth.clientSecret ?? "");
    const url = URL.canParse(launch.url) ? new URL(launch.url) : undefined;
    for (const value of url?.searchParams.values() ?? []) add(value);
    for (const value of [url?.username, url?.password]) if (value) add(decodeURIComponent(value));
  }
  found.delete("Bearer");
  found.delete("Basic");
  return [...found].sort((a, b) => b.length - a.length);
}
