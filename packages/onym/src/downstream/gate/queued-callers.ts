// The callers of one server: what each has in flight and waiting, and whether it has the server to itself (SAFE-5).

import type { Clock } from "../../model/clock.js";
import type { Turn } from "./waiting-turn.js";

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

export class QueuedCaller {
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

export class QueuedCallers {
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
