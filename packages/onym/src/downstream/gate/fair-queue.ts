// Whose request a server gets next (SAFE-5): a limited number is in flight, and nothing is sent while the server has much to read.
// Beyond that callers take turns, however many requests each of them has waiting.

import { errorReply, type Reply, withTrouble } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { DownstreamRequest } from "../downstream.js";
import { bytesOf, RETRY_MS, sizeOf, Turn } from "./waiting-turn.js";

export interface FairQueue {
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
