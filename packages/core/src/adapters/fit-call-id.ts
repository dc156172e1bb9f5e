// Adapts call ids from another provider to a provider that restricts them.

import { SHORT_DIGEST_LENGTH, shortDigest } from "../identity/short-digest.js";

/**
 * Returns the id if it contains only letters, digits, `_` and `-` and is short enough; otherwise an id derived from
 * it. The result is deterministic, so a call and its result keep the same id.
 */
export function fitCallId(id: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && id.length <= maxLength) return id;
  const stem = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength - SHORT_DIGEST_LENGTH - 1);
  return `${stem}_${shortDigest([id])}`;
}
