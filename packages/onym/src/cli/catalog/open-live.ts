// The config of a command: as its file is, or with the tools that its servers list now.

import type { CatalogProblem, Lock, Snapshot } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { readTextFile } from "../../config/files/read-text-file.js";
import { readConfig } from "../../config/read-config.js";
import { profileOf } from "../../configured/profile-of.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import type { Terminal } from "../../output/terminal.js";
import { createHiddenTools, explainHidden, type HiddenTools } from "../names/hidden-tools.js";
import { type GivenNames, loadGivenNames } from "../names/lock/given-names.js";
import { usageError } from "../usage-error.js";
import { loadConfigHere } from "./config-here.js";
import { notFilled, notStatic } from "./left-out.js";

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
  /** Only failures are printed. */
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
  const config = given ?? loadConfigHere(options, terminal);
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
    import("./live-servers.js"),
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
  return buildGivenConfig(url === undefined ? { command: started } : { url }, terminal);
}

// Config, tools and lock → snapshot: how every command that knows tools begins.

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

// A server that is in no config: an address or a command on the command line, under an id made from it.

type GivenServer = { readonly url: string } | { readonly command: readonly string[] };

const FILE = "the command line";

/** @throws OnymError `usage` for an address that cannot be reached. */
function buildGivenConfig(given: GivenServer, { env, cwd }: Pick<Terminal, "env" | "cwd">): Config {
  const place = { file: FILE, folder: cwd, isClientFile: false, env, readText: readTextFile };
  const empty = readConfig('{"mcpServers": {}}', place);
  const server: ConfigServer = {
    source: { server: "url" in given ? idFromUrl(given.url) : idFromCommand(given.command), tools: [] },
    hidden: [],
    isStatic: false,
    entry: entryOf(given),
    written: entryOf(given),
    unfilled: [],
    variables: new Map(),
    runs: true,
    launchDigest: "",
    path: "",
    place: { file: FILE, line: 1, column: 1 },
    toolPlaces: new Map(),
  };
  return { ...empty, store: "none", servers: [server] };
}

function entryOf(given: GivenServer): ConfigServer["entry"] {
  if ("url" in given) {
    if (URL.canParse(given.url) && /^https?:$/.test(new URL(given.url).protocol)) return { url: given.url };
    throw usageError("--url is not a valid HTTP address.", "Write https://… or http://….");
  }
  const [command = "", ...args] = given.command;
  return { command, args };
}

const UNKNOWN = "server";

/**
 * The host without what every host has.
 *
 * @example
 * idFromUrl("https://mcp.linear.app/sse"); // "linear"
 */
export function idFromUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  if (host === "") return UNKNOWN;
  if (host === "[::1]" || /^127\./.test(host)) return "localhost";
  if (/^[\d.]+$|:/.test(host)) return host.replace(/[^\da-f]+/g, "-").replace(/^-|-$/g, "");
  const labels = host.split(".").filter((label) => !/^(?:www|api|mcp)$/.test(label));
  return (labels.length > 1 ? labels.at(-2) : labels[0]) || host;
}

const RUNNERS =
  /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|node|tsx|uv|uvx|pipx|python[\d.]*|py|env|sh|bash)$/i;
const RUNNER_WORDS = new Set(["exec", "dlx", "x", "run", "tool"]);

/** After these comes a program, and no name of one. */
const INLINE = /^(?:-e|-c|-p|--eval|--print)$/;
const TAKES_INLINE = /^(?:node|tsx|bun|deno|python[\d.]*|py|sh|bash)$/i;

/** Files and folders that are called the same everywhere. */
const COMMON =
  /^(?:index|main|__main__|server|cli|start|app|mod|bin|dist|build|out|lib|src|node_modules|\.{0,2})$/i;

/**
 * What is started, not what starts it: a package, a program, or the folder it stands in.
 *
 * @example
 * idFromCommand(["npx", "-y", "@modelcontextprotocol/server-memory@1"]); // "server-memory"
 * idFromCommand(["node", "server-memory/dist/index.js"]); // "server-memory"
 */
export function idFromCommand(words: readonly string[]): string {
  const named = words.find(
    (word, index) =>
      !word.startsWith("-") &&
      !RUNNERS.test(baseOf(word)) &&
      !/^\w+=/.test(word) &&
      !(index > 0 && RUNNER_WORDS.has(word)),
  );
  const [program = ""] = words;
  const inline = words.findIndex((word) => INLINE.test(word));
  const isInline = TAKES_INLINE.test(baseOf(program)) && inline > 0;
  if (named === undefined || (isInline && words.indexOf(named) > inline)) return baseOf(program) || UNKNOWN;
  const folders = named.split(/[\\/]/).slice(0, -1).reverse();
  const distinctive = [baseOf(named), ...folders].find((part) => !COMMON.test(part));
  return distinctive ?? (baseOf(named) || UNKNOWN);
}

function baseOf(word: string): string {
  const last = word.split(/[\\/]/).pop() ?? "";
  // A scope starts with @, a version has one later.
  const version = last.indexOf("@", 1);
  return last.slice(0, version < 0 ? undefined : version).replace(/\.(?:[cm]?[jt]s|py|exe|cmd|bat|sh)$/i, "");
}
