// The ids that RULE-2 requires: the specification and its proposal, an unrestricted profile, and short ids for
// rows.

import { assistantRows } from "./assistant-rows.js";
import type { ProfileRow } from "./profile-row.js";
import { providerRows } from "./provider-rows.js";

const specificationRows: readonly ProfileRow[] = [
  {
    id: "mcp",
    kind: "specification",
    title: "Model Context Protocol, since revision 2025-11-25",
    pattern: "^[A-Za-z0-9_.-]{1,128}$",
    maxLength: 128,
    onViolation: "warn",
    confidence: "documented",
    asOf: "2026-11-15",
  },
  {
    id: "sep-986",
    kind: "specification",
    title: "SEP-986, the proposal for tool names",
    pattern: "^[A-Za-z0-9_./-]{1,64}$",
    maxLength: 64,
    onViolation: "warn",
    confidence: "documented",
    asOf: "2026-11-15",
  },
  {
    id: "canonical",
    kind: "specification",
    title: "No restriction: canonical names as they are",
    pattern: "^[\\s\\S]+$",
    onViolation: "none",
    confidence: "documented",
    asOf: "2026-11-15",
    unrestricted: true,
  },
];

/** Short ids for other rows, with the differences. */
const SHORT_IDS: readonly (readonly [id: string, row: string, title: string])[] = [
  ["openai", "openai-chat-completions", "OpenAI"],
  ["anthropic", "anthropic-messages", "Anthropic"],
  ["gemini", "google-gemini-api", "Google Gemini"],
  ["bedrock", "aws-bedrock-converse", "AWS Bedrock"],
  ["universal", "generic-safe", "Safe in every client known"],
];

export function namedRows(): readonly ProfileRow[] {
  const sources = [...providerRows, ...assistantRows];
  const short = SHORT_IDS.flatMap(([id, from, title]): ProfileRow[] => {
    const row = sources.find((candidate) => candidate.id === from);
    if (row === undefined) return [];
    if (id !== "anthropic") return [{ ...row, id, title }];
    // The row's safe limit of 64 is for deferred tools. The `anthropic` profile may use all 128.
    const { safeMaxLength: _safe, ...hard } = row;
    return [{ ...hard, id, title }];
  });
  return [...specificationRows, ...short];
}
