// A live connection to a server. One file per transport opens it; it ends once and is never reopened.

import type { JsonObject } from "../mcp/json.js";
import type { Reply, RpcNotification } from "../mcp/message.js";
import type { Era } from "../mcp/protocol.js";
import type { Clock } from "../model/clock.js";
import type { Log } from "../model/log.js";
import type {
  DownstreamLimits,
  DownstreamRequest,
  ServerRequest,
  UnsolicitedReceiver,
} from "./downstream.js";
import type { HideSecrets } from "./hide-secrets.js";
import type { Credentials } from "./http/credentials.js";
import type { Pace } from "./protocol/pace.js";

export interface Connection {
  /** The eras it speaks; at least one. */
  readonly eras: readonly Era[];
  readonly handshake: Handshake;
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  readonly notify: (method: string, params?: JsonObject) => void;
  /** The server has to read what was sent before more is sent; `onRoom` follows. Absent if nothing is queued. */
  readonly isFull?: () => boolean;
  /**
   * Ends the connection and every process it started. Requests in flight get an error; `when-idle` lets them
   * finish first, if each has a connection of its own. Idempotent.
   */
  readonly close: (when?: "now" | "when-idle") => Promise<void>;
}

/** How the server introduced itself, in the era that Onym prefers for it. */
export interface Handshake {
  readonly era: Era;
  readonly revision: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
}

export interface ConnectionEvents {
  /** A notification that belongs to no request. `receiver` says which caller may see a log message. */
  readonly onNotification: (notification: RpcNotification, receiver?: UnsolicitedReceiver) => void;
  /** A server request outside any client request. */
  readonly onServerRequest: (
    serverRequest: ServerRequest,
    signal: AbortSignal,
    receiver: UnsolicitedReceiver,
  ) => Promise<Reply>;
  /** After `isFull`: the server has read what was sent, or never will. */
  readonly onRoom: () => void;
  /**
   * The connection ended by itself: called at most once, never after `close`. `reason` is for people: no
   * secrets, one line.
   */
  readonly onClosed: (reason: string, hint: string) => void;
}

/** What every opener needs beside its launch. */
export interface ConnectionContext {
  /** For errors: the server id, escaped and quoted. */
  readonly label: string;
  readonly clientInfo: JsonObject;
  readonly limits: DownstreamLimits;
  readonly events: ConnectionEvents;
  readonly log: Log;
  readonly clock: Clock;
  readonly hide: HideSecrets;
  /** How much it sent recently, over all streams of this connection. */
  readonly pace: Pace;
  /** Keeps its tokens; absent if it needs none. */
  readonly credentials?: Credentials | undefined;
  /**
   * Aborted when opening takes too long or is no longer needed. The opener cleans up and returns `failed`.
   */
  readonly signal: AbortSignal;
  /** In [0, 1). */
  readonly random: () => number;
}

export type OpenedConnection =
  | { readonly kind: "open"; readonly connection: Connection }
  | { readonly kind: "failed"; readonly reason: string; readonly hint: string };
