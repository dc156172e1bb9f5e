// The refusal of a request before it is a call. The code decides the HTTP status and the JSON-RPC error in
// the body.

import type { OutgoingHttpHeaders } from "node:http";
import { errorReply, type Reply, type RequestId } from "../../../mcp/message.js";
import type { OnymErrorCode } from "../../../model/onym-error.js";
import { RPC_CODES } from "../../failure-codes.js";

export interface Refusal {
  readonly code: OnymErrorCode;
  readonly message: string;
  readonly data?: unknown;
  /** The id of the request, if it could be read. */
  readonly id?: RequestId | null;
  /** Only the gateway's own names and values; never text from a client. */
  readonly headers?: OutgoingHttpHeaders;
}

export function badRequest(message: string): Refusal {
  return { code: "bad-request", message };
}

/** A limit is reached; a retry may succeed later. */
export function busy(message: string): Refusal {
  return { code: "busy", message, headers: { "retry-after": "5" } };
}

/** For responses sent before the body was read: do not read the rest. */
export function endingConnection(refusal: Refusal): Refusal {
  return { ...refusal, headers: { ...refusal.headers, connection: "close" } };
}

/** The refusal as a JSON-RPC error, for transports without an HTTP response per message. */
export function errorOf({ code, message, data }: Refusal): Reply {
  return errorReply(RPC_CODES[code], message, data);
}
