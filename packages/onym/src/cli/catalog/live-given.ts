// A server that is in no config: an address or a command on the command line, under an id made from it.

import type { Config, ConfigServer } from "../../config/config.js";
import { readTextFile } from "../../config/files/read-text-file.js";
import { readConfig } from "../../config/read-config.js";
import type { Terminal } from "../terminal.js";
import { usageError } from "../usage-error.js";

export type GivenServer = { readonly url: string } | { readonly command: readonly string[] };

const FILE = "the command line";

/** @throws OnymError `usage` for an address that cannot be reached. */
export function buildGivenConfig(given: GivenServer, { env, cwd }: Pick<Terminal, "env" | "cwd">): Config {
  const place = { file: FILE, folder: cwd, isClientFile: false, env, readText: readTextFile };
  const empty = readConfig('{"mcpServers": {}}', place);
  const server: ConfigServer = {
    source: { server: "url" in given ? idFromUrl(given.url) : idFromCommand(given.command), tools: [] },
    hidden: [],
    isStatic: false,
    entry: entryOf(given),
    unfilled: [],
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
    throw usageError("--url is no address that can be reached.", "Write https://… or http://….");
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
  const telling = [baseOf(named), ...folders].find((part) => !COMMON.test(part));
  return telling ?? (baseOf(named) || UNKNOWN);
}

function baseOf(word: string): string {
  const last = word.split(/[\\/]/).pop() ?? "";
  // A scope starts with @, a version has one later.
  const version = last.indexOf("@", 1);
  return last.slice(0, version < 0 ? undefined : version).replace(/\.(?:[cm]?[jt]s|py|exe|cmd|bat|sh)$/i, "");
}
