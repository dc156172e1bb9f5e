// Bytes of requests that still arrive, have no reply yet, or belong to a suspended call: limited per caller and
// in total, because each alone may be large (SAFE-5).

import type { Refusal } from "../http/responses/refusal.js";
import type { CallerShare } from "./edge-callers.js";

/** Requests of the largest size that one caller, and all of them together, may have here. */
export const CALLER_REQUESTS = 32;
export const ALL_REQUESTS = 128;
/** The part for suspended calls: their answers bring the arguments again, and need room to arrive. */
const SUSPENDED_PART = 1 / 2;

/** What all callers have here. */
export class RequestBytes {
  readonly all: ByteLimit;
  readonly suspended: ByteLimit;

  constructor(requestBytes: number) {
    this.all = new ByteLimit("requestBytes", requestBytes);
    this.suspended = new ByteLimit("suspendedBytes", requestBytes * SUSPENDED_PART);
  }
}

class ByteLimit {
  readonly #member: "requestBytes" | "suspendedBytes";
  readonly #requestBytes: number;
  #total = 0;
  #callers = 0;

  constructor(member: "requestBytes" | "suspendedBytes", requestBytes: number) {
    this.#member = member;
    this.#requestBytes = requestBytes;
  }

  /** Counts them in any case. Returns the limit if the caller has more than it may. */
  take(caller: CallerShare, bytes: number): number | undefined {
    if (caller[this.#member] === 0) this.#callers += 1;
    caller[this.#member] += bytes;
    this.#total += bytes;
    const max = CALLER_REQUESTS * this.#requestBytes;
    const all = ALL_REQUESTS * this.#requestBytes;
    // Where all have too many, each gets an equal part, and who has less goes on.
    const own = Math.floor(this.#total > all ? Math.min(max, all / this.#callers) : max);
    return caller[this.#member] > own ? own : undefined;
  }

  release(caller: CallerShare, bytes: number): void {
    if (bytes === 0) return;
    caller[this.#member] -= bytes;
    this.#total -= bytes;
    if (caller[this.#member] === 0) this.#callers -= 1;
  }
}

/** The bytes of one request, counted as long as somebody needs them. */
export class HeldRequest {
  readonly #limits: RequestBytes;
  readonly #caller: CallerShare;
  #bytes = 0;
  #users = 0;
  #suspensions = 0;

  constructor(limits: RequestBytes, caller: CallerShare) {
    this.#limits = limits;
    this.#caller = caller;
  }

  /** Call as bytes arrive. What is refused is dropped at once, so that the caller's other requests have its room. */
  add(bytes: number): Refusal | undefined {
    this.#bytes += bytes;
    const max = this.#limits.all.take(this.#caller, bytes);
    if (max === undefined) return undefined;
    this.#drop();
    return this.#caller.refuseBytes(max);
  }

  keep(): void {
    this.#users += 1;
  }

  /** Call once for each `keep`. */
  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#drop();
  }

  /** Keeps it for a suspended call. Returns the limit if the caller's suspended calls have too many bytes. */
  suspend(): number | undefined {
    if (this.#suspensions === 0) {
      const max = this.#limits.suspended.take(this.#caller, this.#bytes);
      if (max !== undefined) {
        this.#limits.suspended.release(this.#caller, this.#bytes);
        return max;
      }
    }
    this.#suspensions += 1;
    this.keep();
    return undefined;
  }

  /** Call once for each `suspend` that was not refused. */
  endSuspension(): void {
    this.#suspensions -= 1;
    if (this.#suspensions === 0) this.#limits.suspended.release(this.#caller, this.#bytes);
    this.release();
  }

  #drop(): void {
    this.#limits.all.release(this.#caller, this.#bytes);
    this.#bytes = 0;
  }
}
