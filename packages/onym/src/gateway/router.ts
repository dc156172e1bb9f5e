// The gateway as its edges see it: HTTP and stdio turn bytes into these calls and the answers into bytes.
// An edge knows transports, eras and sessions; it knows nothing of tools.

import type { Notification, ServerRequest } from "../downstream/downstream.js";
import type { CancelSignal } from "../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../mcp/json.js";
import type { RpcRequest } from "../mcp/message.js";
import type { Reply } from "../mcp/reply.js";
import type { Span } from "../telemetry/span.js";
import type { Caller, ClientChannel, Session } from "./caller.js";

export interface Router {
  /**
   * Answers `initialize` of revisions up to 2025-11-25 and opens the session it begins.
   * Waits a little for downstreams that are starting, because instructions are only given here.
   */
  readonly initialize: (request: RpcRequest, opening: SessionOpening) => Promise<Initialized>;
  /** The client left, or its session expired. What it held open is let go. */
  readonly closeSession: (session: Session) => void;
  /** Who makes a modern request; the envelope in `params._meta` was checked. */
  readonly identifyCaller: (request: RpcRequest, hints: CallerHints) => Caller;
  /**
   * Answers any request but `initialize` and `subscriptions/listen`. Never rejects; an aborted exchange may answer late.
   * Methods of the other era are answered with method not found.
   */
  readonly handle: (request: RpcRequest, caller: Caller, requestContext: RequestContext) => Promise<Reply>;
  /** Takes a notification from a client with a session (`initialized`, `roots/list_changed`); others are ignored. */
  readonly handleNotification: (notification: Notification, session: Session) => void;
  /** What a modern `subscriptions/listen` asks for: the part that is honoured, and the notifications from then on. */
  readonly subscribe: (
    filter: JsonObject,
    caller: Caller,
    tell: (notification: Notification) => void,
  ) => Subscription;
  /** For results that an edge writes itself. */
  readonly serverInfoOf: (caller: Caller) => JsonObject;
}

interface Initialized {
  readonly reply: Reply;
  /** `undefined` where the reply is an error. */
  readonly session?: Session;
}

export interface Subscription {
  /** The subset of the filter that will be delivered. */
  readonly honoured: JsonObject;
  readonly stop: () => void;
}

/** What a client says of itself beside the protocol: how names for it are chosen (GW-3). */
export interface CallerHints {
  /** Lower-case names; empty over stdio. */
  readonly headers: ReadonlyMap<string, string>;
  /** `/mcp/ID` or `?profile=ID`. */
  readonly profile: string | undefined;
  /** `?as=ALIAS`. */
  readonly as: string | undefined;
  /** Who it is, where that was proved. */
  readonly principal?: string | undefined;
  /** By what its share of the gateway is counted, where that is not who it is (SAFE-5). */
  readonly callerKey?: string | undefined;
  /** What the operator says of it. */
  readonly terms?: CallerTerms | undefined;
}

/** What a caller gets because of who it is. */
export interface CallerTerms {
  /** Comes after what the client asks for, and before the config (GW-3). */
  readonly profile: string | undefined;
  /** The name under which this client has registered the gateway. */
  readonly as: string | undefined;
  /** The only toolboxes it sees and calls; `undefined`: everything. */
  readonly toolboxes: readonly string[] | undefined;
}

interface SessionOpening {
  readonly hints: CallerHints;
  /** Reaches the client outside of any of its requests. */
  readonly channel: ClientChannel;
}

/** One request under way. */
export interface RequestContext {
  /** Aborted when the client cancels or goes away. */
  readonly signal: CancelSignal;
  /** Sends a notification that belongs to this request: progress with the client's token, log messages. */
  readonly notify: (notification: Notification) => void;
  /** Asks the client something on behalf of this request; `undefined` for modern clients, which are asked by result. */
  readonly sendRequest: ((serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>) | undefined;
  /** Lower-case request headers, for `Mcp-Param-…`; `undefined` over stdio. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Where requests are traced. */
  readonly span?: Span | undefined;
}
