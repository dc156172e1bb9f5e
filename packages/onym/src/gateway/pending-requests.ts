// Requests that were taken and are not answered yet. Between being taken and reaching a server a call is decided and
// recorded, so servers are closed only when the requests are through.

export interface PendingRequests {
  readonly begin: () => void;
  readonly end: () => void;
  /** Resolves when nothing is under way any more, or after `ms`; with what is left of them. */
  readonly drain: (ms: number) => Promise<number>;
}

export function createPendingRequests(): PendingRequests {
  let count = 0;
  const idle = new Set<() => void>();
  return {
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      if (count === 0) for (const wake of idle) wake();
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
