// How many HTTP connections are accepted at once: as the config says, and never so many that servers cannot be started and
// the store cannot be opened for want of file descriptors.

import { readdirSync, readFileSync } from "node:fs";
import type { Log } from "../model/log.js";

export interface ConnectionNeeds {
  /** By the config. */
  readonly wanted: number;
  /** How many servers the config has. */
  readonly servers: number;
  readonly log: Log;
}

/** For the store, the lock, the control socket, what commands ask, and modules that are loaded late. */
const RESERVED = 16;
/** A process needs three pipes, and for a moment as many again when it is started anew; HTTP needs a few connections. */
const RESERVED_PER_SERVER = 6;
const MIN_CONNECTIONS = 4;

export function maxConnections({ wanted, servers, log }: ConnectionNeeds): number {
  const files = readOpenFiles();
  if (files === undefined) return wanted;
  const room = files.max - files.open - RESERVED - servers * RESERVED_PER_SERVER;
  const max = Math.max(MIN_CONNECTIONS, Math.min(wanted, room));
  if (max < wanted)
    log("warn", `only ${max} connections are accepted at once: this process may open ${files.max} files`, {
      limit: "connections",
      wanted,
      hint: "Raise it with ulimit -n.",
    });
  return max;
}

/** Files that are open, and how many may be; `undefined` where that cannot be told. */
function readOpenFiles(): { readonly open: number; readonly max: number } | undefined {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return max === undefined ? undefined : { open: readdirSync("/proc/self/fd").length, max: Number(max) };
  } catch {
    return undefined;
  }
}
