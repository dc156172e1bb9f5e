// Sources for the named profiles: the specification and its proposal. The short ids refer to their rows.

import type { Evidence } from "./evidence.js";

export const namedEvidence: readonly Evidence[] = [
  {
    id: "mcp",
    sources: ["Model Context Protocol specification 2025-11-25, server features, tools, tool names"],
    notes:
      "1 to 128 characters: ASCII letters, digits, underscore, hyphen, dot; case-sensitive, unique within a server. All of it a SHOULD: servers that break it exist, and clients show their tools.",
    unique: "within a server",
  },
  {
    id: "sep-986",
    sources: ["SEP-986: Specify Format for Tool Names (modelcontextprotocol#986)"],
    notes:
      "The proposal: 1 to 64 characters, with the forward slash. What became of it in the specification is 1 to 128 without the slash.",
    unique: "within a namespace",
  },
  {
    id: "canonical",
    sources: ["Onym's own form: integration@version/[suite.]tool@version"],
    notes: "For clients that take any name.",
  },
];

/** Short id → the row whose evidence it shares. */
export const SAME_ROW: ReadonlyMap<string, string> = new Map([
  ["openai", "openai-chat-completions"],
  ["anthropic", "anthropic-messages"],
  ["gemini", "google-gemini-api"],
  ["bedrock", "aws-bedrock-converse"],
  ["universal", "generic-safe"],
]);
