// Work for the end of this turn of the event loop. What is written to others then leaves together: each write wakes its
// reader, and to wake it once for many messages costs a fraction of waking it for each.

import type { Writable } from "node:stream";

let waiting: (() => void)[] = [];

/** In the order asked for. `work` answers for its own failures; what it throws is lost, so that the others still run. */
export function atTurnEnd(work: () => void): void {
  if (waiting.length === 0) setImmediate(runAll);
  waiting.push(work);
}

function runAll(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) {
    try {
      work();
    } catch {
      // It has answered for it.
    }
  }
}

/** Writes to a stream, all of one turn at once. Answers as `write` does: `false` asks to wait for `drain`. */
export function createTurnWriter(stream: Writable): (text: string) => boolean {
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  return (text) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    return stream.write(text);
  };
}
