// How many long-lived streams are open, and whether one more may be.

export interface StreamCount {
  readonly take: () => boolean;
  readonly release: () => void;
}

export function createStreamCount(limit: number): StreamCount {
  let open = 0;
  return {
    take() {
      if (open >= limit) return false;
      open += 1;
      return true;
    },
    release() {
      open -= 1;
    },
  };
}
