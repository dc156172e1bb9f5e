// Unknown keys. In Onym's own sections they are mistakes; in what clients wrote they are the clients' business,
// unless one is nearly a key of ours (decision 0010).

import { quoteText } from "@onym/core";
import { nearestText } from "../json/near-text.js";
import { FILTER_KEYS } from "../sections/tool-filters.js";
import { serverEntry } from "./config-schema.js";

export interface KeyProblem {
  readonly code: "unknown-key" | "missing-key";
  readonly message: string;
  readonly fix: string;
}

/** The keys of a server entry that mean something to Onym alone. */
const OWN_SERVER_KEYS = [
  "alias",
  "integration",
  "isolation",
  "version",
  "names",
  "speaksFor",
  "tools",
  "toolFilters",
];

const WAYS_TO_RUN = ["command", "url", "httpUrl", "serverUrl"];

/** Keys that clients really write and that come near ours. */
const NOT_MEANT = new Set(["name", "versions", "toolsFilter", ...FILTER_KEYS]);

/** Whether the entry starts a program or connects to one, so that it was written for a client. */
export function runsSomething(keys: readonly string[]): boolean {
  return WAYS_TO_RUN.some((key) => keys.includes(key));
}

/** What is wrong with the keys of a server entry; `key` is absent where it is about the entry as a whole. */
export function checkServerKeys(
  keys: readonly string[],
): readonly { readonly key?: string; readonly problem: KeyProblem }[] {
  if (runsSomething(keys)) return nearMisses(keys, OWN_SERVER_KEYS);
  if (keys.includes("tools")) {
    return keys.flatMap((key) =>
      isServerKey(key) ? [] : [{ key, problem: unknownKey(key, nearestText(key, KNOWN_SERVER_KEYS)) }],
    );
  }
  const meant = nearMisses(keys, [...OWN_SERVER_KEYS, ...WAYS_TO_RUN]);
  if (meant.some(({ near }) => near === "tools" || WAYS_TO_RUN.includes(near))) return meant;
  const message = "This server has no command, no url and no tools.";
  const fix = 'Write a "command" to start, a "url" to connect to, or a list "tools".';
  return [...meant, { problem: { code: "missing-key", message, fix } }];
}

/** Keys that are nearly one of these, where that one is absent. */
function nearMisses(keys: readonly string[], candidates: readonly string[]) {
  return keys.flatMap((key) => {
    if (candidates.includes(key) || NOT_MEANT.has(key)) return [];
    const near = nearestText(key, candidates);
    return near === undefined || keys.includes(near) ? [] : [{ key, near, problem: unknownKey(key, near) }];
  });
}

/** Keys at the top of the files of clients, which Onym does not read. */
const CLIENT_TOP_KEYS = new Set([
  "globalShortcut",
  "preferences",
  "scale",
  "locale",
  "userThemeMode",
  "isUsingBuiltInNodeForMcp",
  "isDxtAutoUpdatesEnabled",
  "allowedMcpServers",
  "deniedMcpServers",
  "enabledMcpjsonServers",
  "disabledMcpjsonServers",
  "enableAllProjectMcpServers",
  "disabledMcpServers",
  "enabledMcpServers",
]);

/** Whether a key at the top of a file is read, passed over, or a mistake. */
export function checkTopKey(
  key: string,
  known: readonly string[],
  options: { readonly isClientFile: boolean },
): "read" | "ignore" | KeyProblem {
  if (known.includes(key)) return "read";
  if (CLIENT_TOP_KEYS.has(key) || isComment(key)) return "ignore";
  const near = nearestText(key, known);
  if (near !== undefined) return unknownKey(key, near);
  if (options.isClientFile) return "ignore";
  return {
    code: "unknown-key",
    message: `There is no key ${quoteText(key)} here.`,
    fix: `The keys here are ${known.join(", ")}.`,
  };
}

function unknownKey(key: string, near: string | undefined): KeyProblem {
  return {
    code: "unknown-key",
    message: `There is no key ${quoteText(key)} here.`,
    fix: near === undefined ? `The keys here are ${STATIC_KEYS.join(", ")}.` : `Did you mean "${near}"?`,
  };
}

// Which keys a server entry may hold: Onym's own, and those that clients are known to write (decision 0010).

/** What may stand in a server entry with nothing to run. */
const STATIC_KEYS = [
  "tools",
  "toolFilters",
  "integration",
  "version",
  "alias",
  "formerly",
  "names",
  "speaksFor",
  "disabled",
] as const;

/** Beside those of the schema; all of them are passed over, save for lists of tools to show or to hide (tool-filters.ts). */
const CLIENT_KEYS = [
  "$comment",
  "alwaysAllow",
  "auth",
  "authProviderType",
  "autoApprove",
  "autoStart",
  "bearerTokenEnvVar",
  "bearer_token_env_var",
  "blockedTools",
  "category",
  "debug",
  "description",
  "dev",
  "disabledTools",
  "disabled_tools",
  "enabled",
  "enabledTools",
  "enabled_tools",
  "excludeTools",
  "extensionName",
  "gallery",
  "headersHelper",
  "http_headers",
  "icon",
  "id",
  "includeTools",
  "isActive",
  "metadata",
  "name",
  "networkTimeout",
  "note",
  "options",
  "registryUrl",
  "required",
  "sandbox",
  "sandboxEnabled",
  "scopes",
  "source",
  "startup_timeout_ms",
  "startup_timeout_sec",
  "tags",
  "timeout",
  "title",
  "tool_timeout_sec",
  "toolsFilter",
  "transport",
  "transportType",
  "trust",
  "versions",
  "watchPaths",
] as const;

/** All of them, for telling what was meant. */
const KNOWN_SERVER_KEYS: readonly string[] = [...Object.keys(serverEntry.shape), ...CLIENT_KEYS];

const KNOWN = new Set(KNOWN_SERVER_KEYS);

function isServerKey(key: string): boolean {
  return KNOWN.has(key) || isComment(key);
}

/** Comments are people's own: a key that starts with `_`, `//` or `#`. */
export function isComment(key: string): boolean {
  return key === "$comment" || /^(?:_|\/\/|#)/.test(key);
}
