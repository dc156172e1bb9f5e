// How much room the disk of the file has left. New work is refused while there is still room for the records of what runs:
// on a disk that is full to the last byte, outcomes would be lost.

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { OnymError } from "../../model/onym-error.js";
import { storeUnavailable } from "../store-errors.js";

/** As much as thousands of outcomes take, and what SQLite needs to make room again. */
export const RESERVE_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 1_000;

export interface RoomOptions {
  readonly path: string;
  readonly place: string;
  readonly now?: () => number;
  /** Bytes that this user may still write. */
  readonly measure?: (folder: string) => Promise<number>;
}

/** Says why nothing new may begin. Goes by the last look and looks again in the background: nobody waits for it. */
export function watchRoom({
  path,
  place,
  now = () => performance.now(),
  measure = freeBytes,
}: RoomOptions): () => OnymError | undefined {
  let left = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    // Where it cannot be measured, writing finds out.
    left = await measure(dirname(path)).catch(() => Number.POSITIVE_INFINITY);
  };
  return () => {
    if (now() - lookedAt >= LOOK_MS) {
      lookedAt = now();
      void look();
    }
    if (left >= RESERVE_BYTES) return undefined;
    return storeUnavailable(
      place,
      `its disk has ${Math.floor(left / 1024)} KiB left, and ${RESERVE_BYTES / 1024 / 1024} MiB are kept for the records of calls that run`,
    );
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
