// What lint finds: raw names against rules, names that meet, look-alikes, too many tools, and what the catalog says.

import { basename, resolve } from "node:path";
import { type CatalogProblem, checkName, escapeText, type Profile, type Tool } from "@onym/core";
import { buildCatalog, DEFAULT_ALIAS, findLookAlikes } from "@onym/core/naming";
import { configError } from "../../../config/config-problem.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import type { Place } from "../../../config/json/json-path.js";
import { readToolsFile } from "../../../config/sections/read-tools.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import type { OpenedConfig } from "../../catalog/open-live.js";
import { collisionProblem, findCollisions } from "../matrix/raw-names.js";
import { type Finding, findingOf, type LintResult } from "./finding.js";
import { checkDefinition } from "./live-definitions.js";
import { suggestNames } from "./suggest-name.js";

/** How a command line asks for it: whose rules, and under what the server is registered in clients. */
export interface LintChoice {
  readonly profiles: readonly Profile[];
  readonly as?: string | undefined;
}

export function lintName(name: string, { profiles, as = DEFAULT_ALIAS }: LintChoice): LintResult {
  const findings = profiles.flatMap((profile) =>
    checkName(name, profile, { as }).map((problem) => findingOf(problem, profile, name)),
  );
  const { tools } = buildCatalog([{ server: "name", tools: [name] }]);
  return {
    findings,
    tools: 1,
    suggestions: suggestionsFor(tools, findings, { nameOf: () => name }),
  };
}

/** @throws OnymError for a file that holds no tools. */
export function lintTools(
  file: string,
  { profiles, as = DEFAULT_ALIAS }: LintChoice,
  cwd: string,
): LintResult {
  const read = readToolsFile(file, (path) => readTextFile(resolve(cwd, path)), "the current folder");
  if ("problems" in read) throw configError(read.problems);
  const server = basename(file).replace(/\.json$/i, "");
  const catalog = buildCatalog([{ server, tools: read.tools }]);
  return lintAll({
    tools: catalog.tools,
    problems: catalog.problems,
    profiles,
    nameOf: (tool) => tool.raw,
    placeOf: ({ raw }) => read.places.get(raw),
    whole: { file, line: 1, column: 1 },
    aliasOf: () => as,
  });
}

/** Definitions are checked where servers listed them just now: a config may leave them out. */
export function lintConfig(
  { config, live, left }: Pick<OpenedConfig, "config" | "live" | "left">,
  { profiles, as }: LintChoice,
): LintResult {
  // Names that strictness would refuse are what lint is to report, so it looks at all of them.
  const snapshot = snapshotOf({ ...config, strict: false }, { lock: undefined, today: "" });
  const { catalog } = snapshot;
  const ofCatalog = new Set<CatalogProblem>(catalog.problems);
  const places = new Map(
    config.servers.map((server) => [JSON.stringify([server.source.toolbox, server.source.server]), server]),
  );
  const serverOf = ({ toolbox, server }: Tool) => places.get(JSON.stringify([toolbox, server]));
  return lintAll({
    tools: catalog.tools,
    // The rest of the snapshot's problems are the specification's rules, which have findings of their own.
    problems: [
      ...snapshot.problems.filter(
        (problem) => ofCatalog.has(problem) || /^(?:pin|rename)-/.test(problem.code),
      ),
      ...left,
    ],
    profiles,
    nameOf: (tool) => tool.canonical,
    placeOf: (tool) => {
      const server = serverOf(tool);
      return server?.toolPlaces.get(tool.raw) ?? server?.place;
    },
    whole: { file: config.file, line: 1, column: 1 },
    aliasOf: (tool) => as ?? tool.server,
    isListed: (tool) => {
      const server = serverOf(tool);
      return server !== undefined && live.has(server);
    },
  });
}

interface LintInput {
  readonly tools: readonly Tool[];
  readonly problems: readonly CatalogProblem[];
  readonly profiles: readonly Profile[];
  readonly nameOf: (tool: Tool) => string;
  readonly placeOf: (tool: Tool) => Place | undefined;
  /** For what is about the file as a whole. */
  readonly whole: Place;
  /** Under what the server is registered in the client. */
  readonly aliasOf: (tool: Tool) => string;
  /** Whether its definition is what a server listed. */
  readonly isListed?: (tool: Tool) => boolean;
}

function lintAll({
  tools,
  problems,
  profiles,
  nameOf,
  placeOf,
  whole,
  aliasOf,
  isListed = () => false,
}: LintInput): LintResult {
  const about = (tool: Tool) => ({ place: placeOf(tool) });
  const findings: Finding[] = [];
  for (const tool of tools) {
    for (const profile of profiles) {
      for (const problem of checkName(tool.raw, profile, { as: aliasOf(tool) })) {
        findings.push({ ...findingOf(problem, profile, nameOf(tool)), ...about(tool) });
      }
    }
    for (const problem of isListed(tool) ? checkDefinition(tool) : [])
      findings.push({ ...findingOf(problem, undefined, nameOf(tool)), ...about(tool) });
  }
  for (const profile of profiles) {
    for (const collision of findCollisions(tools, profile)) {
      const [first] = collision.tools;
      if (first === undefined) continue;
      const problem = collisionProblem(collision, profile);
      findings.push({ ...findingOf(problem, profile, nameOf(first)), ...about(first) });
    }
    if (profile.maxTools !== undefined && tools.length > profile.maxTools) {
      const message = `${profile.id} takes ${profile.maxTools} tools at most; there are ${tools.length}.`;
      const fix = "Show fewer with toolFilters or toolboxes.";
      findings.push({
        ...findingOf({ code: "too-many-tools", severity: "warning", message, fix }, profile, null),
        place: whole,
      });
    }
  }
  // Look-alikes name their tools as they are shown; a finding names them as they are.
  const shown = new Map(tools.map((tool) => [escapeText(tool.canonical), tool.canonical]));
  for (const problem of findLookAlikes(tools)) {
    const [first] = problem.tools;
    const canonical = first === undefined ? null : (shown.get(first) ?? first);
    findings.push({ ...findingOf(problem, undefined, canonical), place: whole });
  }
  for (const problem of problems)
    findings.push({ ...findingOf(problem, undefined, problem.tools[0] ?? null), place: whole });
  return { findings, tools: tools.length, suggestions: suggestionsFor(tools, findings, { nameOf }) };
}

/** For tools whose own name is at fault in some client, not for what they share with others. */
function suggestionsFor(
  tools: readonly Tool[],
  findings: readonly Finding[],
  { nameOf }: Pick<LintInput, "nameOf">,
): ReadonlyMap<string, string> {
  const faulty = new Set(
    findings.flatMap(({ tool, profile, code }) => (profile === null || code === "collision" ? [] : tool)),
  );
  const named = tools.filter((tool) => faulty.has(nameOf(tool)));
  const names = suggestNames(tools, named);
  return new Map([...names].map(([tool, name]) => [nameOf(tool), name]));
}
