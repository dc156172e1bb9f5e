// Whose request a server gets next (SAFE-5): a limited number is in flight, of each caller and of all, and nothing is sent while the
// server has much to read. Beyond that callers take turns, however many requests each of them has waiting.

import { shortMember } from "../../mcp/fast-path/unread-object.js";
import { errorReply, type Reply, withTrouble } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Clock } from "../../model/clock.js";
import type { DownstreamRequest } from "../downstream.js";
import { Place, type PlaceOwner, subjectOf } from "./place.js";
import { CALLER_IN_FLIGHT, type QueuedCaller, QueuedCallers } from "./queued-callers.js";
import { RETRY_MS, sizeOf, Turn } from "./waiting-turn.js";

interface FairQueueOptions {
  readonly label: string;
  /** Maximum requests in flight; as many again may wait. */
  readonly limit: number;
  /** The server has to read first. Call `resume` once it has. */
  readonly isFull: () => boolean;
  readonly clock: Clock;
}

/** Sends a request that has its place. Call `finish` with its reply. */
type SendNow = (place: Place) => Promise<Reply>;

/** A request with more bytes of arguments takes several turns: others send as much first. */
const TURN_BYTES = 65_536;
/** Bytes of arguments that one caller has waiting for one server, beside the first request. */
const MAX_WAITING_BYTES = 32 * 1_048_576;
/** How long a request counts whose caller gave up, if nothing tells that the server is done with it. */
export const GIVEN_UP_MS = 30_000;
/** How often requests that wait are looked at, beside when others end. */
const LOOK_MS = 1_000;

