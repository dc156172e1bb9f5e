// The health of a server that is connected, as its answers to calls tell it: a circuit breaker (SAFE-5, decision 0057).

import type { Reply, Trouble } from "../mcp/reply.js";
import type { Clock } from "../model/clock.js";
import { backoffMs } from "./backoff.js";

/** Connected, and not to be asked for now. */
export interface Unhealthy {
  /** When the first of these requests failed; ms since 1970. */
  readonly since: number;
  /** What the last request came to, for people: `HTTP 500`. */
  readonly reason: string;
  /** Requests that failed in a row. */
  readonly failures: number;
  readonly retryAt: number;
}

/** A request that was let through, until its answer is noted. */
interface Admitted {
  readonly at: number;
  readonly isProbe: boolean;
}

export interface Health {
  readonly unhealthy: Unhealthy | undefined;
  /** `undefined`: the server is not to be asked now. Each that is admitted is noted once. */
  readonly admit: () => Admitted | undefined;
  readonly note: (admitted: Admitted, reply: Reply) => void;
  /** It is connected anew, and nothing is known. */
  readonly reset: () => void;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** It became unhealthy, failed again, or is well again. */
  readonly onChange: (before: Unhealthy | undefined, now: Unhealthy | undefined) => void;
}

/** Requests that fail in a row before others are refused. */
export const MAX_FAILURES = 5;
/** A request that its caller gave up counts as failed after so long: clients are less patient than Onym. */
const GIVEN_UP_MS = 30_000;
/** A probe that takes longer may be a long call: another is let through beside it. */
const PROBE_MS = 30_000;
/** The first wait is four seconds, then twice as long each time, up to a minute. */
const FIRST_STEP = 2;

export function createHealth({ clock, random, onChange }: HealthOptions): Health {
  let failures = 0;
  let firstAt = 0;
  /** How often it was tried again in vain. */
  let retries = 0;
  let unhealthy: Unhealthy | undefined;
  let probe: Admitted | undefined;

  const set = (next: Unhealthy | undefined): void => {
    const before = unhealthy;
    unhealthy = next;
    onChange(before, next);
  };
  const recover = (): void => {
    failures = 0;
    retries = 0;
    probe = undefined;
    if (unhealthy !== undefined) set(undefined);
  };
  const fail = (what: string, retryAfterMs = 0): void => {
    const now = clock.now();
    if (failures === 0) firstAt = now;
    failures += 1;
    if (failures < MAX_FAILURES) return;
    retries += 1;
    const wait = Math.max(backoffMs(retries + FIRST_STEP, random()), retryAfterMs);
    set({ since: firstAt, reason: what, failures, retryAt: now + wait });
  };

  return {
    get unhealthy() {
      return unhealthy;
    },
    admit: () => {
      const at = clock.now();
      if (unhealthy === undefined) return { at, isProbe: false };
      if (at < unhealthy.retryAt || (probe !== undefined && at < probe.at + PROBE_MS)) return undefined;
      probe = { at, isProbe: true };
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
      // What was sent before it became unhealthy says nothing that is not known.
      if (failure === undefined || (unhealthy !== undefined && !admitted.isProbe)) return;
      fail(failure.what, failure.retryAfterMs);
    },
    reset: () => {
      failures = 0;
      retries = 0;
      probe = undefined;
      unhealthy = undefined;
    },
  };
}

function failureOf(trouble: Trouble, ms: number): Extract<Trouble, { readonly kind: "failed" }> | undefined {
  if (trouble.kind === "failed") return trouble;
  return ms < GIVEN_UP_MS
    ? undefined
    : { kind: "failed", what: `no answer within ${Math.round(ms / 1000)} s` };
}
