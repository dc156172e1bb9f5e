// How long to wait before the next attempt to connect: twice as long each time, up to two seconds, never all replicas at
// the same moment.

const FIRST_MS = 50;
const LONGEST_MS = 2000;

/** `failures` from 1 up; `random` in [0, 1) takes up to half off. */
export function reconnectMs(failures: number, random: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2);
}
