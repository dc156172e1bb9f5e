// What takes a message to a client: a line, or the stream of one request.

import type { Notification } from "../../downstream/downstream.js";
import { formatNotification } from "../http/responses/format-message.js";

export interface MessageSink {
  /** `false` when it cannot be delivered, now or later. */
  readonly send: (json: string) => boolean;
}

export function sendNotification(sink: MessageSink, notification: Notification): void {
  const json = formatNotification(notification);
  if (json !== undefined) sink.send(json);
}
