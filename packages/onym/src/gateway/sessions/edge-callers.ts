// What an edge knows of its callers: what each uses of the gateway, by the key of its quota, with the refusal beyond it
// (SAFE-5); and whether each is still admitted. Also the clock that edges go by.

import { isIPv6 } from "node:net";
import { escapeText } from "@onym/core";
import { createTickets } from "../../mcp/fast-path/tickets.js";
import type { Log } from "../../model/log.js";
import type { Proof } from "../auth/authenticate.js";
import type { Refusal } from "../http/responses/refusal.js";
import type { CallerHints } from "../router.js";
import type { EdgeLimits } from "./edge-limits.js";

type Counted = "sessions" | "streams" | "pending" | "questions";

/** The quotas that a caller can reach, by their config names. */
const LIMIT_OF = {
  sessions: "callerSessions",
  streams: "callerStreams",
  pending: "callerPending",
  questions: "callerQuestions",
} as const satisfies Record<Counted, keyof EdgeLimits>;

const WORDS: Readonly<Record<Counted, string>> = {
  sessions: "sessions open",
  streams: "streams open",
  pending: "requests in flight",
  questions: "questions open",
};

/** When to retry: the caller's own requests must end first. */
const RETRY_MS = 1_000;
/** Longer than a request may take to arrive, so no request still uses a forgotten share. */
const FORGET_MS = 120_000;
/** The interval between two log lines about one caller. */
const LOG_INTERVAL_MS = 60_000;
/** Callers beyond this number share one quota. */
const MAX_CALLERS = 10_000;

/** What one caller uses. A class, because every request reads it. */
export class CallerShare {
  readonly key: string;
  sessions = 0;
  streams = 0;
  pending = 0;
  questions = 0;
  /** Of requests that still arrive, have no reply yet, or belong to a suspended call. */
  requestBytes = 0;
  suspendedBytes = 0;
  lastSeen = 0;
  /** Token bucket: the requests it may make now, and when that was computed. */
  #tokens: number;
  #reckonedAt: number;
  readonly #limits: EdgeLimits;
  readonly #tell: (share: CallerShare, limit: string) => void;

  constructor(
    key: string,
    limits: EdgeLimits,
    now: number,
    tell: (share: CallerShare, limit: string) => void,
  ) {
    this.key = key;
    this.#limits = limits;
    this.#tell = tell;
    this.#tokens = limits.callerRate;
    this.#reckonedAt = now;
  }

  /** The caller, for the log. */
  get shown(): string {
    return escapeText(this.key.slice(0, 200));
  }

  hasRoom(what: Counted): boolean {
    return this[what] < this.#limits[LIMIT_OF[what]];
  }

  /** `false` at the limit. */
  take(what: Counted): boolean {
    if (!this.hasRoom(what)) return false;
    this[what] += 1;
    return true;
  }

  release(what: Counted): void {
    this[what] -= 1;
  }

  /** The refusal of a request beyond the limit. */
  refusal(what: Counted): Refusal {
    const limit = LIMIT_OF[what];
    const max = this.#limits[limit];
    this.#tell(this, limit);
    return tooMany(`this caller has ${max} ${WORDS[what]}, as many as it may.`, {
      limit,
      max,
      retryAfterMs: RETRY_MS,
    });
  }

  /** The refusal of a request whose bytes are too many, with those that are here already. */
  refuseBytes(max: number): Refusal {
    this.#tell(this, "requestBytes");
    return tooMany(`this caller has ${max} bytes of requests under way, as many as it may.`, {
      limit: "requestBytes",
      max,
      retryAfterMs: RETRY_MS,
    });
  }

