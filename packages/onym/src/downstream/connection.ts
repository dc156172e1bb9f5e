// A live connection to a downstream. Opened by one file per transport; it ends once and is not opened again.

import type { JsonObject } from "../mcp/json.js";
import type { RpcNotification } from "../mcp/message.js";
import type { Era } from "../mcp/protocol.js";
import type { Reply } from "../mcp/reply.js";
import type { Clock } from "../model/clock.js";
import type {
  DownstreamLimits,
  DownstreamRequest,
  ServerRequest,
  UnsolicitedReceiver,
} from "./downstream.js";
import type { DownstreamLog } from "./downstream-log.js";
import type { HideSecrets } from "./hide-secrets.js";
import type { Credentials } from "./http/credentials.js";
import type { Pace } from "./protocol/pace.js";

export interface Connection {
  /** What it speaks; at least one. */
  readonly eras: readonly Era[];
  readonly handshake: Handshake;
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  readonly notify: (method: string, params?: JsonObject) => void;
  /**
   * Ends the connection and every process it began. Requests in flight are answered with an error; `when-idle` lets them
   * end first, where each has a connection of its own. Idempotent.
   */
  readonly close: (when?: "now" | "when-idle") => Promise<void>;
}

/** How the downstream introduced itself, in the era that Onym prefers to speak with it. */
export interface Handshake {
  readonly era: Era;
  readonly revision: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
}

export interface ConnectionEvents {
  /** A notification that belongs to no request. `receiver` says who may see it, if it is a log message. */
  readonly onNotification: (notification: RpcNotification, receiver?: UnsolicitedReceiver) => void;
  /** A question outside any request. */
  readonly onServerRequest: (
    serverRequest: ServerRequest,
    signal: AbortSignal,
    receiver: UnsolicitedReceiver,
  ) => Promise<Reply>;
  /** It ended by itself: at most once, never after `close`. `reason` is for people: no secrets, one line. */
  readonly onClosed: (reason: string, hint: string) => void;
}

/** What every opener needs beside its launch. */
export interface ConnectionContext {
  /** Named in errors: the server id, escaped and quoted. */
  readonly label: string;
  readonly clientInfo: JsonObject;
  readonly limits: DownstreamLimits;
  readonly events: ConnectionEvents;
  readonly log: DownstreamLog;
  readonly clock: Clock;
  readonly hide: HideSecrets;
  /** What it has sent of late, over all streams of this connection. */
  readonly pace: Pace;
  /** Whoever keeps the tokens for it; absent where none are wanted. */
  readonly credentials?: Credentials | undefined;
  /** Aborted when opening takes too long or is no longer wanted. The opener cleans up and answers `failed`. */
  readonly signal: AbortSignal;
  /** In [0, 1). */
  readonly random: () => number;
}

export type OpenedConnection =
  | { readonly kind: "open"; readonly connection: Connection }
  | { readonly kind: "failed"; readonly reason: string; readonly hint: string };
