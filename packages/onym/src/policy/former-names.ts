// Former names of tools, from declared and recorded renames (LOCK-2, LOCK-5), for the rules that follow a tool
// (POL-1).

import {
  parseToolName,
  type Rename,
  type Tool,
  type ToolLineage,
  type ToolSource,
  withoutToolbox,
} from "@onym/core";
import type { FormerServers } from "./compile-rule.js";

/**
 * The former names of each tool, across any number of renames. Windows and policies of renames are ignored: a
 * denial under an old name stays valid after calls by that name end. It also stays valid if a tool has the old name
 * again; otherwise a server could evade a denial by restoring the name. `lineageOf` adds the lock's records and
 * former server ids.
 *
 * @example
 * const formerNames = buildFormerNames([{ from: "mail@1/post@1", to: "mail@1/send@1" }]);
 * formerNames(send); // ["mail@1/post@1"]
 */
export function buildFormerNames(
  renames: readonly Pick<Rename, "from" | "to">[],
  lineageOf?: (tool: Tool) => ToolLineage,
): (tool: Tool) => readonly string[] {
  const before = new Map<string, Set<string>>();
  for (const { from, to } of renames) {
    const target = normalName(to);
    before.set(target, (before.get(target) ?? new Set()).add(normalName(from)));
  }
  return (tool) => {
    const { canonical } = tool;
    // A rename may omit the toolbox (CANON-7).
    const short = withoutToolbox(canonical);
    const former = lineageOf?.(tool).former ?? NONE;
    if (!before.has(canonical) && !before.has(short) && former.length === 0) return NONE;
    const found = new Set<string>();
    const open = [
      ...[canonical, short].flatMap((name) => [...(before.get(name) ?? [])]),
      ...former.flatMap((each) => (each.canonical === undefined ? [] : normalName(each.canonical))),
    ];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === canonical || found.has(name)) continue;
      found.add(name);
      open.push(...(before.get(name) ?? []));
    }
    return [...found];
  };
}

/** From what the config declares with `formerly`. */
export function buildFormerServers(
  sources: readonly Pick<ToolSource, "server" | "toolbox" | "formerly">[],
): FormerServers {
  const keyOf = ({ server, toolbox }: Parameters<FormerServers>[0]): string =>
    JSON.stringify([toolbox ?? null, server]);
  const former = new Map(
    sources.flatMap(({ server, toolbox, formerly = [] }) =>
      formerly.length === 0 ? [] : [[keyOf({ server, toolbox }), formerly] as const],
    ),
  );
  return former.size === 0 ? () => NONE : (owner) => former.get(keyOf(owner)) ?? NONE;
}

const NONE: readonly never[] = [];

/** `mail/send` and `Mail@v1/send` are two spellings of one name. Other texts are returned unchanged. */
function normalName(text: string): string {
  const parsed = parseToolName(text);
  if (!parsed.ok) return text;
  const { toolbox, integration, integrationVersion, tool, toolVersion } = parsed.value;
  const box = toolbox === undefined ? "" : `${toolbox}:`;
  return `${box}${integration.toLowerCase()}@${integrationVersion}/${tool}@${toolVersion}`;
}
