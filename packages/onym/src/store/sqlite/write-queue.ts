// Which connection of this process may write to the file: one at a time, in the order asked. SQLite itself lets one write
// at a time, too, but those who find it busy try again in no order, and one might never get its turn.

export interface WriteQueue {
  /** `undefined` where it is one's turn at once. Every turn that is taken must be ended. */
  readonly take: () => Promise<void> | undefined;
  readonly end: () => void;
}

export function createWriteQueue(): WriteQueue {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return undefined;
    },
    end() {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
}
