// Reads beside MCP that cost more than a call: the pages of the console, the status and metrics. They wait for their turn, callers
// take turns, and nothing is read for a client that has left (SAFE-5).

import { busy, type Refusal } from "../http/responses/refusal.js";
import type { CallerShare } from "./edge-callers.js";

export interface ReadQueue {
  /** Runs a read in its turn. It should stop when the signal is aborted: the client has left. */
  readonly run: <Value>(
    share: CallerShare,
    signal: AbortSignal,
    read: () => Promise<Value>,
  ) => Promise<ReadOutcome<Value>>;
}

export type ReadOutcome<Value> =
  | { readonly outcome: "read"; readonly value: Value }
  | { readonly outcome: "refused"; readonly refusal: Refusal }
  | { readonly outcome: "left" };

/** Reads of different callers at the same time: one that waits for the store holds up few others. */
const MAX_RUNNING = 4;
/** Of one caller. A browser asks for six at a time. */
export const MAX_CALLER_READS = 32;
/** Of all callers. */
export const MAX_READS = 256;

export function createReadQueue(): ReadQueue {
  /** Callers in the order of their turns, each with what begins its reads. */
  const waiting = new Map<CallerShare, (() => void)[]>();
  const running = new Set<CallerShare>();
  let count = 0;

  /** Of a caller whose reads are one less. */
  const keep = (share: CallerShare, rest: (() => void)[]): void => {
    count -= 1;
    if (rest.length > 0) waiting.set(share, rest);
    else waiting.delete(share);
  };
  const startNext = (): void => {
    for (const [share, [begin, ...rest]] of waiting) {
      if (running.size >= MAX_RUNNING) return;
      if (begin === undefined || running.has(share)) continue;
      keep(share, rest);
      begin();
    }
  };
  /** Resolves when it is this read's turn; `false` if its client has left before. */
  const takeTurn = (share: CallerShare, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const leave = (): void => {
        keep(share, waiting.get(share)?.filter((each) => each !== begin) ?? []);
        resolve(false);
      };
      const begin = (): void => {
        signal.removeEventListener("abort", leave);
        running.add(share);
        resolve(true);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.set(share, [...(waiting.get(share) ?? []), begin]);
      count += 1;
      startNext();
    });

  /** Others had no turn while this caller read. */
  const endTurn = (share: CallerShare): void => {
    const rest = waiting.get(share);
    running.delete(share);
    waiting.delete(share);
    if (rest !== undefined) waiting.set(share, rest);
    startNext();
  };

  return {
    async run(share, signal, read) {
      if (signal.aborted) return { outcome: "left" };
      const own = waiting.get(share)?.length ?? 0;
      if (own >= MAX_CALLER_READS)
        return { outcome: "refused", refusal: share.refuseReads(MAX_CALLER_READS) };
      // Where all together have too many, each gets an equal part; a caller with less goes on.
      if (count >= MAX_READS && own >= Math.floor(MAX_READS / (waiting.size + 1)))
        return { outcome: "refused", refusal: FULL };
      if (!(await takeTurn(share, signal))) return { outcome: "left" };
      try {
        return { outcome: "read", value: await read() };
      } catch (error) {
        if (signal.aborted) return { outcome: "left" };
        throw error;
      } finally {
        endTurn(share);
      }
    },
  };
}

const FULL = busy("Too many reads wait");
