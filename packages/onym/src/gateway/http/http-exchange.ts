// One HTTP request inside the edge, and what the routes of the edge share.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { EdgeClock } from "../../model/clock.js";
import type { Log } from "../../model/log.js";
import type { Proof } from "../auth/authenticate.js";
import type { Admissions } from "../auth/create-authenticator.js";
import type { CallerHints, Router } from "../router.js";
import type { CallerShare, HeldRequest } from "../sessions/edge-callers.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";
import type { Drain } from "../sessions/in-flight-requests.js";
import type { StreamCount } from "./responses/create-sse-writer.js";
import type { SseWriters } from "./responses/sse-writer.js";

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
  /** Whether its requests count for the caller's rate. */
  readonly isRated: boolean;
  /** Its body, counted until the response is sent and nothing of it is in flight. */
  readonly held: HeldRequest;
}

export interface RouteOptions {
  readonly router: Router;
  readonly limits: EdgeLimits;
  readonly writers: SseWriters;
  readonly streams: StreamCount;
  readonly admissions: Admissions;
  readonly drain: Drain;
  readonly clock: EdgeClock;
  readonly log: Log;
}
