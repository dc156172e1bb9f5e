// How a request is refused before it is a call: the HTTP status, and the error in its body.

import type { OutgoingHttpHeaders } from "node:http";
import type { RequestId } from "../../../mcp/message.js";

/** Codes of our own for what HTTP refuses; the ones MCP servers use. */
export const HTTP_CODES = { refused: -32000, sessionNotFound: -32001 } as const;

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** Of the request, where it could be read. */
  readonly id?: RequestId | null;
  /** Names and values are ours: nothing that a client sent belongs here. */
  readonly headers?: OutgoingHttpHeaders;
}
