// Hot reload (CFG-4): a changed file or SIGHUP brings a new config, whole or not at all.

import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Log } from "../observe/log.js";

/** Editors write a file in several steps. */
const CALM_MS = 100;

export interface ConfigWatch {
  readonly close: () => void;
}

/** Calls `reload` when one of the files changes. Watches folders, because editors replace files. */
export function watchConfig(files: readonly string[], reload: () => void, log: Log): ConfigWatch {
  const folders = new Set(files.map((file) => dirname(file)));
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(reload, CALM_MS);
  };
  const watchers: FSWatcher[] = [];
  for (const folder of folders) {
    const wanted = new Set(files.filter((file) => dirname(file) === folder).map((file) => basename(file)));
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || wanted.has(name)) soon();
      });
      watcher.on("error", (error) => log("warn", `the config is no longer watched: ${error.message}`));
      watchers.push(watcher);
    } catch (error) {
      log("warn", `the config cannot be watched: ${String(error)}`, { folder });
    }
  }
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
