// The config of a command: as its file is, or with the tools that its servers list now.

import type { CatalogProblem } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { loadConfig } from "../../config/load-config.js";
import { profileOf } from "../options.js";
import type { Terminal } from "../terminal.js";
import { usageError } from "../usage-error.js";
import { notFilled, notStatic } from "./open-snapshot.js";

export interface LiveOptions {
  readonly config?: string;
  /** Ask the servers of the config for their tools, whatever is known of them. */
  readonly live?: boolean;
  /** Only the tools that stand in the config. */
  readonly static?: boolean;
  /**
   * How far to go for the tools of servers that run: ask the gateway, read what is on record, start them. Without a word,
   * all of it.
   */
  readonly until?: "gateway" | "record" | "servers";
  /** The address of a server that is in no config. */
  readonly url?: string;
  /** The command of a server that is in no config. */
  readonly started?: readonly string[];
  /** Whose names or rules are asked for: ids that the config or Onym knows. */
  readonly profile?: string | readonly string[];
  /** Only failures are told. */
  readonly quiet?: boolean;
  /** Looks at the config before anything is asked or started; what it throws ends the command. */
  readonly checkConfig?: (config: Config) => void;
  /** Of this program, for the handshake. */
  readonly version: string;
}

/** Where the tools of a command come from (CFG-5). */
export interface ToolsOrigin {
  readonly from: "config" | "gateway" | "record" | "servers";
  /** When what is on record was written, where some tools are from there. */
  readonly asOf?: string;
  /** For people; `undefined` where nothing has to be said. */
  readonly note: string | undefined;
}

export interface OpenedTools {
  readonly config: Config;
  /** All was tried to know the tools. */
  readonly isAsked: boolean;
  /** The servers whose tools are those they list now. */
  readonly live: ReadonlySet<ConfigServer>;
  /** The servers whose tools are those on record, which may lack their definitions. */
  readonly recorded: ReadonlySet<ConfigServer>;
  /** The servers that run somewhere and were not asked: nothing here says what they list now. */
  readonly unasked: ReadonlySet<ConfigServer>;
  /** Servers whose tools are not known or not of now, and what to do. */
  readonly left: readonly CatalogProblem[];
  /** `undefined` where all tools stand in the config. */
  readonly origin: ToolsOrigin | undefined;
}

export interface OpenedConfig extends OpenedTools {
  /** The server stands on the command line: there is no file, and no lock beside it. */
  readonly isGiven: boolean;
}

/** @throws OnymError for a config that cannot be used; nothing was started then (CFG-2). */
export async function openLive(options: LiveOptions, terminal: Terminal): Promise<OpenedConfig> {
  if (options.live === true && options.static === true)
    throw usageError("--live and --static do not go together.", "Use one of them.");
  const given = await givenConfig(options, terminal);
  const config = given ?? loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  const isGiven = given !== undefined;
  for (const id of [options.profile ?? []].flat()) profileOf(id, config.profiles);
  options.checkConfig?.(config);
  if (isGiven || options.live === true) return { isGiven, ...(await askAll(config, options, terminal)) };
  if (options.static === true || config.servers.every(({ isStatic }) => isStatic))
    return { isGiven, ...asInFile(config) };
  const { findTools } = await import("./find-tools.js");
  return { isGiven, ...(await findTools(config, options, terminal)) };
}

/** It lists its tools when it runs, and its entry is whole. */
export function isAskable({ isStatic, unfilled }: ConfigServer): boolean {
  return !isStatic && unfilled.length === 0;
}

/** What a report for machines says of where its tools come from. */
export function reportOrigin({ origin }: Pick<OpenedTools, "origin">) {
  if (origin === undefined) return {};
  const { from, asOf } = origin;
  return asOf === undefined ? { from } : { from, asOf };
}

function asInFile(config: Config): OpenedTools {
  const unasked = notStatic(config);
  const left = [...notFilled(config), ...(unasked === undefined ? [] : [unasked])];
  return {
    config,
    isAsked: false,
    live: new Set(),
    recorded: new Set(),
    unasked: new Set(config.servers.filter(isAskable)),
    left,
    origin: left.length === 0 ? undefined : { from: "config", note: undefined },
  };
}

async function askAll(config: Config, options: LiveOptions, terminal: Terminal): Promise<OpenedTools> {
  const [{ askServers }, { buildLiveConfig }] = await Promise.all([
    import("./start-servers.js"),
    import("./live-config.js"),
  ]);
  const asked = await askServers(config, { ...options, servers: config.servers }, terminal);
  const { problems, ...built } = buildLiveConfig(config, asked);
  return {
    ...built,
    recorded: new Set(),
    unasked: new Set(),
    isAsked: true,
    left: problems,
    origin: { from: "servers", note: undefined },
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
