// The gateway's interface to a server: its status, its inventory, and requests to it. Hides the transport.

import type { CancelSignal } from "../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../mcp/json.js";
import type { Reply, RpcNotification, ValueText } from "../mcp/message.js";
import type { Era, LogLevel } from "../mcp/protocol.js";
import type { Launch } from "../model/launch.js";
import type { ListProblem } from "../model/list-problem.js";

/** The identity of a server: the operator's key, and its toolbox (BOX-7). */
export interface DownstreamId {
  readonly server: string;
  readonly toolbox: string | undefined;
}

/** One configured server. It manages its own connection; it never rejects and never throws. */
export interface Downstream {
  readonly id: DownstreamId;
  readonly launch: Launch;
  /** Of its launch; approvals are bound to it. */
  readonly fingerprint: string;
  readonly status: DownstreamStatus;
  /** Its last inventory; `undefined` before the first. Kept while it is down. */
  readonly inventory: Inventory | undefined;
  /** Since when it is down, and the last reason; `undefined` while it is up, and before the first failure. */
  readonly down: Down | undefined;
  /** Retries now if it is down and waiting: the problem may be fixed. */
  readonly resume: () => void;
  /** Connects, and retries with backoff until closed. Does nothing when already started. */
  readonly start: () => void;
  /** Resolves when the first attempt ended: ready or failed. Never rejects. */
  readonly firstAttempt: Promise<void>;
  /** The era used for a request of a caller of that era; the same if the server speaks both. */
  readonly eraFor: (caller: Era) => Era;
  /** Sends a request and always resolves to a reply: a server that is down or dies gives an error. */
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  /** Sends a notification if the server is up. */
  readonly notify: (method: string, params?: JsonObject) => void;
  /**
   * Waits for requests in flight up to `drainMs`, then ends the connection and every process it started.
   * Idempotent.
   */
  readonly close: (drainMs?: number) => Promise<void>;
}

/** `reason` and `hint` are for people: no secrets, escaped, one line. */
export interface Down {
  /** ms since 1970. */
  readonly since: number;
  readonly reason: string;
  readonly hint: string;
}

export type DownstreamStatus =
  | { readonly kind: "idle" }
  /** `attempt` counts since it was last up: 0 has just lost its connection, 1 is the first retry. */
  | { readonly kind: "starting"; readonly attempt: number }
  /**
   * `unhealthy`: it is connected, its last requests failed, and calls are refused until a probe is let
   * through.
   */
  | {
      readonly kind: "ready";
      readonly era: Era;
      readonly revision: string;
      readonly unhealthy?: Unhealthy | undefined;
    }
  /**
   * `reason` is for people: no secrets, escaped, one line. `retryAt` in ms since 1970; infinite if there is
   * no retry.
   */
  | {
      readonly kind: "failed";
      readonly attempt: number;
      readonly reason: string;
      readonly hint: string;
      readonly retryAt: number;
      /** Only a sign-in by the user helps. */
      readonly needsSignIn?: true;
    }
  | { readonly kind: "closed" };

/** What a server offers, as it sent it: every field of every entry is kept. */
export interface Inventory {
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  /** Each an object with a string `name`. */
  readonly tools: readonly JsonObject[];
  /** Each an object with a string `uri`. */
  readonly resources: readonly JsonObject[];
  /** Each an object with a string `uriTemplate`. */
  readonly templates: readonly JsonObject[];
  /** Each an object with a string `name`. */
  readonly prompts: readonly JsonObject[];
  /** What is missing and why: entries without a name, pages beyond the limit, lists that failed. */
  readonly problems: readonly ListProblem[];
}

