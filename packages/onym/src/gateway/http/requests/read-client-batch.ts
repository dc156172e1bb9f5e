// JSON-RPC batches, which only one revision has.

import { type Message, readClientMessage } from "../../../mcp/message.js";

const BATCH_REVISION = "2025-03-26";
export const BATCH_MESSAGES = 100;

/** The messages of a batch, or why the whole batch is refused. */
export function readClientBatch(
  batch: readonly unknown[],
  revision: string | undefined,
): { readonly messages: readonly Message[] } | { readonly reason: string } {
  if (revision !== BATCH_REVISION) {
    return { reason: `batches are part of sessions of protocol revision ${BATCH_REVISION} only` };
  }
  if (batch.length === 0 || batch.length > BATCH_MESSAGES) {
    return { reason: `a batch holds 1 to ${BATCH_MESSAGES} messages` };
  }
  const messages: Message[] = [];
  for (const value of batch) {
    const read = readClientMessage(value);
    if (read.kind === "invalid") return { reason: read.reason };
    if (read.kind === "request" && read.message.method === "initialize") {
      return { reason: "initialize must not be part of a batch" };
    }
    messages.push(read);
  }
  return { messages };
}
