// One HTTP request inside the edge.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Proof } from "../auth/authenticate.js";
import type { CallerHints } from "../router.js";
import type { CallerShare, HeldRequest } from "../sessions/edge-callers.js";

export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly hints: CallerHints;
  /** `undefined` without authentication. */
  readonly proof: Proof | undefined;
  /** The caller's quota. */
  readonly share: CallerShare;
  /** Its body, counted until the response is sent and nothing of it is in flight. */
  readonly held: HeldRequest;
}
