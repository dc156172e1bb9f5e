// What the gateway knows of a downstream: its state, what it offers, and how to ask it. No transport is visible here.

import type { CancelSignal } from "../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../mcp/json.js";
import type { RpcNotification, ValueText } from "../mcp/message.js";
import type { Era, LogLevel } from "../mcp/protocol.js";
import type { Reply } from "../mcp/reply.js";
import type { Launch } from "../model/launch.js";
import type { Unhealthy } from "./health.js";

/** The identity of a downstream: the operator's key, and its toolbox (BOX-7). */
export interface DownstreamId {
  readonly server: string;
  readonly toolbox: string | undefined;
}

/** One configured downstream. Connecting is its own business; it never rejects and never throws. */
export interface Downstream {
  readonly id: DownstreamId;
  readonly launch: Launch;
  readonly status: DownstreamStatus;
  /** What it offered when it was last up; `undefined` before that. Kept while it is down. */
  readonly inventory: Inventory | undefined;
  /** Since when it is not up, and why it was last not to be had; `undefined` while it is up, and before the first failure. */
  readonly down: Down | undefined;
  /** Tries now, where it is down and waits for its next attempt: somebody has seen to it. */
  readonly resume: () => void;
  /** Connects, and goes on trying with backoff until closed. Does nothing when already started. */
  readonly start: () => void;
  /** Resolves when the first attempt has come to something: ready or failed. Never rejects. */
  readonly settled: Promise<void>;
  /** The era a request of a caller of that era will be spoken in; the same where the downstream speaks both. */
  readonly eraFor: (caller: Era) => Era;
  /** Asks, and answers in every case: a downstream that is down or dies answers with an error. */
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  /** Sends a notification, where it is up; else nothing. */
  readonly notify: (method: string, params?: JsonObject) => void;
  /** Waits for requests under way up to `drainMs`, then ends the connection and every process it began. Idempotent. */
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
  /** `attempt` counts since it was last up: 0 has just fallen, 1 is the first try. */
  | { readonly kind: "starting"; readonly attempt: number }
  /** `unhealthy`: it is connected, its last requests failed, and calls are refused until one is let through to try it. */
  | {
      readonly kind: "ready";
      readonly era: Era;
      readonly revision: string;
      readonly unhealthy?: Unhealthy | undefined;
    }
  /** `reason` is for people: no secrets, escaped, one line. `retryAt` in ms since 1970; infinite where nothing is tried. */
  | {
      readonly kind: "failed";
      readonly attempt: number;
      readonly reason: string;
      readonly hint: string;
      readonly retryAt: number;
    }
  | { readonly kind: "closed" };

/** What a downstream offers, as it sent it: every field of every entry is kept. */
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
  /** What was left out and why: entries without a name, pages beyond the limit. One line each. */
  readonly problems: readonly string[];
}

/** A request on behalf of a caller. */
export interface DownstreamRequest {
  readonly method: string;
  /** As the caller sent them, with the downstream's own names in them. No progress token, no envelope: see `Asker`. */
  readonly params: JsonObject;
  /** The `arguments` among them as they came. */
  readonly argumentsText?: ValueText | undefined;
  readonly origin: RequestOrigin;
  /** Aborted when the caller cancels; the downstream is told. */
  readonly signal: CancelSignal;
  /** Gives up after so long, tells the downstream, and answers with an error. */
  readonly timeoutMs: number;
  /** Headers that a modern HTTP downstream wants beside the body: `Mcp-Param-…`. Values are encoded already. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

/** Who asks. Two requests with one `id` come from one client; answers and notifications never cross from one id to another. */
export interface RequestOrigin {
  readonly id: string;
  /** By what its share of the server is counted: all clients of one caller take turns as one (SAFE-5). */
  readonly callerKey: string;
  /** What the client declared. A question it cannot answer is answered for it with an error. */
  readonly capabilities: JsonObject;
  readonly logLevel: LogLevel | undefined;
  /** Progress of this request is wanted. */
  readonly wantsProgress: boolean;
  /** A notification that belongs to this request: progress (without token), log messages. */
  readonly notify: (notification: Notification) => void;
  /**
   * Puts a question of the downstream to the client: sampling, elicitation, roots.
   * `undefined`: the client is modern and is asked by the result (`input_required`), which is then passed on.
   */
  readonly sendRequest: ((serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>) | undefined;
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
 * Who may be asked or told what belongs to no request: the caller that made every request on the connection so far,
 * `anybody` before the first one, `nobody` where it may be about somebody else's (SAFE-6).
 */
export type UnsolicitedReceiver = { readonly caller: string } | "anybody" | "nobody";

/** What a downstream tells the gateway beside answers. */
export interface DownstreamEvents {
  /** The status changed. */
  readonly onStatus: (downstream: Downstream) => void;
  /** What it offers changed: after the first connection, and after a real change. */
  readonly onInventory: (downstream: Downstream) => void;
  /** A notification that belongs to no request: `notifications/resources/updated`, log messages. */
  readonly onNotification: (
    downstream: Downstream,
    notification: RpcNotification,
    receiver: UnsolicitedReceiver,
  ) => void;
  /** A question outside any request, such as `roots/list` after the handshake. */
  readonly onServerRequest: (
    downstream: Downstream,
    serverRequest: ServerRequest,
    signal: AbortSignal,
    receiver: UnsolicitedReceiver,
  ) => Promise<Reply>;
}

/** Bounds on what a downstream may do. */
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
  /** Requests in flight at once; as many again wait for their turn. */
  readonly pending: number;
}
