// A server that goes on renaming its tools would fill the lock for ever, because retired names are kept. Beyond a number of
// tools that are on record and gone, a server gets no new names (NAME-4, NAME-8, SAFE-4).

import { ownerTextOf, toolKeyOf } from "../identity/tool-key.js";
import { quoteText } from "../names/escape-text.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import type { RecordedTools } from "./derive-integrations.js";
import type { ToolSource } from "./source.js";
import type { Tool } from "./tool.js";

/** Tools of one server that are on record and that it lists no more, while it may still add others. */
const MAX_GONE = 10_000;
const MAX_SHOWN = 5;

/** The tools of a source, without new ones where too many of its former ones are gone. */
export function refuseChurn(
  tools: readonly Tool[],
  { server, toolbox }: ToolSource,
  recorded: RecordedTools,
  problems: CatalogProblem[],
): readonly Tool[] {
  // Few locks are that long, and only those are looked through.
  if (recorded.size <= MAX_GONE) return tools;
  const known = tools.filter(({ key }) => recorded.has(key));
  if (known.length === tools.length) return tools;
  const owner = ownerTextOf(toolKeyOf({ server, toolbox, raw: "" }));
  const gone = (countByOwner(recorded).get(owner) ?? 0) - known.length;
  if (gone <= MAX_GONE) return tools;
  const left = tools.filter(({ key }) => !recorded.has(key));
  problems.push(
    catalogProblem({
      code: "too-many-retired",
      message: `The server ${quoteText(server)} lists ${gone} tools no more that are on record, over the limit of ${MAX_GONE}, so its new tools are left out: ${left.length} in number.`,
      fix: "Let the server keep the names of its tools. Where old names may pass to other tools, take its retired tools out of the lock, or give the server another id.",
      tools: left.slice(0, MAX_SHOWN).map(({ canonical }) => canonical),
      servers: [server],
    }),
  );
  return known;
}

/** A record is replaced when it changes, and never altered. */
const counts = new WeakMap<RecordedTools, ReadonlyMap<string, number>>();

function countByOwner(recorded: RecordedTools): ReadonlyMap<string, number> {
  const counted = counts.get(recorded);
  if (counted !== undefined) return counted;
  const owners = new Map<string, number>();
  for (const key of recorded.keys()) {
    const owner = ownerTextOf(key);
    owners.set(owner, (owners.get(owner) ?? 0) + 1);
  }
  counts.set(recorded, owners);
  return owners;
}
