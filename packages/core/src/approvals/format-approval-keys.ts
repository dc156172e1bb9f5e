// Approval keys as a person reads them. Different keys may read the same: never match on this text.

import { escapeText } from "../names/escape-text.js";
import type { ApprovalKey, ApprovalKeys } from "./approval-keys.js";

/**
 * @example
 * formatApprovalKey(keys.canonical); // "deferred_top_level:lookup"
 */
export function formatApprovalKey(key: ApprovalKey): string {
  // Safe to take apart: keys are made by one function, and never from a stranger's JSON.
  const [kind, ...parts] = JSON.parse(key) as readonly [string, ...string[]];
  if (kind === "deferred_top_level") return escapeText(`deferred_top_level:${parts.join("")}`);
  if (kind === "hosted_mcp") return escapeText(`hosted_mcp:${parts.join("/")}`);
  if (kind === "catalog") {
    const [, ...owners] = JSON.parse(parts.join("")) as readonly string[];
    return escapeText(owners.join("/"));
  }
  return escapeText(parts.join("."));
}

/**
 * The bare name first, because people know the tool by it; then the canonical key and older spellings.
 *
 * @example
 * formatApprovalKeys(approvalKeysOfCall({ name: "lookup", namespace: "crm" })); // ["crm.lookup"]
 */
export function formatApprovalKeys(keys: ApprovalKeys | undefined): readonly string[] {
  if (keys === undefined) return [];
  const all = [keys.canonical, ...keys.aliases];
  return [...all.filter(isBare), ...all.filter((key) => !isBare(key))].map(formatApprovalKey);
}

function isBare(key: ApprovalKey): boolean {
  return key.startsWith('["bare",');
}
