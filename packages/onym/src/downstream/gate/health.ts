// The health of a connected server, judged by its replies to calls: a circuit breaker (SAFE-5, decision
// 0057).

import type { Reply, Trouble } from "../../mcp/message.js";
import { type Clock, formatDuration } from "../../model/clock.js";
import { backoffMs } from "../backoff.js";
import type { Unhealthy } from "../downstream.js";

/** An admitted request, until its result is noted. */
interface Admitted {
  readonly at: number;
  readonly isProbe: boolean;
  readonly callerKey: string;
}

export interface Health {
  readonly unhealthy: Unhealthy | undefined;
  /** Requests of this caller are refused, but for one now and then that tries. */
  readonly isClosedTo: (callerKey: string) => boolean;
  /**
   * `undefined`: do not send to the server now. Failures of one caller may be its own doing, so they never close
   * the server to others. Note each admitted request once.
   */
  readonly admit: (callerKey: string) => Admitted | undefined;
  readonly note: (admitted: Admitted, reply: Reply) => void;
  /** It reconnected, and nothing is known. */
  readonly reset: () => void;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** It became unhealthy, failed again, or recovered. */
  readonly onChange: (before: Unhealthy | undefined, now: Unhealthy | undefined) => void;
}

/**
 * Consecutive failures of one caller before its requests are refused. Everybody's are refused after as many failures of
 * callers other than the one that failed most.
 */
export const MAX_FAILURES = 5;
/**
 * A request that its caller abandoned counts as failed after this long: clients are less patient than Onym.
 */
const GIVEN_UP_MS = 30_000;
/** A slower probe may be a long call, so another is let through beside it. */
const PROBE_MS = 30_000;
/** The first wait is four seconds, then doubled each time, up to a minute. */
const FIRST_STEP = 2;

export function createHealth({ clock, random, onChange }: HealthOptions): Health {
  let failures = 0;
  let firstAt = 0;
  /** By caller; no longer counted once the server is closed to all, so the map stays small. */
  const failuresBy = new Map<string, number>();
  let isClosedToAll = false;
  /** Failed probes so far. */
  let retries = 0;
  let unhealthy: Unhealthy | undefined;
  let probe: Admitted | undefined;

  const set = (next: Unhealthy | undefined): void => {
    const before = unhealthy;
    unhealthy = next;
    onChange(before, next);
  };
  const forget = (): void => {
    failures = 0;
    failuresBy.clear();
    isClosedToAll = false;
    retries = 0;
    probe = undefined;
  };
  const recover = (): void => {
    forget();
    if (unhealthy !== undefined) set(undefined);
  };
  const isClosedTo = (callerKey: string): boolean =>
    isClosedToAll || (failuresBy.get(callerKey) ?? 0) >= MAX_FAILURES;
  const count = (callerKey: string): void => {
    failures += 1;
    if (isClosedToAll) return;
    failuresBy.set(callerKey, (failuresBy.get(callerKey) ?? 0) + 1);
    const counts = [...failuresBy.values()];
    const all = counts.reduce((sum, each) => sum + each, 0);
    isClosedToAll = all - Math.max(...counts) >= MAX_FAILURES;
  };
  const fail = (callerKey: string, what: string, retryAfterMs = 0): void => {
    const now = clock.now();
    if (failures === 0) firstAt = now;
    count(callerKey);
    if (!isClosedTo(callerKey)) return;
    retries += 1;
    const wait = Math.max(backoffMs(retries + FIRST_STEP, random()), retryAfterMs);
    set({ since: firstAt, reason: what, failures, retryAt: now + wait });
  };

  return {
    get unhealthy() {
      return unhealthy;
    },
    isClosedTo,
    admit: (callerKey) => {
      const at = clock.now();
      if (unhealthy === undefined || !isClosedTo(callerKey)) return { at, isProbe: false, callerKey };
      if (at < unhealthy.retryAt || (probe !== undefined && at < probe.at + PROBE_MS)) return undefined;
      probe = { at, isProbe: true, callerKey };
      return probe;
    },
    note: (admitted, reply) => {
      if (admitted === probe) probe = undefined;
      const trouble = reply.kind === "error" ? reply.trouble : undefined;
      if (trouble === undefined) {
        if (failures > 0) recover();
        return;
      }
      const failure = failureOf(trouble, clock.now() - admitted.at);
      if (failure === undefined) return;
      const { callerKey, isProbe } = admitted;
      // Requests sent before it became unhealthy add no information.
      if (unhealthy !== undefined && !isProbe && isClosedTo(callerKey)) return;
      fail(callerKey, failure.what, failure.retryAfterMs);
    },
    reset: () => {
      forget();
      unhealthy = undefined;
    },
  };
}

function failureOf(trouble: Trouble, ms: number): Extract<Trouble, { readonly kind: "failed" }> | undefined {
  if (trouble.kind === "failed") return trouble;
  return ms < GIVEN_UP_MS ? undefined : { kind: "failed", what: `no answer within ${formatDuration(ms)}` };
}
