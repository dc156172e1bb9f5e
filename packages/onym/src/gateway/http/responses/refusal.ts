// The refusal of a request before it is a call. The code decides the HTTP status and the JSON-RPC error in
// the body.

import type { OutgoingHttpHeaders } from "node:http";
import type { RequestId } from "../../../mcp/message.js";
import type { OnymErrorCode } from "../../../model/onym-error.js";

export interface Refusal {
  readonly code: OnymErrorCode;
  readonly message: string;
  readonly data?: unknown;
  /** The id of the request, if it could be read. */
  readonly id?: RequestId | null;
  /** Only the gateway's own names and values; never text from a client. */
  readonly headers?: OutgoingHttpHeaders;
}
