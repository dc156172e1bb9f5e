// Config, tools and lock → snapshot: how every command that knows tools begins.

import type { Lock, Snapshot } from "@onym/core";
import { loadLock, lockFileOf } from "./lock-file.js";
import { type LiveOptions, type OpenedConfig, openLive } from "./open-live.js";
import { snapshotOf } from "./open-snapshot.js";
import type { Terminal } from "./terminal.js";

export interface OpenOptions extends LiveOptions {
  /** `false`: names already given out are not looked up. */
  readonly lock?: boolean;
  readonly as?: string;
}

export interface Opened extends OpenedConfig {
  readonly snapshot: Snapshot;
  /** The lock as it was read. */
  readonly lock: Lock | undefined;
}

/** @throws OnymError for a config or lock that cannot be used; nothing was changed then. */
export async function openLiveSnapshot(options: OpenOptions, terminal: Terminal): Promise<Opened> {
  const opened = await openLive(options, terminal);
  const { config, isGiven } = opened;
  const lock = options.lock === false || isGiven ? undefined : loadLock(lockFileOf(config));
  const snapshot = snapshotOf(config, { lock, as: options.as, today: terminal.today });
  return { ...opened, lock, snapshot };
}
