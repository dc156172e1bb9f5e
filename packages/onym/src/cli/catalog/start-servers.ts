// Servers started or connected to for one command, with progress on stderr.

import type { Config, ConfigServer } from "../../config/config.js";
import type { Terminal } from "../terminal.js";
import { createLiveProgress } from "./live-progress.js";
import { type LiveServer, loadLiveServers } from "./live-servers.js";
import type { LiveOptions } from "./open-live.js";
import { snapshotOf } from "./open-snapshot.js";

export interface AskServersOptions extends Pick<LiveOptions, "quiet" | "version"> {
  /** Some of those of the config. */
  readonly servers: readonly ConfigServer[];
}

/** @throws OnymError for a config that cannot be used; nothing was started then (CFG-2). */
export async function askServers(
  config: Config,
  { servers, quiet, version }: AskServersOptions,
  terminal: Terminal,
): Promise<readonly LiveServer[]> {
  snapshotOf(config, { lock: undefined, today: terminal.today });
  return loadLiveServers(
    { ...config, servers },
    {
      env: terminal.env,
      version,
      ...(quiet === true ? {} : { onAnswer: createLiveProgress(terminal) }),
    },
  );
}
