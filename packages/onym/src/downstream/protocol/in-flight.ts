// Which caller a server request or log message can be meant for: the callers whose requests the server works
// on (SAFE-6).

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/cancel-signal.js";
import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, type Trouble, withTrouble } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Clock } from "../../model/clock.js";
import type { DownstreamRequest, RequestOrigin, UnsolicitedReceiver } from "../downstream.js";
import { unanswered } from "./format-request.js";

export type Addressee =
  /** The server works on no request. */
  | { readonly kind: "nobody"; readonly receiver: UnsolicitedReceiver }
  | { readonly kind: "one"; readonly request: DownstreamRequest }
  /** Several callers wait: it is unknown which one the server means, and Onym does not guess. */
  | { readonly kind: "several" }
  /** Its caller has cancelled, disconnected or timed out. */
  | { readonly kind: "abandoned" };

/** Which caller may see something that belongs to no known request. */
export function unsolicitedReceiver(addressee: Addressee | undefined): UnsolicitedReceiver {
  return addressee?.kind === "nobody" ? addressee.receiver : "nobody";
}

/** Requests whose callers gave up, while the server may still work on them. */
export interface AbandonedRequests {
  readonly add: (requestId: number, request: DownstreamRequest) => void;
  /** The server answered it after all. */
  readonly answered: (requestId: number) => void;
  /** The callers of these requests. */
  readonly callers: () => ReadonlySet<string>;
}

/**
 * How long an abandoned request counts if it is never answered: most servers do not answer cancelled
 * requests. Until then, a server request that may concern it is refused.
 */
const ABANDONED_MS = 10 * 60_000;
/** Beyond this, they are remembered together, as requests of an unknown caller. */
const MAX_ABANDONED = 1_000;
const SOMEBODY = "";

export function createAbandonedRequests(clock: Pick<Clock, "now">): AbandonedRequests {
  const requests = new Map<number, { readonly caller: string; readonly until: number }>();
  const forget = (): void => {
    const now = clock.now();
    // In the order of abandonment, so the first that still counts ends the loop.
    for (const [requestId, { until }] of requests) {
      if (until > now) return;
      requests.delete(requestId);
    }
  };
  return {
    add(requestId, request) {
      if (isOwnRequest(request)) return;
      forget();
      const isFull = requests.size >= MAX_ABANDONED;
      // Under one number, moved to the end again.
      if (isFull) requests.delete(0);
      requests.set(isFull ? 0 : requestId, {
        caller: isFull ? SOMEBODY : request.origin.id,
        until: clock.now() + ABANDONED_MS,
      });
    },
    answered: (requestId) => void requests.delete(requestId),
    callers() {
      forget();
      return new Set([...requests.values()].map(({ caller }) => caller));
    },
  };
}

/** Tracks whether only one caller has used a connection so far. */
export class ConnectionUse {
  #receiver: UnsolicitedReceiver = "anybody";
  #last: string | undefined;

