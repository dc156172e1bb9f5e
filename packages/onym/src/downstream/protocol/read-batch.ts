// The messages of a server's batch. Batches were allowed until 2025-03-26; each is handled in one turn, so they are
// small (SAFE-4).

import { isJsonObject } from "../../mcp/json.js";
import type { Pace } from "./pace.js";

/** Clients may send as many. */
export const MAX_BATCH = 100;

/** The messages to handle. Of a larger batch those are its responses, as requests wait for them; the rest is dropped. */
export function readBatch(batch: readonly unknown[], pace: Pick<Pace, "countBatch">): readonly unknown[] {
  pace.countBatch(batch.length);
  return batch.length <= MAX_BATCH ? batch : batch.filter(isResponse);
}

function isResponse(message: unknown): boolean {
  return isJsonObject(message) && !Object.hasOwn(message, "method") && typeof message["id"] === "number";
}
