// Hot reload (CFG-4): a changed file or SIGHUP brings a new config, whole or not at all.

import { type Stats, unwatchFile, watchFile } from "node:fs";

/** Editors write a file in several steps. */
const CALM_MS = 100;
const INTERVAL_MS = 250;

export interface ConfigWatch {
  readonly close: () => void;
}

/**
 * Calls `reload` when the file changes, or another is put in its place. Looks at it now and then: to be told, one would have
 * to watch its folder, since editors replace files, and the store in there is written to with every call.
 */
export function watchConfig(file: string, reload: () => void): ConfigWatch {
  let timer: NodeJS.Timeout | undefined;
  const look = (now: Stats, before: Stats): void => {
    // Told once of a file that is not there.
    if (now.ino === 0 && before.ino === 0) return;
    clearTimeout(timer);
    timer = setTimeout(reload, CALM_MS);
  };
  watchFile(file, { persistent: false, interval: INTERVAL_MS }, look);
  return {
    close() {
      clearTimeout(timer);
      unwatchFile(file, look);
    },
  };
}
