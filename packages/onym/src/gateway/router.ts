// The gateway's interface for its edges: HTTP and stdio turn bytes into these calls and replies into bytes.
// An edge knows transports, eras and sessions; it knows nothing of tools.

import type { Notification, ServerRequest } from "../downstream/downstream.js";
import type { CancelSignal } from "../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../mcp/json.js";
import type { Reply, RpcRequest, ValueText } from "../mcp/message.js";
import type { CallerTerms } from "../model/auth-settings.js";
import type { Span } from "../telemetry/span.js";
import type { Caller, ClientChannel, Session } from "./caller.js";
import type { Observation } from "./observe/observation.js";
import type { HeldRequest } from "./sessions/edge-callers.js";

export interface Router {
  /**
   * Answers `initialize` of revisions up to 2025-11-25 and opens the session. Waits briefly for servers that
   * are starting, because instructions are sent only here.
   */
  readonly initialize: (request: RpcRequest, opening: SessionOpening) => Promise<Initialized>;
  /** The client left, or its session expired. Releases everything the session held open. */
  readonly closeSession: (session: Session) => void;
  /** The caller of a modern request. The envelope in `params._meta` is already checked. */
  readonly identifyCaller: (request: RpcRequest, hints: CallerHints) => Caller;
  /**
   * Answers any request except `initialize` and `subscriptions/listen`. Never rejects; an aborted request may
   * get a late reply. Methods of the other era get "method not found".
   */
  readonly handle: (request: RpcRequest, caller: Caller, requestContext: RequestContext) => Promise<Reply>;
  /**
   * Handles a notification from a client with a session (`initialized`, `roots/list_changed`); ignores
   * others.
   */
  readonly handleNotification: (notification: Notification, session: Session) => void;
  /** How many more resources a caller may follow. */
  readonly roomToFollow: (hints: CallerHints) => number;
  /**
   * Starts a modern `subscriptions/listen`: returns the part of the filter that is honoured, and sends
   * notifications from then on.
   */
  readonly subscribe: (
    filter: JsonObject,
    caller: Caller,
    notify: (notification: Notification) => void,
  ) => Subscription;
  /** For results that an edge writes itself. */
  readonly serverInfoOf: (caller: Caller) => JsonObject;
}

interface Initialized {
  readonly reply: Reply;
  /** `undefined` if the reply is an error. */
  readonly session?: Session;
}

export interface Subscription {
  /** The part of the filter that will be delivered. */
  readonly honoured: JsonObject;
  readonly stop: () => void;
}

/** What a client states beside the protocol. It decides which names the client gets (GW-3). */
export interface CallerHints {
  /** Lower-case names; empty over stdio. */
  readonly headers: ReadonlyMap<string, string>;
  /** `/mcp/ID` or `?profile=ID`. */
  readonly profile: string | undefined;
  /** `?as=ALIAS`. */
  readonly as: string | undefined;
  /** The authenticated identity, if any. */
  readonly principal?: string | undefined;
  /** Nothing proves who it is: it came over HTTP, without authentication. */
  readonly isAnonymous?: boolean | undefined;
  /** The quota key, if it differs from the identity (SAFE-5). */
  readonly callerKey?: string | undefined;
  /** What the operator configured for this caller. */
  readonly terms?: CallerTerms | undefined;
}

interface SessionOpening {
  readonly hints: CallerHints;
  /** Reaches the client outside of its requests. */
  readonly channel: ClientChannel;
}

/** One request in flight. */
export interface RequestContext {
  /** Aborted when the client cancels or disconnects. */
  readonly signal: CancelSignal;
  /** Sends a notification that belongs to this request: progress with the client's token, log messages. */
  readonly notify: (notification: Notification) => void;
  /**
   * Sends a request to the client on behalf of this request; `undefined` for modern clients, which are asked
   * by result.
   */
  readonly sendRequest: ((serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>) | undefined;
  /**
   * Calls `end` once the caller is no longer admitted, for what goes on after the reply. Returns what stops that. `undefined`
   * where it ends with its session, or nobody is authenticated.
   */
  readonly whileAdmitted: ((end: () => void) => () => void) | undefined;
  /** Lower-case request headers, for `Mcp-Param-…`; `undefined` over stdio. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The bytes of the request, for whoever keeps its params after the reply; `undefined` over stdio. */
  readonly held: HeldRequest | undefined;
  /** `undefined` if requests are not traced. */
  readonly span: Span | undefined;
  /** Collects the outcome of the request, from where the router takes it. */
  readonly observed: Observation | undefined;
}

/** A request on its way to the handler of its method. */
export interface RoutedRequest {
  /** When it arrived, in `ForwardPorts.epoch`. */
  readonly epoch: number;
  readonly method: string;
  readonly params: JsonObject;
  /** The raw JSON of `arguments`. */
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
}
