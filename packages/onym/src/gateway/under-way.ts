// Requests that were taken and are not answered yet. Between being taken and reaching a server a call is decided and
// recorded, so servers are closed only when the requests are through.

export interface UnderWay {
  readonly add: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when nothing is under way any more, or after `ms`; with what is left of them. */
  readonly drain: (ms: number) => Promise<number>;
}

export function createUnderWay(): UnderWay {
  let count = 0;
  const idle = new Set<() => void>();
  const end = (): void => {
    count -= 1;
    if (count === 0) for (const wake of idle) wake();
  };
  return {
    add(work) {
      count += 1;
      work.then(end, end);
      return work;
    },
    async drain(ms) {
      const begun = performance.now();
      if (count > 0) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          idle.add(resolve);
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
      }
      return Math.max(0, ms - (performance.now() - begun));
    },
  };
}
