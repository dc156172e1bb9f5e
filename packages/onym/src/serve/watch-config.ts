// Watches a file of the config for changes (CFG-4).

import { type Stats, stat, statSync } from "node:fs";

/** Editors write a file in several steps. */
const CALM_MS = 100;
const INTERVAL_MS = 250;

export interface ConfigWatch {
  readonly close: () => void;
}

/** Identifies the state of a file; empty if it does not exist. Take it before reading the file. */
export function stampOf(file: string): string {
  return formatStamp(statSync(file, { throwIfNoEntry: false }));
}

/**
 * Calls `reload` when the file differs from its stamp. It polls: editors replace files, so a watcher would
 * need the folder, and every call writes to the store in it.
 */
export function watchConfig(file: string, stamp: string, reload: () => void): ConfigWatch {
  let seen = stamp;
  let calm: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;
  const look = (): void => {
    // A network folder may be slow.
    if (isLooking) return;
    isLooking = true;
    stat(file, (error, found) => {
      isLooking = false;
      const now = error === null ? formatStamp(found) : "";
      if (isClosed || now === seen) return;
      seen = now;
      clearTimeout(calm);
      calm = setTimeout(reload, CALM_MS);
    });
  };
  const timer = setInterval(look, INTERVAL_MS).unref();
  return {
    close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(calm);
    },
  };
}

function formatStamp(found: Stats | undefined): string {
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`;
}
