// Config, tools and lock → snapshot: how every command that knows tools begins.

import type { Lock, Snapshot } from "@onym/core";
import { createHiddenTools, explainHidden, type HiddenTools } from "../names/hidden-tools.js";
import { type GivenNames, loadGivenNames } from "../names/lock/given-names.js";
import type { Terminal } from "../terminal.js";
import { type LiveOptions, type OpenedConfig, openLive } from "./open-live.js";
import { snapshotOf } from "./open-snapshot.js";

export interface OpenOptions extends LiveOptions {
  /** `false`: names already given out are not looked up. */
  readonly lock?: boolean;
  readonly as?: string;
}

export interface Opened extends OpenedConfig {
  readonly snapshot: Snapshot;
  /** The lock as it was read. */
  readonly lock: Lock | undefined;
  readonly given: GivenNames;
  readonly hidden: HiddenTools;
}

const NONE: GivenNames = { lock: undefined, from: undefined, isShared: false };

/** @throws OnymError for a config or lock that cannot be used; nothing was changed then. */
export async function openLiveSnapshot(options: OpenOptions, terminal: Terminal): Promise<Opened> {
  const opened = await openLive(options, terminal);
  const { config, isGiven } = opened;
  const given = options.lock === false || isGiven ? NONE : await loadGivenNames(config, terminal.cwd);
  const naming = { lock: given.lock, as: options.as, today: terminal.today };
  const hidden = createHiddenTools(config, naming);
  const built = snapshotOf(config, naming);
  const snapshot = { ...built, problems: explainHidden(built.problems, hidden) };
  return { ...opened, lock: given.lock, given, hidden, snapshot };
}
