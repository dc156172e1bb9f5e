// When to try again: the delay before the next attempt, doubled each time, up to a minute, with jitter; and when to leave a
// server alone.

import type { Clock } from "../model/clock.js";

const FIRST_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** `failures` starts at 1; `random` in [0, 1) takes up to a quarter off. */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (1 - random / 4));
}

/** Lost connections within the window before a server that keeps coming up and going down is suspended (SAFE-5). */
export const MAX_FALLS = 5;
const FALL_WINDOW_MS = 10 * 60_000;
/** How long it is suspended, unless a reload or a sign-in resumes it. */
const SUSPENDED_MS = 10 * 60_000;

/** When to try again to reach one server. */
export class Retries {
  readonly #clock: Pick<Clock, "now">;
  readonly #random: () => number;
  /** In a row. */
  #failures = 0;
  #falls: number[] = [];

  /** `random` in [0, 1). */
  constructor(clock: Pick<Clock, "now">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Call when it cannot be reached, or goes down after being up. */
  next({ wasUp, needsSignIn }: { readonly wasUp: boolean; readonly needsSignIn: boolean }): {
    readonly waitMs: number;
    readonly isSuspended: boolean;
  } {
    this.#failures += 1;
    if (wasUp && this.#fell()) return { waitMs: SUSPENDED_MS, isSuspended: true };
    // A server that needs a sign-in is not retried at full pace until then.
    const waitMs = needsSignIn ? MAX_BACKOFF_MS : backoffMs(this.#failures, this.#random());
    return { waitMs, isSuspended: false };
  }

  /** It is up. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Forgets all failures: the next attempt counts as the first. */
  forget(): void {
    this.#failures = 0;
    this.#falls = [];
  }

  /** `true` if it went down too often within the window. Then the count starts again. */
  #fell(): boolean {
    const now = this.#clock.now();
    this.#falls = [...this.#falls.filter((at) => at > now - FALL_WINDOW_MS), now];
    if (this.#falls.length < MAX_FALLS) return false;
    this.#falls = [];
    return true;
  }
}
