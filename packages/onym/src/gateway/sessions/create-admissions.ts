// What is open only for as long as its caller is let in: streams, sessions, requests under way.

import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { Proof } from "../auth/authenticate.js";
import type { EdgeClock } from "./edge-clock.js";

/** `proof`: ends with the proof it was opened with. `caller`: stays for a caller that can come back with another one. */
type Needs = "proof" | "caller";

export interface Admissions {
  /** Whether the caller is let in now. */
  readonly admits: (proof: Proof | undefined) => boolean;
  /** Calls `end` as soon as the caller is no longer let in. Returns how to stop caring. */
  readonly hold: (proof: Proof | undefined, needs: Needs, end: () => void) => () => void;
  /** Who may connect has changed: looks at all of them again. */
  readonly review: () => void;
  readonly close: () => void;
}

/** Timers take no more. */
const LONGEST_MS = 2 ** 31 - 1;

interface Held {
  readonly proof: Proof;
  readonly needs: Needs;
  readonly end: () => void;
  /** What it is held under. */
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
      // It may have ended while the request was read; whoever opens is done with that first.
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
