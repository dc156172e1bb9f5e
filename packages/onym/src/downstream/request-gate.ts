// What a request passes before it is sent: its caller's turn (SAFE-5), then the server's health. Counts
// unanswered requests, so that a server can be closed once it is idle.

import { errorReply, type Reply, type Trouble, withTrouble } from "../mcp/message.js";
import { CODES } from "../mcp/protocol.js";
import { type Clock, formatDuration } from "../model/clock.js";
import { backoffMs } from "./backoff.js";
import type { Connection } from "./connection.js";
import type { DownstreamId, DownstreamRequest, Unhealthy } from "./downstream.js";
import { explainUnhealthy } from "./explain-down.js";
import { bytesOf, RETRY_MS, sizeOf, Turn } from "./waiting-turn.js";

export interface RequestGateOptions {
  readonly id: DownstreamId;
  readonly label: string;
  /** Maximum requests in flight; as many again may wait. */
  readonly limit: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onHealth: HealthOptions["onChange"];
  /** The current connection. */
  readonly connection: () => Connection | undefined;
  /** The reply without a connection. */
  readonly explainDown: () => Reply;
}

export class RequestGate {
  readonly #options: RequestGateOptions;
  readonly #queue: FairQueue;
  readonly #health: Health;
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: RequestGateOptions) {
    const { label, limit, clock, random, onHealth } = options;
    this.#options = options;
    this.#queue = createFairQueue({ label, limit, isFull: this.#isFull });
    this.#health = createHealth({ clock, random, onChange: onHealth });
  }

  /** Sends now, or when it is its caller's turn. */
  send(request: DownstreamRequest): Promise<Reply> {
    // Whether it is healthy again cannot be tried before it reads.
    if (this.#isFull() && this.#health.isClosedTo(request.origin.callerKey))
      return Promise.resolve(this.#refuse());
    return this.#queue.run(request, () => this.#sendNow(request));
  }

  /** The connection takes more input: what waited for that is sent. */
  resume(): void {
    this.#queue.resume();
  }

  readonly #isFull = (): boolean => this.#options.connection()?.isFull?.() === true;

  /** A new connection counts as healthy. */
  resetHealth(): void {
    this.#health.reset();
  }

  /** Resolves when everything is answered, or after `ms`. */
  untilIdle(ms: number): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(ms, resolve);
      this.#onIdle = () => {
        stop();
        resolve();
      };
    });
  }

  #sendNow(request: DownstreamRequest): Promise<Reply> {
    // Since the request was queued, it may have been denied, or the connection lost.
    const refusal = request.refuse?.();
    const connection = refusal === undefined ? this.#options.connection() : undefined;
    const admitted = connection === undefined ? undefined : this.#health.admit(request.origin.callerKey);
    const reply =
      connection === undefined || admitted === undefined
        ? Promise.resolve(refusal ?? this.#refuse())
        : connection.send(request);
    this.#running += 1;
    const finish = (): void => {
      // Start the next one first: as long as there is one, the server is not idle.
      this.#queue.done();
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    };
    reply.then((answer) => {
      finish();
      if (admitted !== undefined) this.#health.note(admitted, answer);
    }, finish);
    return reply;
  }

  #refuse(): Reply {
    const { id, label, clock, explainDown } = this.#options;
    const { unhealthy } = this.#health;
    return unhealthy === undefined ? explainDown() : explainUnhealthy(id, label, unhealthy, clock.now());
  }
}

// Whose request a server gets next (SAFE-5): a limited number is in flight, and nothing is sent while the server has much to read.
// Beyond that callers take turns, however many requests each of them has waiting.

interface FairQueue {
  /** Sends now, or when it is its caller's turn; refuses if too many wait. */
  readonly run: (request: DownstreamRequest, send: () => Promise<Reply>) => Promise<Reply>;
  /** Call once per sent request when it is answered: the next one is sent. */
  readonly done: () => void;
  /** Sends what may be sent now. */
  readonly resume: () => void;
}

interface FairQueueOptions {
  readonly label: string;
  /** Maximum requests in flight; as many again may wait. */
  readonly limit: number;
  /** The server has to read first. Call `resume` once it has. */
  readonly isFull: () => boolean;
}

