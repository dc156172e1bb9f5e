// The names that another tool gave: which of them lead to their tools by themselves, and which need a rename.

import { buildSnapshot, quoteText, type Rename, type Tool } from "@onym/core";
import { countNoun } from "../../output/count-noun.js";
import type { ImportFormat } from "./import-formats.js";
import type { MergedServer } from "./merge-servers.js";
import { fieldOf } from "./server-maps.js";

export interface OldNames {
  /** For the tools that are known, and only where the old name would not be found anyway. */
  readonly renames: readonly Rename[];
  readonly notes: readonly string[];
}

/** Stands for the tools of a server that are not known before it runs. */
const ANY = "TOOL";

export function oldNamesOf(
  servers: readonly MergedServer[],
  { title, namesOf }: Pick<ImportFormat, "title" | "namesOf">,
): OldNames {
  const known = servers.map(({ id, entry, mentions }) => ({
    server: id,
    tools: [...new Set([...listedNames(entry.tools), ...mentions])],
  }));
  const { catalog, resolve } = buildSnapshot(known);
  const claims = new Map<string, Tool[]>();
  for (const tool of catalog.tools) {
    const shown = servers
      .find(({ id }) => id === tool.server)
      ?.shownAs?.flatMap(([raw, name]) => (raw === tool.raw ? [name] : []));
    const old = [tool.raw, ...(shown ?? [])].flatMap((raw) => namesOf(tool.server, raw));
    for (const name of new Set(old)) claims.set(name, [...(claims.get(name) ?? []), tool]);
  }
  const renames: Rename[] = [];
  const notes: string[] = [];
  for (const [from, [tool, ...others]] of claims) {
    if (tool === undefined) continue;
    if (others.length > 0) {
      const owners = [tool, ...others].map(({ server }) => quoteText(server)).join(" and ");
      notes.push(`${quoteText(from)} was a tool of ${owners}; it leads to neither until you add a rename.`);
      continue;
    }
    const found = resolve(from);
    if (found.outcome === "resolved" && found.tool === tool) continue;
    if (found.outcome === "resolved" && found.step === "public")
      notes.push(`${quoteText(from)} is now the name of ${quoteText(found.tool.canonical)}.`);
    else renames.push({ from, to: tool.canonical, policy: "accept" });
  }
  if (renames.length > 0)
    notes.push(`${countNoun(renames.length, "old name")} of ${title} kept in "renames".`);
  return { renames, notes: [...notes, ...notesOfUnknown(servers, { title, namesOf })] };
}

/** Tried with a tool of every server that is not static, not guessed. */
function notesOfUnknown(
  servers: readonly MergedServer[],
  { title, namesOf }: Pick<ImportFormat, "title" | "namesOf">,
): readonly string[] {
  const unknown = servers.filter(({ entry, isListed }) => entry.tools === undefined && isListed !== true);
  if (unknown.length === 0) return [];
  const { catalog, resolve } = buildSnapshot(unknown.map(({ id }) => ({ server: id, tools: [ANY] })));
  const nameOf = ({ server, raw }: Tool): string => namesOf(server, raw)[0] ?? raw;
  const isFound = (tool: Tool): boolean => {
    const found = resolve(nameOf(tool));
    return found.outcome === "resolved" && found.tool === tool;
  };
  const [good, bad] = [catalog.tools.filter(isFound), catalog.tools.filter((tool) => !isFound(tool))];
  const show = (tools: readonly Tool[]) =>
    [...new Set(tools.map((tool) => quoteText(nameOf(tool))))].slice(0, 3).join(", ");
  if (bad.length > 0 && bad.every((tool) => nameOf(tool) === tool.raw)) {
    return [
      `${title} showed tools under their raw names; such a name is found while only one server has it.`,
    ];
  }
  return [
    ...(good.length === 0 ? [] : [`Names as ${title} had them (${show(good)}) are found as they are.`]),
    ...(bad.length === 0
      ? []
      : [
          `Names as ${title} had them (${show(bad)}) are not found, because the tools are not known yet. ` +
            'Import again with --live, list them under "tools", or add renames.',
        ]),
  ];
}

function listedNames(tools: unknown): readonly string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => {
    const name = typeof tool === "string" ? tool : fieldOf(tool, "name");
    return typeof name === "string" ? [name] : [];
  });
}
