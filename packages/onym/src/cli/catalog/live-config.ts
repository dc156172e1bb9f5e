// What servers answered → a config with their tools in it, as if they stood there, and what could not be had.

import type { CatalogProblem } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { filtersOf, passesFilters } from "../../config/sections/tool-filters.js";
import type { Inventory } from "../../downstream/downstream.js";
import { readOffer } from "../../gateway/catalog/read-offer.js";
import type { ListProblem } from "../../model/list-problem.js";
import { nameServer } from "../../output/wording.js";

/** What a server lists, or why that is not known. */
export interface ServerAnswer {
  readonly server: ConfigServer;
  readonly state:
    | { readonly kind: "ready"; readonly inventory: Pick<Inventory, "tools" | "serverInfo" | "problems"> }
    /** Both are for people: escaped, one line, no secrets. */
    | { readonly kind: "failed"; readonly reason: string; readonly hint: string };
}

export interface LiveConfig {
  readonly config: Config;
  /** The servers of that config whose tools were just listed. */
  readonly live: ReadonlySet<ConfigServer>;
  /** Servers that failed, and lists that are not whole. */
  readonly problems: readonly CatalogProblem[];
}

export function buildLiveConfig(config: Config, asked: readonly ServerAnswer[]): LiveConfig {
  const answers = new Map(asked.map((one) => [one.server, one]));
  const live = new Set<ConfigServer>();
  const servers = config.servers.map((server) => {
    const answer = answers.get(server);
    if (answer === undefined) return server;
    const filled = withTools(server, answer);
    if (answer.state.kind === "ready") live.add(filled);
    return filled;
  });
  return { config: { ...config, servers }, live, problems: asked.flatMap(problemsOf) };
}

/** Tools as the gateway reads them, so that names and digests are those it would give. */
function withTools(server: ConfigServer, { state }: ServerAnswer): ConfigServer {
  const { source, entry } = server;
  if (state.kind === "failed") return { ...server, isStatic: false, source: { ...source, tools: [] } };
  const { inventory } = state;
  const filters = filtersOf(entry);
  const admits = (raw: string): boolean => passesFilters(raw, filters);
  const offered = { tools: inventory.tools, prompts: [] };
  const { tools } = readOffer(offered, { admits }, false);
  const hidden =
    filters === undefined ? [] : readOffer(offered, { admits: (raw) => !admits(raw) }, false).tools;
  // Where the list is not whole, what is missing in it is not gone: its names stay in the lock.
  const isWhole = !inventory.problems.some(isAboutTools);
  const { version } = inventory.serverInfo;
  const serverVersion = typeof version === "string" ? version : undefined;
  return { ...server, hidden, isStatic: isWhole, source: { ...source, tools, serverVersion } };
}

function problemsOf({ server: { source }, state }: ServerAnswer): readonly CatalogProblem[] {
  const about = { tools: [], servers: [source.server] };
  const name = nameServer(source);
  if (state.kind === "failed") {
    const message = `The server ${name} could not be asked: ${endSentence(state.reason)}`;
    return [{ code: "server-down", severity: "error", message, fix: hintElsewhere(state.hint), ...about }];
  }
  return state.inventory.problems.filter(isAboutTools).map((problem) => ({
    code: "list-incomplete",
    severity: problem.code === "list-failed" ? "error" : "warning",
    message: `The server ${name} did not list all its tools: ${endSentence(problem.message)}`,
    fix: "Fix the server; until then the tools that are missing have no names.",
    ...about,
  }));
}

function isAboutTools({ method }: ListProblem): boolean {
  return method === "tools/list";
}

export function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Hints speak to those who run the gateway or doctor, which have the flag. */
function hintElsewhere(hint: string): string {
  return hint.replace(/(; |See with )--verbose/, "$1onym doctor --verbose");
}
