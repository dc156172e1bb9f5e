// The problems of declared renames and former server ids (LOCK-2, LOCK-5).

import { type CatalogProblem, catalogProblem } from "../../catalog/catalog-problem.js";
import type { Tool } from "../../catalog/tool.js";
import { didYouMean, quoteText } from "../../names/escape-text.js";
import type { Rename } from "./rename-window.js";

/** A server without a version does not break callers, but the operator who declared the window should know. */
export function endlessRename(
  from: string,
  { canonical, server }: Tool,
  version: string | undefined,
): CatalogProblem {
  const said = version === undefined ? "says no version" : `says ${quoteText(version)}`;
  return catalogProblem({
    code: "rename-uncounted",
    severity: "warning",
    message: `The window of the old name ${quoteText(from)} is counted in major versions, but the server ${quoteText(server)} ${said}; the name goes on working.`,
    fix: 'Give it a last day with "until", or correct "since".',
    tools: [canonical],
    servers: [server],
  });
}

/** `several` lists the possible tools if there is more than one; `near` is a similar existing name. */
export function lostRename(
  { from, to }: Pick<Rename, "from" | "to">,
  { several, near }: { readonly several: readonly Tool[]; readonly near: string | undefined },
): CatalogProblem {
  const meant = several.map(({ canonical }) => quoteText(canonical)).join(" or ");
  const reason = meant === "" ? "is no tool here" : "is in several toolboxes";
  return catalogProblem({
    code: "rename-to-nothing",
    severity: "warning",
    message: `The old name ${quoteText(from)} is declared to lead to ${quoteText(to)}, which ${reason}.`,
    fix:
      meant === ""
        ? `${didYouMean(near)}Correct "to" in renames, or take the entry out.`
        : `Say which one in "to": ${meant}.`,
    tools: [to],
  });
}

export function liveRename(from: string): CatalogProblem {
  return catalogProblem({
    code: "rename-from-live",
    severity: "warning",
    message: `${quoteText(from)} is declared to be an old name, but a tool has it as its canonical name; it stays that tool's.`,
    fix: 'Take the entry out of renames, or correct "from".',
    tools: [from],
  });
}

export function ownedRename(from: string, owner: Tool): CatalogProblem {
  return catalogProblem({
    code: "rename-from-live",
    severity: "warning",
    message: `${quoteText(from)} is declared to be an old name, but was given to ${quoteText(owner.canonical)}, which is there; it stays that tool's.`,
    fix: 'Take the entry out of renames, or correct "from": a name that was given out never goes to another tool.',
    tools: [owner.canonical],
  });
}

/** Either of the two could hand on or receive the names and approvals. */
export function claimedTwice({ from, to }: Rename): CatalogProblem {
  return catalogProblem({
    code: "rename-claimed-twice",
    severity: "warning",
    message: `${quoteText(from)} cannot become ${quoteText(to)}: another rename, declared or on record in the lock, says something else of one of them. The old name leads there, but names and approvals are not handed on.`,
    fix: "Declare one successor for each old tool, and one old tool for each successor.",
    tools: [to],
  });
}

/** Onym does not guess which of the old tools became the new one. */
export function severalOld({ from, to }: Rename): CatalogProblem {
  return catalogProblem({
    code: "rename-from-several",
    severity: "warning",
    message: `${quoteText(from)} was the name of several tools that are gone, so it is not clear which of them became ${quoteText(to)}: nothing is handed on.`,
    fix: 'Write the canonical name of the old tool in "from"; `onym explain` shows it.',
    tools: [to],
  });
}

export function renameCircle({ from, to }: Rename): CatalogProblem {
  return catalogProblem({
    code: "rename-circle",
    severity: "warning",
    message: `The renames of ${quoteText(from)} and ${quoteText(to)} lead in a circle; none of them is used.`,
    fix: "Take the entry out that is no longer true.",
    tools: [to],
  });
}

export function formerlyLive(server: string, id: string): CatalogProblem {
  return catalogProblem({
    code: "formerly-live",
    severity: "warning",
    message: `The server ${quoteText(server)} is declared to be ${quoteText(id)} formerly, but there is a server with that id; its tools stay its own.`,
    fix: 'Take the id out of "formerly", or take the other server out.',
    servers: [server, id],
  });
}

export function formerlyClaimed(server: string, id: string): CatalogProblem {
  return catalogProblem({
    code: "formerly-claimed-twice",
    severity: "warning",
    message: `The server ${quoteText(server)} is not the only one that is declared to be ${quoteText(id)} formerly; none of them is.`,
    fix: 'Leave the id in "formerly" of one server.',
    servers: [server],
  });
}

/** Otherwise the server would take over another server's names and approvals, or two tools would become one. */
export function formerlyTaken(
  server: string,
  ids: readonly string[],
  raws: readonly string[],
): CatalogProblem {
  const [id, names] = [ids, raws].map((texts) => texts.map((text) => quoteText(text)).join(", "));
  return catalogProblem({
    code: "formerly-taken",
    severity: "warning",
    message: `The server ${quoteText(server)} is declared to be ${id} formerly, but renames on record say something else of ${names}: nothing is handed on there.`,
    fix: 'Take the id out of "formerly" if the server is another one; else declare in "renames" what became of each of these tools.',
    servers: [server],
  });
}
