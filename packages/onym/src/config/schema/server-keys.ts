// Which keys a server entry may hold: Onym's own, and those that clients are known to write (decision 0010).

import { serverEntry } from "./config-schema.js";

/** What may stand in a server entry with nothing to run. */
export const STATIC_KEYS = [
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
export const KNOWN_SERVER_KEYS: readonly string[] = [...Object.keys(serverEntry.shape), ...CLIENT_KEYS];

const KNOWN = new Set(KNOWN_SERVER_KEYS);

export function isServerKey(key: string): boolean {
  return KNOWN.has(key) || isComment(key);
}

/** Comments are people's own: a key that starts with `_`, `//` or `#`. */
export function isComment(key: string): boolean {
  return key === "$comment" || /^(?:_|\/\/|#)/.test(key);
}
