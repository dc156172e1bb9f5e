// The clients that Onym can read from or be registered in, by id.

import { quoteText } from "@onym/core";
import { didYouMean } from "../../../config/json/near-text.js";
import type { OnymError } from "../../../model/onym-error.js";
import { usageError } from "../../usage-error.js";
import type { Client } from "./client.js";
import { EDITOR_CLIENTS } from "./editor-clients.js";
import { HOSTED_CLIENTS } from "./hosted-clients.js";
import { TERMINAL_CLIENTS } from "./terminal-clients.js";

/** By id. */
export const CLIENTS: readonly Client[] = [...EDITOR_CLIENTS, ...TERMINAL_CLIENTS, ...HOSTED_CLIENTS].sort(
  (a, b) => (a.id < b.id ? -1 : 1),
);

/** Names by which people also call them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["claude", "claude-desktop"],
  ["code", "vscode"],
  ["vs-code", "vscode"],
  ["copilot", "vscode"],
  ["gemini", "gemini-cli"],
  ["openai", "openai-hosted-mcp"],
  ["anthropic", "anthropic-mcp-connector"],
  ["qwen", "qwen-code"],
  ["roo", "roo-code"],
  ["kimi", "kimi-code"],
  ["kimi-cli", "kimi-code"],
  ["droid", "factory"],
  ["vibe", "mistral-vibe"],
  ["lmstudio", "lm-studio"],
  ["kiro-cli", "kiro"],
  ["agy", "antigravity"],
  ["kilo", "kilo-code"],
  ["inspector", "mcp-inspector"],
]);

/** @throws OnymError `usage`, with the nearest id and the whole list. */
export function clientOf(text: string): Client {
  const wanted = text.toLowerCase();
  const id = OTHER_NAMES.get(wanted) ?? wanted;
  const client = CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw unknownClient(text);
  return client;
}

function unknownClient(text: string): OnymError {
  const ids = CLIENTS.map(({ id }) => id);
  return usageError(
    `There is no client ${quoteText(text)}.`,
    `${didYouMean(text, [...ids, ...OTHER_NAMES.keys()])}The clients are ${ids.join(", ")}.`,
  );
}
