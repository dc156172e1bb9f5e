// Work for the end of this turn of the event loop. What is written to others then leaves together: each write wakes its
// reader, and to wake it once for many messages costs a fraction of waking it for each.

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
