// The responses with many unread bytes, and the end of their connections where they hold too many or for too long (SAFE-5).

import type { ServerResponse } from "node:http";
import type { Log } from "../../model/log.js";
import type { CallerShare } from "../sessions/edge-callers.js";
import type { EdgeLimits } from "../sessions/edge-limits.js";

export interface UnreadTracker {
  /** Call when a response has a large backlog. May end this connection, or another one. */
  readonly note: (res: ServerResponse, caller: CallerShare) => void;
  /** Whether a stream may send more, with so many bytes that are not written yet; ends its connection otherwise. */
  readonly admits: (res: ServerResponse, caller: CallerShare, waiting: number) => boolean;
}

export type UnreadLimits = Pick<
  EdgeLimits,
  "connectionUnreadBytes" | "callerUnreadBytes" | "unreadBytes" | "unreadMs"
>;

/** Backlogs below this size are not tracked. */
export const NOTED_BYTES = 64 * 1024;

export const UNREAD = "a client does not read what it is sent; its connection is ended";
/** The interval between two log lines about one caller. */
const LOG_INTERVAL_MS = 60_000;

interface Logged {
  readonly at: number;
  /** Connections that were ended since, without a line of their own. */
  unlogged: number;
}

export function createUnreadTracker(limits: UnreadLimits, log: Log): UnreadTracker {
  return new Tracker(limits, log);
}

class Tracker implements UnreadTracker {
  readonly #limits: UnreadLimits;
  readonly #log: Log;
  /** Responses with a large backlog, now or a moment ago: one at a time per connection. */
  readonly #slow = new Map<ServerResponse, CallerShare>();
  readonly #logged = new WeakMap<CallerShare, Logged>();

  constructor(limits: UnreadLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
  }

  admits(res: ServerResponse, caller: CallerShare, waiting: number): boolean {
    if (res.writableLength + waiting <= this.#limits.connectionUnreadBytes) return true;
    this.#end(res, caller, "connectionUnreadBytes");
    return false;
  }

  note(res: ServerResponse, caller: CallerShare): void {
    if (!this.#slow.has(res)) this.#watchBacklog(res, caller);
    const { callerUnreadBytes, unreadBytes } = this.#limits;
    while (this.#bytesOf(caller) > callerUnreadBytes) this.#endLargest(caller, "callerUnreadBytes");
    while (this.#bytesOf(undefined) > unreadBytes) this.#endLargest(this.#greediest(), "unreadBytes");
  }

  /** As long as a large part of the response is unread. The timeout restarts whenever the client reads, however little. */
  #watchBacklog(res: ServerResponse, caller: CallerShare): void {
    this.#slow.set(res, caller);
    const forget = (): void => {
      this.#slow.delete(res);
      res.off("drain", onDrain);
    };
    const onDrain = (): void => {
      // The timeout of a complete answer is its connection's, and stays.
      if (res.writableLength > NOTED_BYTES || res.writableEnded) return;
      res.setTimeout(0);
      res.off("close", forget);
      forget();
    };
    res.on("drain", onDrain);
    res.once("close", forget);
    res.setTimeout(this.#limits.unreadMs, () => {
      if (this.#slow.has(res)) this.#end(res, caller, "unreadMs");
    });
  }

  #bytesOf(caller: CallerShare | undefined): number {
    let sum = 0;
    for (const [res, owner] of this.#slow)
      if (caller === undefined || owner === caller) sum += res.writableLength;
    return sum;
  }

  #greediest(): CallerShare | undefined {
    const owners = [...new Set(this.#slow.values())];
    return owners.toSorted((a, b) => this.#bytesOf(b) - this.#bytesOf(a))[0];
  }

  #endLargest(caller: CallerShare | undefined, limit: keyof UnreadLimits): void {
    const own = [...this.#slow].filter(([, owner]) => owner === caller);
    const [largest] = own.toSorted(([a], [b]) => b.writableLength - a.writableLength);
    if (largest === undefined) this.#slow.clear();
    else this.#end(...largest, limit);
  }

  #end(res: ServerResponse, caller: CallerShare, limit: keyof UnreadLimits): void {
    this.#slow.delete(res);
    if (res.req.socket.destroyed) return;
    this.#logEnd(caller, { bytes: res.writableLength, limit });
    res.req.socket.destroy();
  }

  /** Once a minute per caller: a client may open connections faster than anybody reads log lines. */
  #logEnd(caller: CallerShare, facts: { readonly bytes: number; readonly limit: keyof UnreadLimits }): void {
    const now = performance.now();
    const last = this.#logged.get(caller);
    if (last !== undefined && now - last.at < LOG_INTERVAL_MS) {
      last.unlogged += 1;
      return;
    }
    const connections = (last?.unlogged ?? 0) + 1;
    this.#logged.set(caller, { at: now, unlogged: 0 });
    this.#log("warn", UNREAD, { caller: caller.shown, ...facts, connections });
  }
}