/** A request with more bytes of arguments takes several turns: others send as much first. */
const TURN_BYTES = 65_536;
/** Bytes of arguments that one caller has waiting for one server, beside the first request. */
const MAX_WAITING_BYTES = 32 * 1_048_576;

export function createFairQueue({ label, limit, isFull }: FairQueueOptions): FairQueue {
  let inFlight = 0;
  let waiting = 0;
  /** Waiting requests by caller, in the order of their turns. */
  const queues = new Map<string, Set<Turn>>();
  /** By caller, the turns that it lets pass after a large request, as long as others wait. */
  const owed = new Map<string, number>();

  const refuse = (why: string, data: { readonly limit: string; readonly max: number }): Reply =>
    withTrouble(
      errorReply(CODES.internal, `${label} has ${why} was not sent`, { ...data, retryAfterMs: RETRY_MS }),
      {
        kind: "unknown",
      },
    );
  const refuseMany = (): Reply =>
    refuse(`${inFlight} requests in flight and ${waiting} waiting already; this one`, {
      limit: "pending",
      max: limit,
    });
  const refuseBytes = (): Reply =>
    refuse(`to read ${MAX_WAITING_BYTES} bytes of this caller's arguments first; this request`, {
      limit: "waitingBytes",
      max: MAX_WAITING_BYTES,
    });
  const start = (send: () => Promise<Reply>): Promise<Reply> => {
    inFlight += 1;
    return send();
  };
  const isOpen = (): boolean => inFlight < limit && !isFull();
  const resume = (): void => {
    while (queues.size > 0 && isOpen()) takeNext();
  };
  const takeNext = (): void => {
    for (const [caller, turns] of queues) {
      const [turn] = turns;
      // A caller with more requests goes to the end of the queue.
      queues.delete(caller);
      const debt = queues.size === 0 ? 0 : (owed.get(caller) ?? 0);
      if (turns.size > 1 || debt > 0) queues.set(caller, turns);
      owed.set(caller, debt > 0 ? debt - 1 : turnsOf(turn));
      if (debt > 0) continue;
      turn?.take(start);
      break;
    }
    if (queues.size === 0) owed.clear();
  };
  const done = (): void => {
    inFlight -= 1;
    resume();
  };
  const leave = (turn: Turn): void => {
    const turns = queues.get(turn.caller) ?? turn.queue;
    turns.delete(turn);
    waiting -= 1;
    if (turns.size === 0 && queues.get(turn.caller) === turns) queues.delete(turn.caller);
  };
  /**
   * Evicts the newest request of the caller with the most waiting, if that caller has more than the new one.
   */
  const evictFor = (own: number): boolean => {
    let largest: Set<Turn> | undefined;
    for (const turns of queues.values()) if (turns.size > (largest?.size ?? own + 1)) largest = turns;
    const newest = largest === undefined ? undefined : [...largest].at(-1);
    newest?.end(refuseMany());
    return newest !== undefined;
  };

  return {
    done,
    resume,
    run(request, send) {
      if (isOpen()) return start(send);
      const { callerKey } = request.origin;
      const own = queues.get(callerKey);
      if (own !== undefined && bytesOf(own) + sizeOf(request) > MAX_WAITING_BYTES)
        return Promise.resolve(refuseBytes());
      if (waiting >= limit && !evictFor(own?.size ?? 0)) return Promise.resolve(refuseMany());
      if (request.signal.aborted) return start(send);
      return new Promise((resolve) => {
        const queue = queues.get(callerKey) ?? new Set<Turn>();
        queues.set(callerKey, queue);
        waiting += 1;
        const turn = new Turn({ request, label, queue, send, resolve, leave });
        queue.add(turn);
      });
    },
  };
}

/** The turns that a request takes beside its own. */
function turnsOf(turn: Turn | undefined): number {
  return turn === undefined ? 0 : Math.floor(sizeOf(turn.request) / TURN_BYTES);
}

// The health of a connected server, judged by its replies to calls: a circuit breaker (SAFE-5, decision
// 0057).

/** An admitted request, until its result is noted. */
interface Admitted {
  readonly at: number;
  readonly isProbe: boolean;
  readonly callerKey: string;
}

