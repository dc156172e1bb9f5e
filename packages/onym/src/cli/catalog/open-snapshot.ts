// Config and lock → snapshot, and what is reported of servers whose tools are not in it.

import { type CatalogProblem, type Lock, quoteText, type Snapshot, snapshotSteps } from "@onym/core";
import type { Config } from "../../config/config.js";
import { configError } from "../../config/config-problem.js";
import { hideVariables } from "../../config/json/hide-variables.js";
import { describeUnfilled } from "../../config/launches/load-launches.js";
import { META_TOOLS } from "../../gateway/toolboxes/meta-tool-names.js";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import { showProblems } from "../output/show-problems.js";
import { wrapText } from "../output/wrap-text.js";
import { nameProgram } from "../package-folder.js";
import type { Terminal } from "../terminal.js";

/** What two servers, or a server and an alias, cannot both be. The catalog would leave them out; a config is fixed. */
const IDENTITY_CODES = new Set([
  "same-integration",
  "bad-toolbox-id",
  "bad-integration",
  "bad-version",
  "alias-taken",
  "two-aliases",
  "bad-alias",
  "duplicate-server",
]);

interface SnapshotOptions {
  readonly lock: Lock | undefined;
  readonly as?: string | undefined;
  readonly today: string;
}

/** @throws OnymError `config-invalid` for servers and aliases that get in each other's way. */
export function snapshotOf(config: Config, options: SnapshotOptions): Snapshot {
  return runAtOnce(checkedSnapshotSteps(config, options));
}

/** @throws OnymError as `snapshotOf`. */
export function* checkedSnapshotSteps(config: Config, options: SnapshotOptions): Steps<Snapshot> {
  const { style, as: registered, aliases, pins } = config.naming;
  const as = options.as ?? registered;
  const snapshot = yield* snapshotSteps(
    config.servers.map(({ source }) => source),
    {
      aliases,
      pins,
      profiles: config.profiles.own,
      renames: config.renames,
      strict: config.strict,
      today: options.today,
      ownNames: META_TOOLS,
      absent: config.servers.filter(({ isStatic }) => !isStatic).map(({ source }) => source),
      ...(style === undefined ? {} : { style }),
      ...(as === undefined ? {} : { as }),
      ...(options.lock === undefined ? {} : { lock: options.lock }),
    },
  );
  const mistakes = snapshot.problems.filter(
    ({ code, severity }) => severity === "error" && IDENTITY_CODES.has(code),
  );
  if (mistakes.length > 0) {
    const problems = mistakes.map((problem) => identityProblem(problem, config));
    const variables = new Map(config.servers.flatMap((server) => [...server.variables]));
    throw configError(config.origin === "found" ? hideVariables(problems, variables) : problems);
  }
  return snapshot;
}

function identityProblem({ code, message, fix, servers }: CatalogProblem, config: Config) {
  const server = config.servers.find(({ source }) => servers.includes(source.server));
  return {
    code,
    path: server?.path ?? "",
    place: server?.place ?? { file: config.file, line: 1, column: 1 },
    message,
    fix,
  };
}

/** A problem of its own kind: what is left out because nothing was started (CFG-3). */
export function notStatic(
  config: Config,
  fix = 'Ask with --live, or list their tools under "tools".',
): CatalogProblem | undefined {
  const servers = config.servers
    .filter(({ isStatic, unfilled }) => !isStatic && unfilled.length === 0)
    .map(({ source }) => source.server);
  if (servers.length === 0) return undefined;
  const count =
    servers.length === 1
      ? "1 server was not asked, and its tools are not known"
      : `${servers.length} servers were not asked, and their tools are not known`;
  return {
    code: "not-static",
    severity: "info",
    message: `${count}: ${servers.map((id) => quoteText(id)).join(", ")}.`,
    fix,
    tools: [],
    servers,
  };
}

/** Servers that cannot be used because variables of their entries are not set (CFG-2). */
export function notFilled(config: Config): readonly CatalogProblem[] {
  return config.servers.flatMap(({ source, unfilled }) => {
    const launch = describeUnfilled(unfilled);
    if (launch === undefined) return [];
    const message = `The server ${quoteText(source.server)} cannot be used: ${launch.reason}.`;
    const about = { tools: [], servers: [source.server] };
    return [{ code: "server-down", severity: "warning", message, fix: launch.hint, ...about }];
  });
}

/** Says on stderr what was left out, where servers are never asked. */
export function noteNotStatic(config: Config, terminal: Terminal): void {
  const fix = 'List their tools under "tools", or record them with onym lock --live and compare locks.';
  const problem = notStatic(config, fix);
  noteLeft({ config, left: [...notFilled(config), ...(problem === undefined ? [] : [problem])] }, terminal);
}

/** Says on stderr where tools come from, which servers were not asked or did not answer, and what in the file is not for Onym to read. */
export function noteLeft(
  {
    config,
    left,
    given,
    origin,
  }: {
    readonly config: Config;
    readonly left: readonly CatalogProblem[];
    readonly given?: { readonly from: string | undefined; readonly isShared: boolean };
    readonly origin?: { readonly note: string | undefined } | undefined;
  },
  terminal: Terminal,
): void {
  if (origin?.note !== undefined) showNote(origin.note, terminal);
  if (given?.isShared === true)
    showNote(`names are those in ${given.from}, where gateways give them out.`, terminal);
  showProblems(
    left.filter(({ severity }) => severity !== "info"),
    terminal,
  );
  for (const { severity, message, fix } of left)
    if (severity === "info") showNote(`${message} ${fix}`, terminal);
  noteUnread(config, terminal);
}

/** Says on stderr what in the file is not for Onym to read. */
export function noteUnread({ notes }: Config, terminal: Terminal): void {
  for (const note of notes) showNote(note, terminal);
}

export function showNote(note: string, { err, paintErr, errColumns: columns, env }: Terminal): void {
  for (const line of wrapText(`note: ${nameProgram(note, env)}`, { columns }))
    err(`${paintErr("dim", line)}\n`);
}

/** What to do where no tools are known. */
export const WITHOUT_TOOLS =
  'List tools under "tools" of a server, name a file there with the answer to tools/list, or ask the servers with --live.';

/** On stderr: that there are no tools, and what to do unless the servers were asked already. */
export function sayWithoutTools(
  what: string,
  { isAsked }: { readonly isAsked: boolean },
  { err, errColumns: columns }: Terminal,
): void {
  err(`${wrapText(isAsked ? what : `${what} ${WITHOUT_TOOLS}`, { columns }).join("\n")}\n`);
}
