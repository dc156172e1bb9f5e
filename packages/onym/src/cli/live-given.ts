// A server that is in no config: an address or a command on the command line, under an id made from it.

import type { Config, ConfigServer } from "../config/config.js";
import { readConfig } from "../config/read-config.js";
import { readTextFile } from "../config/read-text-file.js";
import type { Terminal } from "./terminal.js";
import { usageError } from "./usage-error.js";

export type GivenServer = { readonly url: string } | { readonly command: readonly string[] };

const FILE = "the command line";

/** @throws OnymError `usage` for an address that cannot be reached. */
export function buildGivenConfig(given: GivenServer, { env, cwd }: Pick<Terminal, "env" | "cwd">): Config {
  const place = { file: FILE, folder: cwd, isClientFile: false, env, readText: readTextFile };
  const empty = readConfig('{"mcpServers": {}}', place);
  const server: ConfigServer = {
    source: { server: "url" in given ? idFromUrl(given.url) : idFromCommand(given.command), tools: [] },
    isStatic: false,
    entry: entryOf(given),
    path: "",
    place: { file: FILE, line: 1, column: 1 },
    toolPlaces: new Map(),
  };
  return { ...empty, servers: [server] };
}

function entryOf(given: GivenServer): ConfigServer["entry"] {
  if ("url" in given) {
    if (URL.canParse(given.url) && /^https?:$/.test(new URL(given.url).protocol)) return { url: given.url };
    throw usageError("--url is no address that can be reached.", "Write https://… or http://….");
  }
  const [command = "", ...args] = given.command;
  return { command, args };
}

const LOCAL = "server";

/**
 * The host without what every host has.
 *
 * @example
 * idFromUrl("https://mcp.linear.app/sse"); // "linear"
 */
export function idFromUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  if (host === "" || host === "localhost" || /^[\d.]+$|:/.test(host)) return LOCAL;
  const labels = host.split(".").filter((label) => !/^(?:www|api|mcp)$/.test(label));
  return (labels.length > 1 ? labels.at(-2) : labels[0]) || host;
}

const RUNNERS =
  /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|node|tsx|uv|uvx|pipx|python[\d.]*|py|env|sh|bash)$/i;
const RUNNER_WORDS = new Set(["exec", "dlx", "x", "run", "tool"]);

/**
 * What is started, not what starts it.
 *
 * @example
 * idFromCommand(["npx", "-y", "@modelcontextprotocol/server-memory@1"]); // "server-memory"
 */
export function idFromCommand(words: readonly string[]): string {
  const named = words.find(
    (word, index) =>
      !word.startsWith("-") &&
      !RUNNERS.test(baseOf(word)) &&
      !/^\w+=/.test(word) &&
      !(index > 0 && RUNNER_WORDS.has(word)),
  );
  return baseOf(named ?? words[0] ?? "") || LOCAL;
}

function baseOf(word: string): string {
  const last = word.split(/[\\/]/).pop() ?? "";
  return last.replace(/(?!^)@.*$/, "").replace(/\.(?:[cm]?[jt]s|py|exe|cmd|bat|sh)$/i, "");
}