export interface Health {
  readonly unhealthy: Unhealthy | undefined;
  /** Requests of this caller are refused, but for one now and then that tries. */
  readonly isClosedTo: (callerKey: string) => boolean;
  /**
   * `undefined`: do not send to the server now. Failures of one caller may be its own doing, so they never close
   * the server to others. Note each admitted request once.
   */
  readonly admit: (callerKey: string) => Admitted | undefined;
  readonly note: (admitted: Admitted, reply: Reply) => void;
  /** It reconnected, and nothing is known. */
  readonly reset: () => void;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** It became unhealthy, failed again, or recovered. */
  readonly onChange: (before: Unhealthy | undefined, now: Unhealthy | undefined) => void;
}

/**
 * Consecutive failures of one caller before its requests are refused. Everybody's are refused after as many failures of
 * callers other than the one that failed most.
 */
export const MAX_FAILURES = 5;
/**
 * A request that its caller abandoned counts as failed after this long: clients are less patient than Onym.
 */
const GIVEN_UP_MS = 30_000;
/** A slower probe may be a long call, so another is let through beside it. */
const PROBE_MS = 30_000;
/** The first wait is four seconds, then doubled each time, up to a minute. */
const FIRST_STEP = 2;

export function createHealth({ clock, random, onChange }: HealthOptions): Health {
  let failures = 0;
  let firstAt = 0;
  /** By caller; no longer counted once the server is closed to all, so the map stays small. */
  const failuresBy = new Map<string, number>();
  let isClosedToAll = false;
  /** Failed probes so far. */
  let retries = 0;
  let unhealthy: Unhealthy | undefined;
  let probe: Admitted | undefined;

  const set = (next: Unhealthy | undefined): void => {
    const before = unhealthy;
    unhealthy = next;
    onChange(before, next);
  };
  const forget = (): void => {
    failures = 0;
    failuresBy.clear();
    isClosedToAll = false;
    retries = 0;
    probe = undefined;
  };
  const recover = (): void => {
    forget();
    if (unhealthy !== undefined) set(undefined);
  };
  const isClosedTo = (callerKey: string): boolean =>
    isClosedToAll || (failuresBy.get(callerKey) ?? 0) >= MAX_FAILURES;
  const count = (callerKey: string): void => {
    failures += 1;
    if (isClosedToAll) return;
    failuresBy.set(callerKey, (failuresBy.get(callerKey) ?? 0) + 1);
    const counts = [...failuresBy.values()];
    const all = counts.reduce((sum, each) => sum + each, 0);
    isClosedToAll = all - Math.max(...counts) >= MAX_FAILURES;
  };
  const fail = (callerKey: string, what: string, retryAfterMs = 0): void => {
    const now = clock.now();
    if (failures === 0) firstAt = now;
    count(callerKey);
    if (!isClosedTo(callerKey)) return;
    retries += 1;
    const wait = Math.max(backoffMs(retries + FIRST_STEP, random()), retryAfterMs);
    set({ since: firstAt, reason: what, failures, retryAt: now + wait });
  };

  return {
    get unhealthy() {
      return unhealthy;
    },
    isClosedTo,
    admit: (callerKey) => {
      const at = clock.now();
      if (unhealthy === undefined || !isClosedTo(callerKey)) return { at, isProbe: false, callerKey };
      if (at < unhealthy.retryAt || (probe !== undefined && at < probe.at + PROBE_MS)) return undefined;
      probe = { at, isProbe: true, callerKey };
      return probe;
    },
    note: (admitted, reply) => {
      if (admitted === probe) probe = undefined;
      const trouble = reply.kind === "error" ? reply.trouble : undefined;
      if (trouble === undefined) {
        if (failures > 0) recover();
        return;
      }
      const failure = failureOf(trouble, clock.now() - admitted.at);
      if (failure === undefined) return;
      const { callerKey, isProbe } = admitted;
      // Requests sent before it became unhealthy add no information.
      if (unhealthy !== undefined && !isProbe && isClosedTo(callerKey)) return;
      fail(callerKey, failure.what, failure.retryAfterMs);
    },
    reset: () => {
      forget();
      unhealthy = undefined;
    },
  };
}

function failureOf(trouble: Trouble, ms: number): Extract<Trouble, { readonly kind: "failed" }> | undefined {
  if (trouble.kind === "failed") return trouble;
  return ms < GIVEN_UP_MS ? undefined : { kind: "failed", what: `no answer within ${formatDuration(ms)}` };
}
