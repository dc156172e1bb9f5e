// The lookup tables of detection: every text that identifies a client, in lower case. Built from the rows on first
// use. The exceptions that the rows' notes describe are listed here.

import { findProfile, listProfiles } from "../find-profile.js";
import type { Profile } from "../profile.js";

export interface DetectionIndex {
  /** `clientInfo.name` in lower case → profile id. */
  readonly clientNames: ReadonlyMap<string, string>;
  /** Product of a user agent (the text before `/`) in lower case → profile id. */
  readonly products: ReadonlyMap<string, string>;
}

/** Names that several products share, or that identify only an SDK. A more specific user agent wins. */
export const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ["mcp", "python-sdk-default"],
  ["openai-mcp", "chatgpt"],
  ["anthropic", "claude-ai"],
  ["anthropic/claudeai", "claude-ai"],
  ["claude-ai", "claude-ai"],
  ["q dev cli", "amazon-q-cli"],
]);

/** Names that identify no client. */
export const GENERIC_NAMES: ReadonlySet<string> = new Set([
  "rmcp",
  "connectors-manager",
  "mcp-client",
  "client",
]);

/** Words that identify one client anywhere in a user agent or name. */
export const LOOSE_WORDS: ReadonlyMap<string, string> = new Map([
  ["chatgpt", "chatgpt"],
  ["chatgpt-user", "chatgpt"],
  ["claude-code", "claude-code"],
  ["claude-desktop", "claude-desktop"],
  ["claude-user", "claude-ai"],
  ["claude.ai", "claude-ai"],
  ["langchain", "langchain-python"],
  ["langchain-mcp-adapters", "langchain-python"],
  ["langchain-python", "langchain-python"],
  ["langchain-js", "langchain-js"],
  ["langchainjs", "langchain-js"],
  ["langgraph", "langchain-python"],
  ["llamaindex", "llamaindex"],
  ["llama-index", "llamaindex"],
  ["llama_index", "llamaindex"],
  ["mcp-remote", "mcp-remote"],
  ["n8n", "n8n"],
  ["openai", "openai"],
  ["openai-python", "openai"],
  ["openai-node", "openai"],
  ["windsurf", "windsurf"],
]);

/** Other names for a client, besides those in its row. */
const OTHER_NAMES: readonly (readonly [name: string, id: string])[] = [
  ["claude", "claude-ai"],
  ["claude ai", "claude-ai"],
  ["claude desktop", "claude-desktop"],
  ["claude code", "claude-code"],
  ["continue", "continue"],
  ["continue.dev", "continue"],
  ["cline", "cline"],
  ["vscode", "vscode"],
  ["vs code", "vscode"],
  ["python-sdk-default", "python-sdk-default"],
  // DataGrout's client calls tools by canonical names.
  ["datagrout-conduit", "canonical"],
  ["datagrout_conduit", "canonical"],
];

/** The comment after `openai-mcp/1.0.0` names the surface. */
export const OPENAI_SURFACES: ReadonlyMap<string, string> = new Map([
  ["chatgpt", "chatgpt"],
  ["responses api", "openai-hosted-mcp"],
  ["agent builder", "openai-hosted-mcp"],
  ["codex", "codex"],
]);

/** Values of `x-anthropic-client`. */
export const ANTHROPIC_SURFACES: ReadonlyMap<string, string> = new Map([
  ["claudecode", "claude-code"],
  ["claudeai", "claude-ai"],
  ["cowork", "claude-ai"],
  ["claudedesign", "claude-ai"],
]);

/** Prefixes of names with a variable rest. */
export const NAME_STARTS: readonly (readonly [start: string, id: string])[] = [
  ["dev.warp.", "warp"],
  ["local-agent-mode-", "claude-desktop"],
  ["grok-shell-", "grok"],
  ["qwen-cli-mcp-client-", "qwen-code"],
];

/** The prefixes above whose rest is the alias under which the server is registered (NAME-9). */
export const ALIAS_STARTS: readonly string[] = ["local-agent-mode-", "grok-shell-", "qwen-cli-mcp-client-"];

/** Parts that identify a client in the middle of a name. */
export const NAME_PARTS: readonly (readonly [part: string, id: string])[] = [
  ["copilot-intellij", "copilot-ide-plugins"],
  ["copilot-xcode", "copilot-ide-plugins"],
];

let index: DetectionIndex | undefined;

/** The index of the built-in rows. */
export function detectionIndex(): DetectionIndex {
  index ??= buildIndex(listProfiles());
  return index;
}

/** What users say that their clients announce (RULE-7). Takes precedence over everything built in. */
export interface OwnIndex extends DetectionIndex {
  /** Name prefixes that are followed by the alias, in lower case. */
  readonly starts: readonly (readonly [start: string, id: string])[];
  /** What a built-in row announces but the user's correction of it does not. */
  readonly dropped: ReadonlySet<string>;
}

const ownIndexes = new WeakMap<readonly Profile[], OwnIndex>();

export function ownIndex(own: readonly Profile[]): OwnIndex {
  const known = ownIndexes.get(own);
  if (known !== undefined) return known;
  const made = buildOwnIndex(own);
  ownIndexes.set(own, made);
  return made;
}

const ALIAS_END = "{server}";

function buildOwnIndex(own: readonly Profile[]): OwnIndex {
  const clientNames = new Map<string, string>();
  const products = new Map<string, string>();
  const starts: (readonly [string, string])[] = [];
  for (const { id, clientInfoNames, userAgentHints } of own) {
    for (const name of clientInfoNames) {
      addNew(clientNames, name, id);
      const start = name.endsWith(ALIAS_END) ? name.slice(0, -ALIAS_END.length).toLowerCase() : "";
      if (start !== "" && !start.includes("{")) starts.push([start, id]);
    }
    for (const hint of userAgentHints) addNew(products, hint.split("/")[0] ?? "", id);
  }
  const dropped = own.flatMap(({ id, clientInfoNames }) => {
    const kept = new Set(clientInfoNames.map((name) => name.toLowerCase()));
    const before = findProfile(id)?.clientInfoNames ?? [];
    return before.map((name) => name.toLowerCase()).filter((name) => !kept.has(name));
  });
  return { clientNames, products, starts, dropped: new Set(dropped) };
}

function buildIndex(profiles: readonly Profile[]): DetectionIndex {
  const clientNames = new Map<string, string>([...SHARED_NAMES, ...OTHER_NAMES]);
  const products = new Map<string, string>();
  for (const { id, kind, clientInfoNames, userAgentHints } of profiles) {
    if (kind !== "client") continue;
    for (const name of clientInfoNames) addNew(clientNames, name, id);
    addNew(clientNames, id, id);
    for (const hint of userAgentHints)
      if (!/^headers? /.test(hint)) addNew(products, hint.split("/")[0] ?? "", id);
  }
  for (const name of GENERIC_NAMES) clientNames.delete(name);
  for (const [word, id] of LOOSE_WORDS) products.set(word, id);
  for (const [name, id] of clientNames) addNew(products, name, id);
  return { clientNames, products };
}

/** Templates such as `grok-shell-{server}` are not names, and the first row to claim a name keeps it. */
function addNew(names: Map<string, string>, name: string, id: string): void {
  const key = name.toLowerCase();
  if (key !== "" && !key.includes("{") && !names.has(key)) names.set(key, id);
}