export class FairQueue implements PlaceOwner {
  readonly #options: FairQueueOptions;
  readonly #callers = new QueuedCallers();
  /** Callers with waiting requests, in the order of their turns. */
  readonly #line = new Set<QueuedCaller>();
  /** The turns that a caller lets pass after a large request, as long as others wait. */
  readonly #owed = new Map<QueuedCaller, number>();
  /** Requests whose callers gave up and that still count, the first one first, each with when and after which request that was. */
  readonly #givenUp = new Map<Place, { readonly at: number; readonly after: number }>();
  /** Requests sent so far. */
  #sent = 0;
  #inFlight = 0;
  #waiting = 0;
  #stopLooking: (() => void) | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Sends now, or when it is its caller's turn; refuses if too many wait. */
  run(request: DownstreamRequest, send: SendNow): Promise<Reply> {
    const { limit, clock, label } = this.#options;
    const now = clock.now();
    const caller = this.#callers.use(request.origin.callerKey, now);
    if (!this.#isOpen() || !this.#hasRoom(caller, now)) this.#forget(caller, now);
    if (this.#isOpen() && this.#hasRoom(caller, now)) return this.#start(caller, request, send);
    const { turns } = caller;
    if (turns.size > 0 && caller.waitingBytes + sizeOf(request) > MAX_WAITING_BYTES)
      return Promise.resolve(this.#refuseBytes());
    if (this.#inFlight + this.#waiting >= 2 * limit && !this.#evictFor(turns.size))
      return Promise.resolve(this.#refuseMany());
    if (request.signal.aborted) return this.#start(caller, request, send);
    return new Promise((resolve) => {
      this.#waiting += 1;
      caller.waitingBytes += sizeOf(request);
      const start = (): Promise<Reply> => this.#start(caller, request, send);
      const leave = (turn: Turn): void => this.#leave(caller, turn);
      turns.add(new Turn({ request, label, start, resolve, leave }));
      this.#line.add(caller);
      this.#lookLater();
    });
  }

  /** It has its reply. If that is because its caller gave up, it still counts. */
  finish(place: Place, request: DownstreamRequest, reply: Reply | undefined): void {
    if (place.givenUp !== undefined) {
      this.resume();
      return;
    }
    if (this.#givenUp.size > 0 && reply !== undefined && isDone(reply)) this.#passOver(place, request);
    this.end(place);
  }

  /** Its caller gave up: it counts until the server is done with it. */
  keep(place: Place): void {
    this.#givenUp.set(place, { at: this.#options.clock.now(), after: this.#sent });
  }

  /** It counts no more. Idempotent. */
  end(place: Place): void {
    if (place.isOver) return;
    place.isOver = true;
    this.#givenUp.delete(place);
    this.#inFlight -= 1;
    place.caller.end(place.round, this.#options.clock);
    this.resume();
  }

  /** The connection has ended, and with it what the server was doing. */
  endGivenUp(): void {
    for (const place of [...this.#givenUp.keys()]) this.end(place);
  }

  /** Sends what may be sent now. */
  resume(): void {
    if (this.#line.size === 0) return;
    const now = this.#options.clock.now();
    while (this.#isOpen() && this.#takeNext(now));
  }

  /** At most half of the places go to requests that were given up, so that a few of those do not close a server. */
  #isOpen(): boolean {
    const { limit, isFull } = this.#options;
    const beyond = Math.max(0, this.#givenUp.size - Math.floor(limit / 2));
    return this.#inFlight - beyond < limit && !isFull();
  }

  /** Requests that were given up count in full here. A caller that has the server to itself shares it with nobody. */
  #hasRoom(caller: QueuedCaller, now: number): boolean {
    if (caller.counted < CALLER_IN_FLIGHT) return true;
    return caller.counted < this.#options.limit && !this.#callers.isShared(caller, now);
  }

  #start(caller: QueuedCaller, request: DownstreamRequest, send: SendNow): Promise<Reply> {
    this.#sent += 1;
    this.#inFlight += 1;
    const place = new Place(this, caller, request, this.#sent);
    caller.begin(this.#options.clock);
    return send(place);
  }

  /** Whether a request was sent: none is if no caller that waits has room. */
  #takeNext(now: number): boolean {
    for (const caller of this.#line) {
      if (!this.#hasRoom(caller, now)) continue;
      const [turn] = caller.turns;
      // A caller with more requests goes to the end of the queue.
      this.#line.delete(caller);
      const debt = this.#line.size === 0 ? 0 : (this.#owed.get(caller) ?? 0);
      if (caller.turns.size > 1 || debt > 0) this.#line.add(caller);
      this.#owed.set(caller, debt > 0 ? debt - 1 : turnsOf(turn));
      if (debt > 0) continue;
      turn?.take();
      return true;
    }
    return false;
  }

  #leave(caller: QueuedCaller, turn: Turn): void {
    if (!caller.turns.delete(turn)) return;
    this.#waiting -= 1;
    caller.waitingBytes -= sizeOf(turn.request);
    if (caller.turns.size === 0) this.#line.delete(caller);
    if (this.#line.size > 0) return;
    this.#owed.clear();
    this.#stopLooking?.();
    this.#stopLooking = undefined;
  }

  /** What was given up long ago counts no more, and what a caller has in flight that gets no answers. */
  #forget(caller: QueuedCaller, now: number): void {
    for (const [place, { at }] of this.#givenUp) {
      if (now - at < GIVEN_UP_MS) break;
      this.end(place);
    }
    caller.forgiveIfQuiet(now);
  }

  #lookLater(): void {
    this.#stopLooking ??= this.#options.clock.after(LOOK_MS, () => {
      this.#stopLooking = undefined;
      const now = this.#options.clock.now();
      for (const caller of [...this.#line]) this.#forget(caller, now);
      this.resume();
      if (this.#line.size > 0) this.#lookLater();
    });
  }

  /** It has read past what was given up before this request about the same was sent. */
  #passOver(place: Place, request: DownstreamRequest): void {
    const subject = subjectOf(request);
    for (const [given, { after }] of this.#givenUp) {
      if (after >= place.number) return;
      if (given.givenUp === subject) this.end(given);
    }
  }

  /**
   * Evicts the newest request of the caller with the most waiting, if that caller has more than the new one.
   */
  #evictFor(own: number): boolean {
    let largest: ReadonlySet<Turn> | undefined;
    for (const { turns } of this.#line) if (turns.size > (largest?.size ?? own + 1)) largest = turns;
    const newest = largest === undefined ? undefined : [...largest].at(-1);
    newest?.end(this.#refuseMany());
    return newest !== undefined;
  }

  #refuseMany(): Reply {
    return this.#refuse(
      `${this.#inFlight} requests in flight and ${this.#waiting} waiting already; this one`,
      {
        limit: "pending",
        max: this.#options.limit,
      },
    );
  }

  #refuseBytes(): Reply {
    return this.#refuse(`to read ${MAX_WAITING_BYTES} bytes of this caller's arguments first; this request`, {
      limit: "waitingBytes",
      max: MAX_WAITING_BYTES,
    });
  }

  #refuse(why: string, data: { readonly limit: string; readonly max: number }): Reply {
    const text = `${this.#options.label} has ${why} was not sent`;
    return withTrouble(errorReply(CODES.internal, text, { ...data, retryAfterMs: RETRY_MS }), {
      kind: "unknown",
    });
  }
}

/** The turns that a request takes beside its own. */
function turnsOf(turn: Turn | undefined): number {
  return turn === undefined ? 0 : Math.floor(sizeOf(turn.request) / TURN_BYTES);
}

/** An error may come at once, while the server still works on what came before. */
function isDone(reply: Reply): boolean {
  return reply.kind === "result" && shortMember(reply.result, "isError") !== true;
}
