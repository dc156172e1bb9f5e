// Bytes of requests that still arrive or have no reply yet: limited per caller and in total, because each alone
// may be large (SAFE-5).

import type { Refusal } from "../http/responses/refusal.js";
import type { CallerShare } from "./edge-callers.js";

/** Requests of the largest size that one caller, and all of them together, may have here. */
export const CALLER_REQUESTS = 32;
export const ALL_REQUESTS = 128;

/** What all callers have here. */
export class RequestBytes {
  readonly #requestBytes: number;
  #total = 0;
  #callers = 0;

  constructor(requestBytes: number) {
    this.#requestBytes = requestBytes;
  }

  /** Call as bytes of a request arrive: the refusal if its caller has too many of them. */
  take(caller: CallerShare, bytes: number): Refusal | undefined {
    if (caller.requestBytes === 0) this.#callers += 1;
    caller.requestBytes += bytes;
    this.#total += bytes;
    const max = CALLER_REQUESTS * this.#requestBytes;
    const all = ALL_REQUESTS * this.#requestBytes;
    // Where all have too many, each gets an equal part, and who has less goes on.
    const own = this.#total > all ? Math.min(max, all / this.#callers) : max;
    return caller.requestBytes > own ? caller.refuseBytes(Math.floor(own)) : undefined;
  }

  release(caller: CallerShare, bytes: number): void {
    if (bytes === 0) return;
    caller.requestBytes -= bytes;
    this.#total -= bytes;
    if (caller.requestBytes === 0) this.#callers -= 1;
  }
}

/** The bytes of one request, counted as long as somebody needs them. */
export class HeldRequest {
  readonly #all: RequestBytes;
  readonly #caller: CallerShare;
  #bytes = 0;
  #users = 0;

  constructor(all: RequestBytes, caller: CallerShare) {
    this.#all = all;
    this.#caller = caller;
  }

  /** What is refused is dropped at once, so that the caller's other requests have its room. */
  add(bytes: number): Refusal | undefined {
    this.#bytes += bytes;
    const refusal = this.#all.take(this.#caller, bytes);
    if (refusal !== undefined) this.#drop();
    return refusal;
  }

  keep(): void {
    this.#users += 1;
  }

  /** Call once for each `keep`. */
  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#drop();
  }

  #drop(): void {
    this.#all.release(this.#caller, this.#bytes);
    this.#bytes = 0;
  }
}
