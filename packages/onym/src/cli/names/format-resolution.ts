// The firstLine of a resolution for people: core's own words, why a name leads nowhere where the config says so, and how to
// choose where there is a choice.

import { type CatalogProblem, quoteText, type Resolution, type Tool } from "@onym/core";
import { shellWord } from "../../output/wording.js";
import { hidingFilters } from "./hidden-tools.js";

const SHOWN = 5;

/** What the config says of names that lead nowhere. */
export interface ResolutionReasons {
  /** Of pins and renames. */
  readonly problems: readonly CatalogProblem[];
  /** The tool that the text would lead to if no filter hid it. */
  readonly hidden: Tool | undefined;
}

/** `firstLine` is the first line of the explanation. */
export function formatResolution(
  firstLine: string,
  { text, resolution }: { readonly text: string; readonly resolution: Resolution },
  { problems, hidden }: ResolutionReasons,
): readonly string[] {
  if (resolution.outcome === "ambiguous")
    return [firstLine, `  Add ${flagsFor(resolution.candidates).join(", or ")}.`];
  if (resolution.outcome === "resolved") return [firstLine];
  if (hidden !== undefined)
    return [
      `${quoteText(text)} is ${quoteText(hidden.canonical)}, which ${hidingFilters(hidden)}.`,
      "  Let it through there (toolFilters), and the name leads to it.",
    ];
  const lost =
    resolution.outcome === "retired"
      ? problems.find(({ code, tools: [to] }) => code === "rename-to-nothing" && to === resolution.canonical)
      : undefined;
  if (lost === undefined) return [firstLine];
  return [`${quoteText(text)} leads nowhere.`, `  ${lost.message}`, `  ${lost.fix}`];
}

/** What to add to the command line to mean one of them; no more flags than it takes. */
function flagsFor(candidates: readonly Tool[]): readonly string[] {
  const toolboxes = candidates.map(({ toolbox }) => toolbox);
  const servers = candidates.map(({ server }) => server);
  const byToolbox = isDistinct(toolboxes) && !toolboxes.includes(undefined);
  const byServer = isDistinct(servers);
  const flags = candidates.map(({ toolbox, server }) => {
    if (byToolbox || (!byServer && toolbox !== undefined && new Set(servers).size === 1))
      return `--toolbox ${shellWord(toolbox ?? "")}`;
    if (byServer || toolbox === undefined) return `--server ${shellWord(server)}`;
    return `--toolbox ${shellWord(toolbox)} --server ${shellWord(server)}`;
  });
  const distinct = [...new Set(flags)];
  return distinct.length > SHOWN ? distinct.slice(0, SHOWN) : distinct;
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
