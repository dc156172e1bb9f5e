// Hot reload (CFG-4): a changed file or SIGHUP brings a new config, whole or not at all.

import { type Stats, stat, statSync } from "node:fs";

/** Editors write a file in several steps. */
const CALM_MS = 100;
const INTERVAL_MS = 250;

export interface ConfigWatch {
  readonly close: () => void;
}

/** What tells one state of a file from another; nothing where it is not there. Taken before it is read. */
export function stampOf(file: string): string {
  return formatStamp(statSync(file, { throwIfNoEntry: false }));
}

/**
 * Calls `reload` when the file is another than when it was stamped. Looks at it now and then: to be told, one would have to
 * watch its folder, since editors replace files, and the store in there is written to with every call.
 */
export function watchConfig(file: string, stamp: string, reload: () => void): ConfigWatch {
  let seen = stamp;
  let calm: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;
  const look = (): void => {
    // A folder on the network may take its time.
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
