// Takes messages to a client: a line over stdio, or the stream of one request.

import type { Notification } from "../../downstream/downstream.js";
import { formatNotification } from "../http/responses/write-response.js";

export interface MessageSink {
  /** `false` if it can never be delivered. */
  readonly send: (json: string) => boolean;
}

export function sendNotification(sink: MessageSink, notification: Notification): void {
  const json = formatNotification(notification);
  if (json !== undefined) sink.send(json);
}
