// What an edge knows of its callers: what each uses of the gateway, by the key of its quota, with the refusal beyond it
// (SAFE-5).

import { isIPv6 } from "node:net";
import { escapeText } from "@onym/core";
import type { EdgeClock } from "../../model/clock.js";
import type { Log } from "../../model/log.js";
import type { Refusal } from "../http/responses/refusal.js";
import type { EdgeLimits } from "./edge-limits.js";

type Counted = "sessions" | "streams" | "pending" | "serverRequests";

/** The quotas that a caller can reach, by their config names. */
const LIMIT_OF = {
  sessions: "callerSessions",
  streams: "callerStreams",
  pending: "callerPending",
  serverRequests: "callerQuestions",
} as const satisfies Record<Counted, keyof EdgeLimits>;

const WORDS: Readonly<Record<Counted, string>> = {
  sessions: "sessions open",
  streams: "streams open",
  pending: "requests in flight",
  serverRequests: "questions open",
};

/** When to retry: the caller's own requests must end first. */
const RETRY_MS = 1_000;
/** Longer than a request may take to arrive, so no request still uses a forgotten share. */
const FORGET_MS = 120_000;
/** The interval between two log lines about one caller. */
const LOG_INTERVAL_MS = 60_000;
const COUNTED = ", with each resource of a subscription counted as one";
/** Callers beyond this number share one quota. */
const MAX_CALLERS = 10_000;
const OTHERS = "others";

/** What one caller uses. */
export class CallerShare {
  readonly key: string;
  sessions = 0;
  streams = 0;
  pending = 0;
  serverRequests = 0;
  /** Of requests that still arrive, have no reply yet, or belong to a suspended call. */
  requestBytes = 0;
  suspendedBytes = 0;
  lastSeen = 0;
  /** Token bucket: the requests it may make now, and when that was computed. */
  #tokens: number;
  #updatedAt: number;
  readonly #limits: EdgeLimits;
  readonly #logRefusal: LogRefusal;

  constructor(key: string, limits: EdgeLimits, now: number, logRefusal: LogRefusal) {
    this.key = key;
    this.#limits = limits;
    this.#logRefusal = logRefusal;
    this.#tokens = limits.callerRate;
    this.#updatedAt = now;
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
    return this.#refuse(`this caller has ${max} ${WORDS[what]}, as many as it may.`, { limit, max });
  }

  /** The refusal of a request whose bytes are too many, with those that are here already. */
  refuseBytes(max: number): Refusal {
    const text = `this caller has ${max} bytes of requests in flight, as many as it may.`;
    return this.#refuse(text, { limit: "requestBytes", max });
  }

  /** The refusal of a read that would wait behind too many of this caller. */
  refuseReads(max: number): Refusal {
    return this.#refuse(`this caller has ${max} reads waiting, as many as it may.`, {
      limit: "callerReads",
      max,
    });
  }

  /** Counts one request; returns the refusal if the rate is too high. */
  countRequest(now: number): Refusal | undefined {
    this.#refill(now);
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return undefined;
    }
    return this.#refuseRate(1 - this.#tokens, "");
  }

  /**
   * Counts a request that was counted once as so many more. One that alone is worth more than a second of requests is let
   * through where there were no others for a second, and the next ones wait for longer.
   */
  countMore(now: number, requests: number): Refusal | undefined {
    this.#refill(now);
    const needed = Math.min(requests, this.#limits.callerRate - 1);
    if (this.#tokens < needed) return this.#refuseRate(needed - this.#tokens, COUNTED);
    this.#tokens -= requests;
    return undefined;
  }

  #refill(now: number): void {
    const rate = this.#limits.callerRate;
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#updatedAt) * rate) / 1000);
    this.#updatedAt = now;
  }

  #refuseRate(missing: number, how: string): Refusal {
    const rate = this.#limits.callerRate;
    const text = `this caller makes more than ${rate} requests a second${how}.`;
    return this.#refuse(text, { limit: "callerRate", max: rate }, Math.ceil((missing * 1000) / rate));
  }

  /** Names the config limit and when to retry. */
  #refuse(
    what: string,
    { limit, max }: { readonly limit: string; readonly max: number },
    retryAfterMs = RETRY_MS,
  ): Refusal {
    this.#logRefusal(this, limit);
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    return {
      code: "too-many-requests",
      message: `Too Many Requests: ${what} Try again in ${seconds} s.`,
      data: { limit, max, retryAfterMs },
      headers: { "retry-after": String(seconds) },
    };
  }

  get isIdle(): boolean {
    return this.sessions + this.streams + this.pending + this.serverRequests + this.requestBytes === 0;
  }
}

type LogRefusal = (share: CallerShare, limit: string) => void;

export interface Quotas {
  readonly of: (caller: CallerKey) => CallerShare;
  /** Forgets callers that use nothing and have been idle for a while. */
  readonly sweep: () => void;
}

export function createQuotas(limits: EdgeLimits, clock: EdgeClock, log: Log): Quotas {
  const shares = new Map<string, CallerShare>();
  const loggedAt = new WeakMap<CallerShare, number>();
  /** Logs once a minute per caller, however often it is refused. */
  const logRefusal: LogRefusal = (share, limit) => {
    const now = clock.elapsed();
    if (now - (loggedAt.get(share) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    loggedAt.set(share, now);
    log("warn", "a caller takes more than its share and is refused", { caller: share.shown, limit });
  };
  return {
    of({ key }) {
      const now = clock.elapsed();
      let share = shares.get(key);
      if (share === undefined) {
        const own = shares.size < MAX_CALLERS ? key : OTHERS;
        share = shares.get(own) ?? new CallerShare(own, limits, now, logRefusal);
        shares.set(own, share);
      }
      share.lastSeen = now;
      return share;
    },
    sweep() {
      const now = clock.elapsed();
      for (const [key, share] of shares)
        if (share.isIdle && now - share.lastSeen > FORGET_MS) shares.delete(key);
    },
  };
}

// Bytes of requests that still arrive, have no reply yet, or belong to a suspended call: limited per caller and
// in total, because each alone may be large (SAFE-5).

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
    // Where all together have too many, each gets an equal part; a caller with less goes on.
    const share = this.#total > all ? Math.min(max, all / this.#callers) : max;
    // Parts of ever more callers add up; the process has to survive.
    const own = this.#total > 2 * all ? 0 : Math.floor(share);
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

  /** Counts what a server asks during the call. Returns the limit if the caller's suspended calls have too many bytes. */
  takeServerRequest(bytes: number): number | undefined {
    const max = this.#limits.suspended.take(this.#caller, bytes);
    if (max !== undefined) this.releaseServerRequest(bytes);
    return max;
  }

  /** Call once for each `takeServerRequest` that was not refused. */
  releaseServerRequest(bytes: number): void {
    this.#limits.suspended.release(this.#caller, bytes);
  }

  #drop(): void {
    this.#limits.all.release(this.#caller, this.#bytes);
    this.#bytes = 0;
  }
}

// The key of a caller's quota: the proven identity, else the network address (SAFE-5).

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
  const isShared = isLoopback(network);
  // This machine has millions of addresses, and each program on it may use any.
  return { key: `${ADDRESS}${isShared ? LOOPBACK : network}`, isShared };
}

/** Whether it is the key of a caller that has proved nothing. */
export function isAddressKey(key: string): boolean {
  return key.startsWith(ADDRESS);
}

const ADDRESS = "address:";

const LOOPBACK = "127.0.0.1";

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
