// The messages of a server's batch. Batches were allowed until 2025-03-26; each is handled in one turn, so they are
// small (SAFE-4).

import { isJsonObject } from "../../mcp/json.js";
import type { Pace } from "./pace.js";

/** Messages in a batch, beside responses. The same limit as for the batches of clients. */
export const MAX_BATCH = 100;

/**
 * The messages to handle: all responses, as requests wait for them, and the first `MAX_BATCH` of the others. Beyond those,
 * one notification of each kind of list change is kept. All others are dropped, which is logged.
 */
export function readBatch(
  batch: readonly unknown[],
  pace: Pick<Pace, "countBatch" | "countDropped">,
): readonly unknown[] {
  pace.countBatch(batch.length);
  if (batch.length <= MAX_BATCH) return batch;
  const changes = new Set<unknown>();
  let others = 0;
  const read = batch.filter((message) => {
    if (isResponse(message)) return true;
    others += 1;
    if (others <= MAX_BATCH) return true;
    const method = isJsonObject(message) ? message["method"] : undefined;
    if (typeof method !== "string" || !LIST_CHANGED.test(method) || changes.has(method)) return false;
    changes.add(method);
    return true;
  });
  if (read.length < batch.length) pace.countDropped(batch.length - read.length);
  return read;
}

const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;

function isResponse(message: unknown): boolean {
  return isJsonObject(message) && !Object.hasOwn(message, "method") && typeof message["id"] === "number";
}
