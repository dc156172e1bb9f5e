// What takes a message to a client: a line, or the stream of one request.

import type { Notice } from "../../downstream/downstream.js";
import { formatNotice } from "../http/responses/format-message.js";

export interface Carrier {
  /** `false` when it cannot be delivered, now or later. */
  readonly send: (json: string) => boolean;
}

export function sendNotice(carrier: Carrier, notice: Notice): void {
  const json = formatNotice(notice);
  if (json !== undefined) carrier.send(json);
}
