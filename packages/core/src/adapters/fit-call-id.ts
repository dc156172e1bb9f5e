// Ids of calls from another provider, where this one is particular about them.

import { SHORT_DIGEST_LENGTH, shortDigest } from "../identity/short-digest.js";

/**
 * The id itself where it is letters, digits, `_` and `-` only and short enough; else one made from it. The same id
 * always comes to the same one, so that a call and its result stay together.
 */
export function fitCallId(id: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (/^[a-zA-Z0-9_-]+$/.test(id) && id.length <= maxLength) return id;
  const stem = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength - SHORT_DIGEST_LENGTH - 1);
  return `${stem}_${shortDigest([id])}`;
}
