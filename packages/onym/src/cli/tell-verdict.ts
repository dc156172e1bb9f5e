// The verdict of a resolution for people: core's own words, and in toolboxes who is who and how to choose.

import { quoteText, type Resolution, type Tool } from "@onym/core";
import { shellWord } from "./shell-word.js";
import { showOwner } from "./show-owner.js";

const CANDIDATES = "could be any of";
const SHOWN = 5;

/** `verdict` is the first line of the explanation. */
export function tellVerdict(verdict: string, resolution: Resolution): readonly string[] {
  if (resolution.outcome === "resolved") {
    const owner = showOwner(resolution.tool);
    return [owner === "" ? verdict : `${verdict}: ${owner}`];
  }
  if (resolution.outcome !== "ambiguous") return [verdict];
  const { candidates } = resolution;
  const hint = `  Add ${flagsFor(candidates).join(", or ")}.`;
  const at = verdict.indexOf(CANDIDATES);
  if (at < 0 || candidates.every(({ toolbox }) => toolbox === undefined)) return [verdict, hint];
  const shown = candidates.map((tool) => {
    const owner = showOwner(tool);
    return owner === "" ? quoteText(tool.canonical) : `${quoteText(tool.canonical)} (${owner})`;
  });
  return [`${verdict.slice(0, at)}${CANDIDATES} ${shown.join(", ")}`, hint];
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
