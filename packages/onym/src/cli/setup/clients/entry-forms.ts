// The forms in which clients write a server that is started or connected to.

import type { EntryOf } from "./client.js";

/** Command and arguments, as most clients write them, with what else the client wants beside. */
export const started: EntryOf = ({ command, args }) => ({ command, args: [...args] });

export function startedWith(beside: Readonly<Record<string, unknown>>): EntryOf {
  return (gateway) => ({ ...beside, ...started(gateway) });
}

/** An address under this key, with what else the client wants beside it. */
export function connected(key: string, beside: Readonly<Record<string, unknown>> = {}): EntryOf {
  return ({ url, headers }) => ({ ...beside, [key]: url, ...(headers === undefined ? {} : { headers }) });
}

/** For clients that start commands only: a bridge that connects for them. */
export const bridged: EntryOf = ({ url, headers = {} }) => ({
  command: "npx",
  args: [
    "-y",
    "mcp-remote",
    url,
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}:${value}`]),
  ],
});

/** OpenCode and what was made from it. */
export const localCommand: EntryOf = ({ command, args }) => ({
  type: "local",
  command: [command, ...args],
  enabled: true,
});
