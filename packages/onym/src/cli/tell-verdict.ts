// The verdict of a resolution for people: core's own words, and how to choose where there is a choice.

import type { Resolution, Tool } from "@onym/core";
import { shellWord } from "./shell-word.js";

const SHOWN = 5;

/** `verdict` is the first line of the explanation. */
export function tellVerdict(verdict: string, resolution: Resolution): readonly string[] {
  if (resolution.outcome !== "ambiguous") return [verdict];
  return [verdict, `  Add ${flagsFor(resolution.candidates).join(", or ")}.`];
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