  /** Counts one request; returns the refusal if the rate is too high. */
  countRequest(now: number): Refusal | undefined {
    const rate = this.#limits.callerRate;
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#reckonedAt) * rate) / 1000);
    this.#reckonedAt = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return undefined;
    }
    this.#tell(this, "callerRate");
    return tooMany(`this caller makes more than ${rate} requests a second.`, {
      limit: "callerRate",
      max: rate,
      retryAfterMs: Math.ceil(((1 - this.#tokens) * 1000) / rate),
    });
  }

  get isIdle(): boolean {
    return this.sessions + this.streams + this.pending + this.questions + this.requestBytes === 0;
  }
}

export interface Quotas {
  readonly of: (caller: CallerKey) => CallerShare;
  /** Forgets callers that use nothing and have been idle for a while. */
  readonly sweep: () => void;
}

export function createQuotas(limits: EdgeLimits, clock: EdgeClock, log: Log): Quotas {
  const shares = new Map<string, CallerShare>();
  const loggedAt = new WeakMap<CallerShare, number>();
  /** Logs once a minute per caller, however often it is refused. */
  const tell = (share: CallerShare, limit: string): void => {
    const now = clock.elapsed();
    if (now - (loggedAt.get(share) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    loggedAt.set(share, now);
    log("warn", "a caller takes more than its share and is refused", { caller: share.shown, limit });
  };
  const sweep = (): void => {
    const now = clock.elapsed();
    for (const [key, share] of shares)
      if (share.isIdle && now - share.lastSeen > FORGET_MS) shares.delete(key);
  };
  return {
    of({ key }) {
      const now = clock.elapsed();
      let share = shares.get(key);
      if (share === undefined) {
        const own = shares.size < MAX_CALLERS ? key : OTHERS;
        share = shares.get(own) ?? new CallerShare(own, limits, now, tell);
        shares.set(own, share);
      }
      share.lastSeen = now;
      return share;
    },
    sweep,
  };
}

const OTHERS = "others";

/** Names the config limit and when to retry. */
function tooMany(
  what: string,
  data: { readonly limit: string; readonly max: number; readonly retryAfterMs: number },
): Refusal {
  const seconds = Math.max(1, Math.ceil(data.retryAfterMs / 1000));
  return {
    code: "too-many-requests",
    message: `Too Many Requests: ${what} Try again in ${seconds} s.`,
    data,
    headers: { "retry-after": String(seconds) },
  };
}

// The key of a caller's quota: the proved identity, else the network address (SAFE-5).

export interface CallerKey {
  readonly key: string;
  /** Without authentication, all local clients look alike and share one key. */
  readonly isShared: boolean;
}

/**
 * @example
 * callerKey("ci", "203.0.113.7").key; // "caller:ci"
 * callerKey(undefined, "2001:db8:1:2:3:4:5:6").key; // "address:2001:db8:1:2"
 */
export function callerKey(principal: string | undefined, address: string | undefined): CallerKey {
  if (principal !== undefined) return { key: `caller:${principal}`, isShared: false };
  const network = networkOf(address ?? "");
  return { key: `address:${network}`, isShared: isLoopback(network) };
}

/** The address; for IPv6 the first 64 bits, because one host usually has all addresses of its network. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(address) || address === "::1") return address;
  const [head = "", tail] = (address.split("%", 1)[0] ?? "").toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  if (tail === undefined) return first.slice(0, 4).join(":");
  const last = tail === "" ? [] : tail.split(":");
  const gap = Math.max(0, 8 - first.length - last.length);
  return [...first, ...new Array<string>(gap).fill("0"), ...last].slice(0, 4).join(":");
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127\./.test(address);
}

export function sessionOwnerOf({ principal, terms }: Pick<CallerHints, "principal" | "terms">): string {
  return principal === undefined ? "" : JSON.stringify([principal, terms?.toolboxes ?? null]);
}

// Things that stay open only while their caller is admitted: streams, sessions, requests in flight.

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
const MAX_TIMER_MS = 2 ** 31 - 1;

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
    held.stopTimer = clock.after(Math.min(Math.max(until - clock.now(), 0), MAX_TIMER_MS), () => {
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
