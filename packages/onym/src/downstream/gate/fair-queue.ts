// Whose request a server gets next (SAFE-5): a limited number is in flight, of each caller and of all, and nothing is sent while the
// server has much to read. Beyond that callers take turns, however many requests each of them has waiting.

import { shortMember } from "../../mcp/fast-path/unread-object.js";
import { errorReply, type Reply, withTrouble } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Clock } from "../../model/clock.js";
import type { DownstreamRequest, RequestPlace } from "../downstream.js";
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

/** Requests of one caller in flight to a server that others use as well. */
export const CALLER_IN_FLIGHT = 32;
/** A server belongs to one caller again when no other has used it for this long. */
export const SHARED_MS = 10 * 60_000;
/**
 * A caller that got no answer for this long may send as many again: calls that wait for a person, or take very long, do not lock
 * it out.
 */
export const QUIET_MS = 30_000;
/** From how many on callers that do nothing are forgotten. */
const MAX_KNOWN = 1_000;
/** A request with more bytes of arguments takes several turns: others send as much first. */
const TURN_BYTES = 65_536;
/** Bytes of arguments that one caller has waiting for one server, beside the first request. */
const MAX_WAITING_BYTES = 32 * 1_048_576;
/** How long a request counts whose caller gave up, if nothing tells that the server is done with it. */
export const GIVEN_UP_MS = 30_000;
/** How often requests that wait are looked at, beside when others end. */
const LOOK_MS = 1_000;

export class FairQueue {
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

/**
 * The place that a sent request takes at its server: from when it is sent to when it is answered, or counts no more (SAFE-6).
 * A class, because one is created for every call.
 */
export class Place implements RequestPlace {
  readonly caller: QueuedCaller;
  /** Counts up with every request that is sent to the server. */
  readonly number: number;
  /** Of its caller, when it was sent. */
  readonly round: number;
  readonly #queue: FairQueue;
  #request: DownstreamRequest | undefined;
  /** What its caller gave up; `undefined` if it did not. */
  givenUp: string | undefined;
  isOver = false;

  constructor(queue: FairQueue, caller: QueuedCaller, request: DownstreamRequest, number: number) {
    this.#queue = queue;
    this.caller = caller;
    this.round = caller.round;
    this.number = number;
    this.#request = request;
  }

  giveUp(): void {
    if (this.#request === undefined || this.isOver) return;
    this.givenUp = subjectOf(this.#request);
    // Its arguments may be large.
    this.#request = undefined;
    this.#queue.keep(this);
  }

  answerLate(): void {
    if (this.givenUp !== undefined) this.#queue.end(this);
  }
}

/** What a request is about. A server may take requests about different things in any order. */
function subjectOf({ method, params }: DownstreamRequest): string {
  const name = params["name"];
  return typeof name === "string" ? `${method} ${name}` : method;
}

/** What one caller has in flight and waiting. */
class QueuedCaller {
  readonly key: string;
  /** When its last request came. */
  usedAt: number;
  /** Requests in flight that count. */
  counted = 0;
  /** Counts up when those in flight no longer count. */
  round = 0;
  /** Since when it has so many in flight, or its last answer since then. */
  quietSince = 0;
  /** Its waiting requests, oldest first. */
  readonly turns = new Set<Turn>();
  waitingBytes = 0;

  constructor(key: string, now: number) {
    this.key = key;
    this.usedAt = now;
  }

  begin(clock: Clock): void {
    this.counted += 1;
    if (this.counted >= CALLER_IN_FLIGHT) this.quietSince = clock.now();
  }

  end(round: number, clock: Clock): void {
    if (this.counted >= CALLER_IN_FLIGHT) this.quietSince = clock.now();
    if (round === this.round) this.counted -= 1;
  }

  /** What it has in flight counts no more, if nothing of that was answered for long. */
  forgiveIfQuiet(now: number): void {
    if (this.counted < CALLER_IN_FLIGHT || now - this.quietSince < QUIET_MS) return;
    this.counted = 0;
    this.round += 1;
  }
}

/** The callers of one server, and whether one of them has it to itself. */
class QueuedCallers {
  readonly #known = new Map<string, QueuedCaller>();
  #pruneAt = MAX_KNOWN;
  /** The caller of the last request, and the last one before it that was another. */
  #last: QueuedCaller | undefined;
  #other: QueuedCaller | undefined;

  /** The caller of a request that has come. */
  use(key: string, now: number): QueuedCaller {
    const caller = this.#last?.key === key ? this.#last : (this.#known.get(key) ?? this.#add(key, now));
    caller.usedAt = now;
    if (caller !== this.#last) {
      this.#other = this.#last;
      this.#last = caller;
    }
    return caller;
  }

  /** Whether another caller has used the server lately. */
  isShared(caller: QueuedCaller, now: number): boolean {
    const other = this.#last === caller ? this.#other : this.#last;
    return other !== undefined && now - other.usedAt < SHARED_MS;
  }

  #add(key: string, now: number): QueuedCaller {
    if (this.#known.size >= this.#pruneAt) {
      for (const [known, each] of this.#known)
        if (each.counted === 0 && each.turns.size === 0 && each !== this.#last) this.#known.delete(known);
      this.#pruneAt = Math.max(MAX_KNOWN, this.#known.size * 2);
    }
    const caller = new QueuedCaller(key, now);
    this.#known.set(key, caller);
    return caller;
  }
}
