// The config of a command: as its file is, or with the tools that its servers list now.

import type { CatalogProblem } from "@onym/core";
import type { Config, ConfigServer } from "../config/config.js";
import { loadConfig } from "../config/load-config.js";
import { notStatic, snapshotOf } from "./open-snapshot.js";
import type { Terminal } from "./terminal.js";
import { usageError } from "./usage-error.js";

export interface LiveOptions {
  readonly config?: string;
  /** Ask the servers of the config for their tools. */
  readonly live?: boolean;
  /** The address of a server that is in no config. */
  readonly url?: string;
  /** The command of a server that is in no config. */
  readonly started?: readonly string[];
  /** Only failures are told. */
  readonly quiet?: boolean;
  /** Of this program, for the handshake. */
  readonly version: string;
}

export interface OpenedConfig {
  readonly config: Config;
  /** The server stands on the command line: there is no file, and no lock beside it. */
  readonly isGiven: boolean;
  /** Servers were asked, whatever came of it. */
  readonly isAsked: boolean;
  /** The servers whose tools were listed just now. */
  readonly live: ReadonlySet<ConfigServer>;
  /** Servers that were not asked or did not answer, and what to do. */
  readonly left: readonly CatalogProblem[];
}

const NONE: ReadonlySet<ConfigServer> = new Set();

/** @throws OnymError for a config that cannot be used; nothing was started then (CFG-2). */
export async function openLive(options: LiveOptions, terminal: Terminal): Promise<OpenedConfig> {
  const given = await givenConfig(options, terminal);
  const config = given ?? loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  if (given === undefined && options.live !== true) {
    const left = notStatic(config);
    return { config, isGiven: false, isAsked: false, live: NONE, left: left === undefined ? [] : [left] };
  }
  snapshotOf(config, { lock: undefined, today: terminal.today });
  const [{ loadLiveServers }, { buildLiveConfig }, { createLiveProgress }] = await Promise.all([
    import("./live-servers.js"),
    import("./live-config.js"),
    import("./live-progress.js"),
  ]);
  const asked = await loadLiveServers(config, {
    env: terminal.env,
    version: options.version,
    ...(options.quiet === true ? {} : { onAnswer: createLiveProgress(terminal) }),
  });
  const built = buildLiveConfig(config, asked);
  return {
    config: built.config,
    isGiven: given !== undefined,
    isAsked: true,
    live: built.live,
    left: built.problems,
  };
}

async function givenConfig(options: LiveOptions, terminal: Terminal): Promise<Config | undefined> {
  const { url, started = [], config } = options;
  if (url === undefined && started.length === 0) return undefined;
  if (url !== undefined && started.length > 0)
    throw usageError("--url and a command do not go together.", "Use one of them.");
  if (config !== undefined) {
    const what = url === undefined ? "A command" : "--url";
    throw usageError(`${what} and --config do not go together.`, "Use --live for the servers of a config.");
  }
  const { buildGivenConfig } = await import("./live-given.js");
  return buildGivenConfig(url === undefined ? { command: started } : { url }, terminal);
}
