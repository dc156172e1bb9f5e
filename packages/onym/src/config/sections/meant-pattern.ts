// What a rule that names a public name was probably meant for: the canonical name it leads to (POL-5). Tools of servers are
// not known while a config is read, so that the name is held against what the servers' ids and aliases would make of it.

import { buildSnapshot, type ToolSource } from "@onym/core";

/** Between the parts of public names, whatever the style. */
const SEPARATOR = /[_./-]/g;
const MAX_TEXT = 200;

/**
 * The one canonical name that the text would lead to, were there such a tool; `undefined` where there is none, or several.
 *
 * @example
 * meantTool("sf_delete_lead", [{ server: "salesforce", tools: [] }], {}); // "salesforce@1/delete_lead@1"
 */
export function meantTool(
  text: string,
  sources: readonly ToolSource[],
  aliases: Readonly<Record<string, string>>,
): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const known = resolveIn(text, sources, aliases);
  if (known !== undefined) return known;
  const raws = Array.from(text.matchAll(SEPARATOR), ({ index }) => text.slice(index + 1)).filter(
    (raw) => /[a-z0-9]/i.test(raw) && /^[^_./-]/.test(raw),
  );
  const guessed = sources.map((source) => ({ ...source, tools: raws }));
  return resolveIn(text, guessed, aliases);
}

function resolveIn(
  text: string,
  sources: readonly ToolSource[],
  aliases: Readonly<Record<string, string>>,
): string | undefined {
  const found = buildSnapshot(sources, { aliases }).resolve(text, { profile: "mcp" });
  // A raw name may be that of several tools, and so may be meant.
  return found.outcome === "resolved" && found.step !== "context" ? found.tool.canonical : undefined;
}
