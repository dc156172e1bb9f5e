// Things that stay open only while their caller is admitted: streams, sessions, requests in flight. Also the
// clock that edges go by.

import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { Proof } from "../auth/authenticate.js";

/**
 * `proof`: ends with the proof it was opened with. `caller`: stays for a caller that can return with a new
 * proof.
 */
type Needs = "proof" | "caller";

export interface Admissions {
  /** Whether the caller is admitted now. */
  readonly admits: (proof: Proof | undefined) => boolean;
  /** Calls `end` as soon as the caller is no longer admitted. Returns a function that releases the hold. */
  readonly hold: (proof: Proof | undefined, needs: Needs, end: () => void) => () => void;
  /** Call when the access rules changed: checks all holds again. */
  readonly review: () => void;
  readonly close: () => void;
}

/** The maximum delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

interface Held {
  readonly proof: Proof;
  readonly needs: Needs;
  readonly end: () => void;
  /** Its key in the tickets. */
  ticket: number;
  stopTimer: () => void;
}

export function createAdmissions(clock: EdgeClock): Admissions {
  const all = createTickets<Held>();
  const isHeld = ({ ticket }: Held): boolean => all.get(ticket) !== undefined;
  const release = (held: Held): void => {
    if (all.drop(held.ticket)) held.stopTimer();
  };
  const look = (held: Held): void => {
    if (!isHeld(held)) return;
    if (!isOver(held, clock.now())) return;
    release(held);
    held.end();
  };
  const wait = (held: Held): void => {
    const { until } = held.proof;
    if (until === undefined || !endsByItself(held)) return;
    held.stopTimer = clock.after(Math.min(Math.max(until - clock.now(), 0), LONGEST_MS), () => {
      look(held);
      if (isHeld(held)) wait(held);
    });
  };
  return {
    admits: (proof) =>
      proof === undefined ||
      (proof.counts() && (proof.until === undefined || proof.isRenewable || clock.now() < proof.until)),
    hold(proof, needs, end) {
      if (proof === undefined) return () => {};
      const held: Held = { proof, needs, end, ticket: 0, stopTimer: () => {} };
      held.ticket = all.take(held);
      wait(held);
      // The proof may have expired while the request was read.
      if (isOver(held, clock.now())) queueMicrotask(() => look(held));
      return () => release(held);
    },
    review() {
      for (const held of all.values()) look(held);
    },
    close() {
      for (const held of all.values()) release(held);
    },
  };
}

function endsByItself({ proof, needs }: Held): boolean {
  return needs === "proof" || !proof.isRenewable;
}

function isOver(held: Held, now: number): boolean {
  const { proof } = held;
  if (!proof.counts()) return true;
  return proof.until !== undefined && endsByItself(held) && now >= proof.until;
}

// The clock of the edges. Injected, so that tests control time.

export interface EdgeClock {
  /** Milliseconds since 1970, for timestamps from outside. May jump when the system clock is set. */
  readonly now: () => number;
  /** Monotonic milliseconds, for ages. Never jumps. */
  readonly elapsed: () => number;
  /** Runs once after `ms`, unless stopped. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs every `ms` until stopped. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** Real time. Its timers do not keep the process alive. */
export const systemClock: EdgeClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};
