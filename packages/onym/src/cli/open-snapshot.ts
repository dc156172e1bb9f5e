// Config and lock → snapshot: how every command that knows tools begins.

import { buildSnapshot, type CatalogProblem, type Lock, quoteText, type Snapshot } from "@onym/core";
import type { Config } from "../config/config.js";
import { configError } from "../config/config-problem.js";
import { loadConfig } from "../config/load-config.js";
import { loadLock, lockFileOf } from "./lock-file.js";
import type { Terminal } from "./terminal.js";
import { wrapText } from "./wrap-text.js";

export interface OpenOptions {
  readonly config?: string;
  /** `false`: names already given out are not looked up. */
  readonly lock?: boolean;
  readonly as?: string;
}

export interface Opened {
  readonly config: Config;
  readonly snapshot: Snapshot;
  /** The lock as it was read. */
  readonly lock: Lock | undefined;
}

/** What two servers, or a server and an alias, cannot both be. The catalog would leave them out; a config is mended. */
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

/** @throws OnymError for a config or lock that cannot be used; nothing was changed then. */
export function openSnapshot(options: OpenOptions, terminal: Terminal): Opened {
  const config = loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  const lock = options.lock === false ? undefined : loadLock(lockFileOf(config));
  return { config, lock, snapshot: snapshotOf(config, { lock, as: options.as, today: terminal.today }) };
}

export function snapshotOf(
  config: Config,
  options: { readonly lock: Lock | undefined; readonly as?: string | undefined; readonly today: string },
): Snapshot {
  const { style, as: registered, aliases, pins } = config.naming;
  const as = options.as ?? registered;
  const snapshot = buildSnapshot(
    config.servers.map(({ source }) => source),
    {
      aliases,
      pins,
      renames: config.renames,
      strict: config.strict,
      today: options.today,
      absent: config.servers.filter(({ isStatic }) => !isStatic).map(({ source }) => source),
      ...(style === undefined ? {} : { style }),
      ...(as === undefined ? {} : { as }),
      ...(options.lock === undefined ? {} : { lock: options.lock }),
    },
  );
  const mistakes = snapshot.problems.filter(
    ({ code, severity }) => severity === "error" && IDENTITY_CODES.has(code),
  );
  if (mistakes.length > 0) throw configError(mistakes.map((problem) => identityProblem(problem, config)));
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

/** A problem of its own kind: what is left out because nothing is started for these commands (CFG-3). */
export function notStatic(config: Config): CatalogProblem | undefined {
  const servers = config.servers.filter(({ isStatic }) => !isStatic).map(({ source }) => source.server);
  if (servers.length === 0) return undefined;
  const count = servers.length === 1 ? "1 server is" : `${servers.length} servers are`;
  return {
    code: "not-static",
    severity: "info",
    message: `${count} not static and left out: ${servers.map((id) => quoteText(id)).join(", ")}.`,
    fix: 'List their tools under "tools" to have them here; connecting to servers comes with the gateway.',
    tools: [],
    servers,
  };
}

/** Says on stderr what was left out. */
export function noteNotStatic(config: Config, terminal: Terminal): void {
  const problem = notStatic(config);
  if (problem !== undefined) showNote(`${problem.message} ${problem.fix}`, terminal);
  noteUnread(config, terminal);
}

/** Says on stderr what in the file is not for Onym to read. */
export function noteUnread({ notes }: Config, terminal: Terminal): void {
  for (const note of notes) showNote(note, terminal);
}

export function showNote(note: string, { err, paintErr, errColumns: columns }: Terminal): void {
  for (const line of wrapText(`note: ${note}`, { columns })) err(`${paintErr("dim", line)}\n`);
}

/** What to do where a config has no tools that are known without starting anything. */
export const WITHOUT_TOOLS =
  'List tools under "tools" of a server, or name a file there with the answer to tools/list.';

/** On stderr: that there are no tools, and what to do. */
export function sayWithoutTools(what: string, { err, errColumns: columns }: Terminal): void {
  err(`${wrapText(`${what} ${WITHOUT_TOOLS}`, { columns }).join("\n")}\n`);
}
