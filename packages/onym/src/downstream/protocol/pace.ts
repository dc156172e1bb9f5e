// How fast a server is read (SAFE-4, SAFE-5): after so many messages everybody else gets a turn of the event loop, and what
// answers no request is read no faster than so many messages a second. A server that sends more waits in its own pipe.

import type { Clock } from "../../model/clock.js";

/** Messages and bytes of one server that are handled before others get a turn. */
export const TURN_MESSAGES = 128;
const TURN_BYTES = 128 * 1024;
/** Bytes between two looks at what was used: the shortest messages are two bytes. */
export const SLICE_BYTES = 2048;

/** Messages that answer nothing: so many in a second, and so many at once after a quiet while. */
export const UNASKED_RATE = 1_000;
export const UNASKED_BURST = 10_000;
/** A message of so many bytes counts twice, and so on. */
const UNASKED_BYTES = 16 * 1024;
/** However large the last message was. */
const MAX_REST_MS = 5_000;
/** Between two lines of the log. */
const TELL_MS = 60_000;

/** What one server has used, over all its streams. A class, because every message counts in it. */
export class Pace {
  readonly #clock: Clock;
  readonly #onFlood: () => void;
  #messages = 0;
  #bytes = 0;
  #lastLength = 0;
  /** Of messages that answered nothing since they were last reckoned. */
  #unsolicited = 0;
  #allowed = UNASKED_BURST;
  #reckonedAt: number;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onFlood: () => void) {
    this.#clock = clock;
    this.#reckonedAt = clock.now();
    this.#onFlood = onFlood;
  }

  /** A message is about to be handled. */
  count(length: number): void {
    this.#messages += 1;
    this.#lastLength = length;
  }

  /** The message that was counted last answers no request. */
  countUnsolicited(): void {
    this.#unsolicited += 1 + this.#lastLength / UNASKED_BYTES;
  }

  /** Something came that holds no message. */
  countEmpty(): void {
    this.count(0);
    this.countUnsolicited();
  }

  /** To be asked after each slice: how long to stop reading, 0 for one turn; `undefined`: go on. */
  restAfter(bytes: number): number | undefined {
    this.#bytes += bytes;
    if (this.#messages < TURN_MESSAGES && this.#bytes < TURN_BYTES) return undefined;
    this.#messages = 0;
    this.#bytes = 0;
    return this.#reckon();
  }

  #reckon(): number {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#reckonedAt) * UNASKED_RATE) / 1000;
    this.#allowed = Math.min(UNASKED_BURST, this.#allowed + earned) - this.#unsolicited;
    this.#reckonedAt = now;
    this.#unsolicited = 0;
    if (this.#allowed >= 0) return 0;
    if (now - this.#toldAt >= TELL_MS) {
      this.#toldAt = now;
      this.#onFlood();
    }
    const rest = Math.min((-this.#allowed * 1000) / UNASKED_RATE, MAX_REST_MS);
    // What was waited for is paid.
    this.#allowed = 0;
    this.#reckonedAt = now + rest;
    return rest;
  }
}

export interface PacedReadingOptions {
  readonly pace: Pace;
  readonly clock: Clock;
  readonly take: (bytes: Uint8Array) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface PacedReading {
  readonly push: (bytes: Uint8Array) => void;
  /** Calls when everything that was pushed has been taken. */
  readonly end: (onTaken: () => void) => void;
}

/** Bytes of one stream at the pace of its server. */
export function createPacedReading(options: PacedReadingOptions): PacedReading {
  return new Paced(options);
}

class Paced implements PacedReading {
  readonly #options: PacedReadingOptions;
  #waiting: Uint8Array[] = [];
  #isResting = false;
  #onTaken: (() => void) | undefined;

  constructor(options: PacedReadingOptions) {
    this.#options = options;
  }

  push(bytes: Uint8Array): void {
    if (this.#isResting) {
      // What was on its way already; somebody may have let it flow again meanwhile.
      this.#waiting.push(bytes);
      this.#options.pause();
    } else this.#read(bytes);
  }

  end(onTaken: () => void): void {
    if (this.#isResting) this.#onTaken = onTaken;
    else onTaken();
  }

  #read(bytes: Uint8Array): void {
    const { take, pace } = this.#options;
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const slice =
        bytes.length <= SLICE_BYTES
          ? bytes
          : bytes.subarray(start, Math.min(start + SLICE_BYTES, bytes.length));
      take(slice);
      const rest = pace.restAfter(slice.length);
      if (rest === undefined) continue;
      this.#rest(rest, bytes.subarray(start + slice.length));
      return;
    }
  }

  #rest(ms: number, left: Uint8Array): void {
    const { pause, clock } = this.#options;
    this.#isResting = true;
    if (left.length > 0) this.#waiting.unshift(left);
    pause();
    if (ms === 0) setImmediate(this.#goOn);
    else clock.after(ms, this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#isResting = false;
    while (!this.#isResting) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#options.resume();
        this.#onTaken?.();
        return;
      }
      this.#read(next);
    }
  };
}
