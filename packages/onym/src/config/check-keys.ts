// Unknown keys. In Onym's own sections they are mistakes; in what clients wrote they are the clients' business,
// unless one is nearly a key of ours (decision 0010).

import { quoteText } from "@onym/core";
import { nearestText } from "./near-text.js";

export interface KeyProblem {
  readonly code: "unknown-key";
  readonly message: string;
  readonly fix: string;
}

/** The keys of a server entry that mean something to Onym alone. */
const OWN_SERVER_KEYS = ["alias", "integration", "version", "names", "speaksFor", "tools", "toolFilters"];

/** Keys that clients really write and that come near ours. */
const NOT_MEANT = new Set(["name", "tool", "versions", "disabledTools", "toolsFilter"]);

/** The problem with a key of a server entry, where it is nearly one of ours. */
export function checkServerKey(key: string, present: ReadonlySet<string>): KeyProblem | undefined {
  if (OWN_SERVER_KEYS.includes(key) || NOT_MEANT.has(key)) return undefined;
  const near = nearestText(key, OWN_SERVER_KEYS);
  return near === undefined || present.has(near) ? undefined : unknownKey(key, near);
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
  if (CLIENT_TOP_KEYS.has(key)) return "ignore";
  const near = nearestText(key, known);
  if (near !== undefined) return unknownKey(key, near);
  if (options.isClientFile) return "ignore";
  return {
    code: "unknown-key",
    message: `There is no key ${quoteText(key)} here.`,
    fix: `Take it out. The keys here are ${known.join(", ")}.`,
  };
}

function unknownKey(key: string, near: string): KeyProblem {
  return {
    code: "unknown-key",
    message: `There is no key ${quoteText(key)} here.`,
    fix: `Did you mean "${near}"?`,
  };
}
