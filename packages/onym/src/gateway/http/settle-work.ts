// Work for an HTTP request that continues after the handler returned. A failure in it never leaves a client
// waiting.

import type { ServerResponse } from "node:http";
import type { Log } from "../../model/log.js";
import { writeRefusal } from "./responses/write-response.js";

export function settleWork(res: ServerResponse, work: Promise<void>, log: Log): void {
  work.catch((error: unknown) => failRequest(res, error, log));
}

/** The failure is a bug in the gateway; its details stay in the log. */
export function failRequest(res: ServerResponse, error: unknown, log: Log): void {
  log("error", "a request failed at the edge", { error: String(error) });
  if (res.headersSent) res.destroy();
  else writeRefusal(res, { code: "internal", message: "Internal error" });
}
