// What is reported of servers whose tools are not known, because nobody asked them or they cannot be used.

import { type CatalogProblem, quoteText } from "@onym/core";
import type { Config } from "../../config/config.js";
import { describeUnfilled } from "../../config/launches/load-launches.js";
import { showNote, showNotes } from "../../output/show-note.js";
import { showProblems } from "../../output/show-problems.js";
import type { Terminal } from "../../output/terminal.js";
import { wrapText } from "../../output/wrap-text.js";

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
  showNotes(config.notes, terminal);
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
