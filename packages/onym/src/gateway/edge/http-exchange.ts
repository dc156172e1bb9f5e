// One HTTP request on its way through the edge.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallerHints } from "../front.js";

export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly hints: CallerHints;
}
