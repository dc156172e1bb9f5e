// Messages from the gateway to a client as JSON text. What is nested too deeply to be written must not break more than itself.

import type { Notification, ServerRequest } from "../../../downstream/downstream.js";
import type { RequestId } from "../../../mcp/message.js";
import { CODES } from "../../../mcp/protocol.js";
import { errorReply, formatReply, type Reply } from "../../../mcp/reply.js";

/** `undefined` where it cannot be written. */
export function formatNotification({ method, params }: Notification): string | undefined {
  return formatJson({ jsonrpc: "2.0", method, params });
}

/** `undefined` where it cannot be written. */
export function formatServerRequest(id: string, { method, params }: ServerRequest): string | undefined {
  return formatJson({ jsonrpc: "2.0", id, method, params });
}

/** A reply that cannot be written becomes an error that says so. */
export function formatResponse(id: RequestId | null, reply: Reply): string {
  try {
    return formatReply(id, reply);
  } catch {
    return formatReply(
      id,
      errorReply(CODES.internal, "Internal error: the answer cannot be written as JSON"),
    );
  }
}

function formatJson(message: object): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
