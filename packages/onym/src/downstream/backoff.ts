// The delay before the next attempt: doubled each time, up to a minute, with jitter.

const FIRST_MS = 1000;
export const MAX_BACKOFF_MS = 60_000;

/** `failures` starts at 1; `random` in [0, 1) takes up to a quarter off. */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (1 - random / 4));
}
