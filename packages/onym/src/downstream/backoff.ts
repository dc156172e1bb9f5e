// How long to wait before the next attempt: twice as long each time, up to a minute, never all at the same moment.

const FIRST_MS = 1000;
export const MAX_BACKOFF_MS = 60_000;

/** `failures` from 1 up; `random` in [0, 1) takes up to a quarter off. */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (1 - random / 4));
}
