// Takes messages to a client: a line over stdio, or the stream of one request.

import type { Notification, ServerRequest } from "../../downstream/downstream.js";

export interface MessageSink {
  /** `false` if it can never be delivered. */
  readonly send: (json: string) => boolean;
}

export function sendNotification(sink: MessageSink, notification: Notification): void {
  const json = formatNotification(notification);
  if (json !== undefined) sink.send(json);
}

// Messages from the gateway to a client as JSON text. A message too deeply nested to serialize must not break
// others.

/** `undefined` if it cannot be serialized. */
function formatNotification({ method, params }: Notification): string | undefined {
  return formatJson({ jsonrpc: "2.0", method, params });
}

/** `undefined` if it cannot be serialized. */
export function formatServerRequest(id: string, { method, params }: ServerRequest): string | undefined {
  return formatJson({ jsonrpc: "2.0", id, method, params });
}

function formatJson(message: object): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
