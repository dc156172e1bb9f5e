// Work for an HTTP request that goes on after the request was taken. What goes wrong in it never leaves a client hanging.

import type { ServerResponse } from "node:http";
import { CODES } from "../../mcp/protocol.js";
import type { Log } from "../../model/log.js";
import { writeRefusal } from "./responses/write-response.js";

export function settleWork(res: ServerResponse, work: Promise<void>, log: Log): void {
  work.catch((error: unknown) => failRequest(res, error, log));
}

/** What failed is ours, and stays in the log. */
export function failRequest(res: ServerResponse, error: unknown, log: Log): void {
  log("error", "a request failed at the edge", { error: String(error) });
  if (res.headersSent) res.destroy();
  else writeRefusal(res, { status: 500, code: CODES.internal, message: "Internal error" });
}