  note({ origin }: DownstreamRequest): void {
    if (this.#last === origin.id || origin === OWN_ORIGIN) return;
    this.#receiver = this.#last === undefined ? { caller: origin.id } : "nobody";
    this.#last = origin.id;
  }

  get receiver(): UnsolicitedReceiver {
    return this.#receiver;
  }
}

export interface InFlight {
  /** Returns the ticket for `remove` and `abandon`. */
  readonly add: (request: DownstreamRequest) => number;
  /** The request was answered. */
  readonly remove: (ticket: number) => void;
  /** Its caller gave up, and the server may still work on it. */
  readonly abandon: (ticket: number, request: DownstreamRequest) => void;
  readonly addressee: () => Addressee;
}

export function createInFlight(clock: Pick<Clock, "now">): InFlight {
  const waiting = createTickets<DownstreamRequest>();
  const abandoned = createAbandonedRequests(clock);
  const use = new ConnectionUse();
  return {
    add(request) {
      use.note(request);
      return waiting.take(request);
    },
    remove: waiting.drop,
    abandon(ticket, request) {
      waiting.drop(ticket);
      abandoned.add(ticket, request);
    },
    addressee: () =>
      findAddressee(waiting.values(), { abandoned: abandoned.callers(), receiver: use.receiver }),
  };
}

/**
 * The newest request of the only waiting caller, preferably one whose client can be asked. Onym's own
 * requests do not count. Rarely called, while requests start and end constantly, so the work is done here.
 */
export function findAddressee(
  asks: readonly DownstreamRequest[],
  past: { readonly abandoned: ReadonlySet<string>; readonly receiver: UnsolicitedReceiver },
): Addressee {
  const newestFirst = asks.filter((request) => !isOwnRequest(request)).reverse();
  const [newest] = newestFirst;
  if (newest === undefined)
    return past.abandoned.size > 0 ? { kind: "abandoned" } : { kind: "nobody", receiver: past.receiver };
  const callers = new Set([...newestFirst.map(({ origin }) => origin.id), ...past.abandoned]);
  if (callers.size > 1) return { kind: "several" };
  return {
    kind: "one",
    request: newestFirst.find(({ origin }) => origin.sendRequest !== undefined) ?? newest,
  };
}

// One reply to one request, whichever comes first: the server's response, the deadline, the caller's
// cancellation.

/** Only the first call counts. */
export type Finish = (reply: Reply) => void;

/** Starts the request. Returns the function that abandons it, which is not called after `finish`. */
export type BeginRequest = (finish: Finish) => (why: string) => void;

/** A request that cannot be serialized is not sent. */
export function unwritable(error: unknown): Reply {
  return withTrouble(
    errorReply(CODES.invalidParams, `The request cannot be sent: ${String(error)}`),
    UNKNOWN,
  );
}

const UNKNOWN: Trouble = { kind: "unknown" };

/** `onEnd` is called once, whatever the result. */
export function answerOnce(
  ask: Bounds,
  label: string,
  begin: BeginRequest,
  onEnd?: () => void,
): Promise<Reply> {
  if (ask.signal.aborted) {
    onEnd?.();
    return Promise.resolve(withTrouble(errorReply(CODES.internal, "The request was cancelled"), UNKNOWN));
  }
  return new Promise((resolve) => {
    const waiting = new Waiting(ask, label, resolve, onEnd);
    waiting.begin(begin);
  });
}

type Bounds = Pick<DownstreamRequest, "signal" | "timeoutMs" | "method">;

/** A class, because one is created for every call. */
class Waiting {
  readonly #ask: Bounds;
  readonly #label: string;
  readonly #resolve: (reply: Reply) => void;
  readonly #onEnd: (() => void) | undefined;
  #isDone = false;
  #giveUp: ((why: string) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ask: Bounds, label: string, resolve: (reply: Reply) => void, onEnd: (() => void) | undefined) {
    this.#ask = ask;
    this.#label = label;
    this.#resolve = resolve;
    this.#onEnd = onEnd;
  }

  begin(begin: BeginRequest): void {
    const { signal, timeoutMs } = this.#ask;
    signal.addEventListener("abort", this.#cancel, { once: true });
    try {
      this.#giveUp = begin(this.#finish);
    } catch (error) {
      this.#finish(unwritable(error));
      return;
    }
    if (!this.#isDone && Number.isFinite(timeoutMs))
      this.#timer = startDeadline(timeoutMs, () => this.#expire());
  }

  readonly #finish = (reply: Reply): void => {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#onEnd?.();
    clearTimeout(this.#timer);
    this.#ask.signal.removeEventListener("abort", this.#cancel);
    this.#resolve(reply);
  };

  readonly #cancel = (): void =>
    this.#abandon(
      "the client cancelled",
      withTrouble(unanswered(this.#ask, "The request was cancelled"), UNKNOWN),
    );

  #expire(): void {
    const { method, timeoutMs } = this.#ask;
    const text = `${this.#label} did not answer ${method} within ${timeoutMs} ms`;
    const what = `no answer within ${timeoutMs} ms`;
    this.#abandon(
      "the deadline has passed",
      withTrouble(unanswered(this.#ask, text), { kind: "failed", what }),
    );
  }

  #abandon(why: string, reply: Reply): void {
    if (this.#isDone) return;
    this.#finish(reply);
    this.#giveUp?.(why);
  }
}

/** Beyond it, `setTimeout` fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer for a request's deadline. It does not keep the process alive. */
export function startDeadline(ms: number, expire: () => void): NodeJS.Timeout {
  return setTimeout(expire, Math.min(ms, MAX_TIMER_MS)).unref();
}

// Requests that Onym makes for itself: handshakes and lists. They belong to no caller.

/** Onym itself. */
export const OWN_ORIGIN: RequestOrigin = {
  id: "onym",
  callerKey: "onym",
  capabilities: {},
  logLevel: undefined,
  wantsProgress: false,
  notify: () => {},
  sendRequest: undefined,
};

/** A signal that never aborts. */
export const NEVER = createCancelSource().signal;

export function buildOwnRequest(
  method: string,
  params: JsonObject,
  bounds: { readonly timeoutMs?: number; readonly signal?: CancelSignal } = {},
): DownstreamRequest {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal = NEVER } = bounds;
  return { method, params, origin: OWN_ORIGIN, signal, timeoutMs };
}

export function isOwnRequest(request: DownstreamRequest): boolean {
  return request.origin === OWN_ORIGIN;
}
