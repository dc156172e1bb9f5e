// Whose request a server gets next (SAFE-5): so many are in flight at once, and beyond that callers take turns, however many
// requests each of them has waiting.

import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, withTrouble } from "../../mcp/reply.js";
import type { DownstreamRequest } from "../downstream.js";
import { addDeadline, Deadline, dropDeadline } from "./deadlines.js";

export interface FairQueue {
  /** Sends now, or when it is the turn of its caller; or refuses where too many wait. */
  readonly run: (request: DownstreamRequest, send: () => Promise<Reply>) => Promise<Reply>;
  /** To be called once for each that was sent, when it is answered: the next one is sent. */
  readonly done: () => void;
}

export interface FairQueueOptions {
  readonly label: string;
  /** Requests in flight at once, and as many again that wait. */
  readonly limit: number;
}

const RETRY_MS = 1_000;

export function createFairQueue({ label, limit }: FairQueueOptions): FairQueue {
  let inFlight = 0;
  let waiting = 0;
  /** Those who wait, by caller, in the order of their turns. */
  const queues = new Map<string, Set<Turn>>();

  const refuse = (): Reply =>
    withTrouble(
      errorReply(
        CODES.internal,
        `${label} has ${limit} requests in flight and ${waiting} waiting already; this one was not sent`,
        { limit: "pending", max: limit, retryAfterMs: RETRY_MS },
      ),
      { kind: "unknown" },
    );
  const start = (send: () => Promise<Reply>): Promise<Reply> => {
    inFlight += 1;
    return send();
  };
  const done = (): void => {
    inFlight -= 1;
    const [next] = queues;
    if (next === undefined || inFlight >= limit) return;
    const [caller, turns] = next;
    const [turn] = turns;
    // To the end of the round, where it has more.
    queues.delete(caller);
    if (turns.size > 1) queues.set(caller, turns);
    turn?.take(start);
  };
  const leave = (turn: Turn): void => {
    const turns = queues.get(turn.caller) ?? turn.queue;
    turns.delete(turn);
    waiting -= 1;
    if (turns.size === 0 && queues.get(turn.caller) === turns) queues.delete(turn.caller);
  };
  /** Of the caller that has most waiting, its newest: never one of a caller that has fewer than who comes. */
  const evictFor = (own: number): boolean => {
    let largest: Set<Turn> | undefined;
    for (const turns of queues.values()) if (turns.size > (largest?.size ?? own + 1)) largest = turns;
    const newest = largest === undefined ? undefined : [...largest].at(-1);
    newest?.end(refuse());
    return newest !== undefined;
  };

  return {
    done,
    run(request, send) {
      if (inFlight < limit) return start(send);
      const { callerKey } = request.origin;
      const own = queues.get(callerKey);
      if (waiting >= limit && !evictFor(own?.size ?? 0)) return Promise.resolve(refuse());
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

interface TurnOptions {
  readonly request: DownstreamRequest;
  readonly label: string;
  readonly queue: Set<Turn>;
  readonly send: () => Promise<Reply>;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
  readonly leave: (turn: Turn) => void;
}

/** One request that waits: until it is its turn, its caller gives up, or its time is over. */
class Turn extends Deadline {
  readonly #options: TurnOptions;

  constructor(options: TurnOptions) {
    super();
    this.#options = options;
    const { signal, timeoutMs } = options.request;
    signal.addEventListener("abort", this.#cancel, { once: true });
    if (Number.isFinite(timeoutMs)) addDeadline(this, timeoutMs);
  }

  get caller(): string {
    return this.#options.request.origin.callerKey;
  }

  get queue(): Set<Turn> {
    return this.#options.queue;
  }

  take(start: (send: () => Promise<Reply>) => Promise<Reply>): void {
    this.#leave();
    this.#options.resolve(start(this.#options.send));
  }

  /** It is not sent any more. */
  end(reply: Reply): void {
    this.#leave();
    this.#options.resolve(reply);
  }

  readonly #cancel = (): void =>
    this.end(withTrouble(errorReply(CODES.internal, "The request was cancelled"), { kind: "unknown" }));

  expire(): void {
    const { label, request } = this.#options;
    const text = `${label} has too many requests in flight: ${request.method} waited ${request.timeoutMs} ms and was not sent`;
    this.end(withTrouble(errorReply(CODES.internal, text, { retryAfterMs: RETRY_MS }), { kind: "unknown" }));
  }

  #leave(): void {
    const { request, leave } = this.#options;
    dropDeadline(this);
    request.signal.removeEventListener("abort", this.#cancel);
    leave(this);
  }
}
