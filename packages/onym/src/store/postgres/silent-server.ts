// A database server that holds the line and says nothing: paused, overwhelmed, or behind a network that drops what is
// sent. Its own time limits do not help then, so every wait has one here.

import { formatDuration } from "../../model/clock.js";

export class SilentServer extends Error {
  readonly code = "ETIMEDOUT";
}

/** @throws SilentServer when it takes longer. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentServer(`no answer within ${formatDuration(ms)}`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

// How long to wait before the next attempt to connect: twice as long each time, up to two seconds, never all replicas at
// the same moment.

const FIRST_MS = 50;
const MAX_MS = 2000;

/** `failures` from 1 up; `random` in [0, 1) takes up to half off. */
export function reconnectMs(failures: number, random: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2);
}