/** A request on behalf of a caller. */
export interface DownstreamRequest {
  readonly method: string;
  /**
   * As the caller sent them, with the server's own names. No progress token, no envelope: see
   * `RequestOrigin`.
   */
  readonly params: JsonObject;
  /** The raw JSON of `arguments`. */
  readonly argumentsText?: ValueText | undefined;
  readonly origin: RequestOrigin;
  /** Called when it is about to be sent, after it waited for its turn: the reply if it may no longer be. */
  readonly refuse?: (() => Reply | undefined) | undefined;
  /** Aborted when the caller cancels; the server is notified. */
  readonly signal: CancelSignal;
  /** Gives up after this long, notifies the server, and resolves to an error. */
  readonly timeoutMs: number;
  /** Headers that a modern HTTP server wants beside the body: `Mcp-Param-…`. Values are already encoded. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Where it counts at its server, once it is sent. Absent for what waits for no turn. */
  readonly place?: RequestPlace | undefined;
}

/** A request counts for its caller and its server until it is answered, even if its caller gave up (SAFE-6). */
export interface RequestPlace {
  /** Its caller gave up, or its time is over; the server may still work on it. */
  giveUp(): void;
  /** The server answered after that. */
  answerLate(): void;
}

/**
 * The client behind a request. Requests with the same `id` come from one client; replies and notifications
 * never cross ids.
 */
export interface RequestOrigin {
  readonly id: string;
  /** The quota key: all clients of one caller take turns as one (SAFE-5). */
  readonly callerKey: string;
  /** The client's declared capabilities. A server request that it cannot answer gets an error instead. */
  readonly capabilities: JsonObject;
  readonly logLevel: LogLevel | undefined;
  /** The client wants progress for this request. */
  readonly wantsProgress: boolean;
  /** A notification that belongs to this request: progress (without token), log messages. */
  readonly notify: (notification: Notification) => void;
  /**
   * Sends a server request to the client: sampling, elicitation, roots. `undefined`: the client is modern and
   * gets an `input_required` result instead (`callerEra`).
   */
  readonly sendRequest: ((serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>) | undefined;
  /** Whether a policy denies the request by now: then no further request is sent for it. */
  readonly isDenied?: () => boolean;
}

export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
}

export interface ServerRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Which client gets what belongs to no request: the caller that made every request on the connection so far,
 * `anybody` before the first request, `nobody` if it may concern another caller (SAFE-6).
 */
export type UnsolicitedReceiver = { readonly caller: string } | "anybody" | "nobody";

/** What a server sends beside replies. */
export interface DownstreamEvents {
  /** The status changed. */
  readonly onStatus: (downstream: Downstream) => void;
  /** The inventory changed: after the first connection, and after a real change. */
  readonly onInventory: (downstream: Downstream) => void;
  /** A notification that belongs to no request: `notifications/resources/updated`, log messages. */
  readonly onNotification: (
    downstream: Downstream,
    notification: RpcNotification,
    receiver: UnsolicitedReceiver,
  ) => void;
  /** A server request outside any client request, such as `roots/list` after the handshake. */
  readonly onServerRequest: (
    downstream: Downstream,
    serverRequest: ServerRequest,
    signal: AbortSignal,
    receiver: UnsolicitedReceiver,
  ) => Promise<Reply>;
}

/** Limits for a server. */
export interface DownstreamLimits {
  /** From start to ready. */
  readonly startMs: number;
  /** Bytes of one message. */
  readonly frameBytes: number;
  /** Entries of one list, over all pages. */
  readonly listEntries: number;
  /** Bytes of one entry of a list, as JSON. */
  readonly entryBytes: number;
  /** Bytes of one list, over all pages. */
  readonly listBytes: number;
  /** Bytes of all its lists together. */
  readonly serverBytes: number;
  /** Maximum requests in flight; as many again may wait. */
  readonly pending: number;
}

/** Connected, but not used for now. */
export interface Unhealthy {
  /** When the first of these requests failed; ms since 1970. */
  readonly since: number;
  /** How the last request failed, for people: `HTTP 500`. */
  readonly reason: string;
  /** Consecutive failed requests. */
  readonly failures: number;
  readonly retryAt: number;
}
