// Bytes sent to clients that they have not read: limited per connection, per caller and in total (SAFE-5). A
// small response costs one comparison; only larger backlogs are tracked.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../../../model/log.js";
import type { CallerShare } from "../../sessions/create-quotas.js";
import type { EdgeLimits } from "../../sessions/edge-limits.js";

export interface UnreadBytes {
  /** Counts the bytes on this connection for this caller from now on. */
  readonly watch: (socket: Socket, caller: CallerShare) => void;
}

export type UnreadLimits = Pick<
  EdgeLimits,
  "connectionUnreadBytes" | "callerUnreadBytes" | "unreadBytes" | "unreadMs"
>;

/** Backlogs below this size are not tracked. */
const NOTED_BYTES = 64 * 1024;

interface Watched {
  readonly caller: CallerShare;
  readonly tracker: Tracker;
}

const watched = new WeakMap<Socket, Watched>();

export function createUnreadBytes(limits: UnreadLimits, log: Log): UnreadBytes {
  const tracker = new Tracker(limits, log);
  return {
    watch(socket, caller) {
      if (watched.get(socket)?.caller !== caller) watched.set(socket, { caller, tracker });
    },
  };
}

/** Call after each write. May end this connection, or another one. */
export function noteWritten(res: ServerResponse): void {
  if (res.writableLength <= NOTED_BYTES) return;
  const found = watched.get(res.req.socket);
  found?.tracker.note(res, found.caller);
}

/** Whether a stream may send more; ends the connection of a client with too many unread bytes. */
export function mayWriteMore(res: ServerResponse): boolean {
  if (res.writableLength <= NOTED_BYTES) return true;
  const found = watched.get(res.req.socket);
  return found === undefined || found.tracker.admits(res, found.caller);
}

class Tracker {
  readonly #limits: UnreadLimits;
  readonly #log: Log;
  /** Responses with a large backlog, now or a moment ago: one at a time per connection. */
  readonly #slow = new Map<ServerResponse, CallerShare>();

  constructor(limits: UnreadLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
  }

  admits(res: ServerResponse, caller: CallerShare): boolean {
    if (res.writableLength <= this.#limits.connectionUnreadBytes) return true;
    this.#end(res, caller, "connectionUnreadBytes");
    return false;
  }

  note(res: ServerResponse, caller: CallerShare): void {
    if (!this.#slow.has(res)) this.#watchReading(res, caller);
    const { callerUnreadBytes, unreadBytes } = this.#limits;
    while (this.#bytesOf(caller) > callerUnreadBytes) this.#endLargest(caller, "callerUnreadBytes");
    while (this.#bytesOf(undefined) > unreadBytes) this.#endLargest(this.#greediest(), "unreadBytes");
  }

  /** The socket timeout restarts whenever the client reads, however little. */
  #watchReading(res: ServerResponse, caller: CallerShare): void {
    this.#slow.set(res, caller);
    const forget = (): void => {
      this.#slow.delete(res);
      res.off("drain", onDrain);
    };
    const onDrain = (): void => {
      if (res.writableLength > NOTED_BYTES) return;
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
    this.#log("warn", "a client does not read what it is sent; its connection is ended", {
      caller: caller.shown,
      bytes: res.writableLength,
      limit,
    });
    res.req.socket.destroy();
  }
}
