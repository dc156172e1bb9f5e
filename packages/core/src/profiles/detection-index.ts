// The look-up tables of detection: every text that says which client is calling, in lower case. Made from the rows
// once, when somebody first asks; the exceptions that the rows' notes describe are written out here.

import { listProfiles } from "./find-profile.js";

export interface DetectionIndex {
  /** `clientInfo.name` in lower case → profile id. */
  readonly clientNames: ReadonlyMap<string, string>;
  /** Product of a user agent (the text before `/`) in lower case → profile id. */
  readonly products: ReadonlyMap<string, string>;
}

/** Names that several products share, or that only an SDK answers to: a user agent that says more is believed. */
export const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ["mcp", "python-sdk-default"],
  ["openai-mcp", "chatgpt"],
  ["anthropic", "claude-ai"],
  ["anthropic/claudeai", "claude-ai"],
  ["claude-ai", "claude-ai"],
  ["q dev cli", "amazon-q-cli"],
]);

/** Names that say nothing by themselves. */
export const GENERIC_NAMES: ReadonlySet<string> = new Set([
  "rmcp",
  "connectors-manager",
  "mcp-client",
  "client",
]);

/** Words that stand for one client wherever they appear in a user agent or name. */
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

/** What people and programs call a client, besides what its row lists. */
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

/** Parentheses after `openai-mcp/1.0.0` name the surface. */
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

/** Starts of names that go on with something else. */
export const NAME_STARTS: readonly (readonly [start: string, id: string])[] = [
  ["dev.warp.", "warp"],
  ["local-agent-mode-", "claude-desktop"],
  ["grok-shell-", "grok"],
  ["qwen-cli-mcp-client-", "qwen-code"],
];

/** Of these starts, those that go on with the alias under which the server is registered (NAME-9). */
export const ALIAS_STARTS: readonly string[] = ["local-agent-mode-", "grok-shell-", "qwen-cli-mcp-client-"];

/** Parts of names that stand between other parts. */
export const NAME_PARTS: readonly (readonly [part: string, id: string])[] = [
  ["copilot-intellij", "copilot-ide-plugins"],
  ["copilot-xcode", "copilot-ide-plugins"],
];

let index: DetectionIndex | undefined;

export function detectionIndex(): DetectionIndex {
  index ??= buildIndex();
  return index;
}

function buildIndex(): DetectionIndex {
  const clientNames = new Map<string, string>([...SHARED_NAMES, ...OTHER_NAMES]);
  const products = new Map<string, string>();
  for (const { id, kind, clientInfoNames, userAgentHints } of listProfiles()) {
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

/** Templates such as `grok-shell-{server}` name nobody, and the first to claim a name keeps it. */
function addNew(names: Map<string, string>, name: string, id: string): void {
  const key = name.toLowerCase();
  if (key !== "" && !key.includes("{") && !names.has(key)) names.set(key, id);
}
