// Former names of tools, from declared and recorded renames (LOCK-2, LOCK-5), for the rules that follow a tool
// (POL-1).

import {
  type Lock,
  parseToolName,
  type Rename,
  type Tool,
  type ToolLineage,
  type ToolSource,
  withoutToolbox,
} from "@onym/core";
import { parseToolKey } from "@onym/core/identity";
import type { FormerServers } from "./compile-rule.js";

/**
 * The former names of each tool, across any number of renames. Windows and policies of renames are ignored: a
 * denial under an old name stays valid after calls by that name end. It also stays valid if a tool has the old name
 * again; otherwise a server could evade a denial by restoring the name. `lineageOf` adds the lock's records and
 * former server ids, and names after a rename for a tool that came back.
 *
 * @example
 * const formerNames = buildFormerNames([{ from: "mail@1/post@1", to: "mail@1/send@1" }]);
 * formerNames(send); // ["mail@1/post@1"]
 */
export function buildFormerNames(
  renames: readonly Pick<Rename, "from" | "to">[],
  lineageOf?: (tool: Tool) => Pick<ToolLineage, "line">,
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
    const former = lineageOf?.(tool).line ?? NONE;
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

/**
 * From what the config declares with `formerly`, and from the locks of tools and prompts, which have it on record after
 * the declaration was removed. `recorded` gives the locks in force. What servers list does not count: a server with only
 * new tools, or none, is still the one that a rule names by its old id.
 */
export function buildFormerServers(
  sources: readonly Pick<ToolSource, "server" | "toolbox" | "formerly">[],
  recorded: () => readonly Pick<Lock, "tools">[] = () => [],
): FormerServers {
  const declared = new Map(
    sources.flatMap(({ server, toolbox, formerly = [] }) =>
      formerly.length === 0 ? [] : [[ownerKey({ server, toolbox }), formerly] as const],
    ),
  );
  return ({ server, toolbox }) => {
    const found = new Set<string>();
    const open = [server];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const key = ownerKey({ server: id, toolbox });
      const before = [
        ...(declared.get(key) ?? NONE),
        ...recorded().flatMap(({ tools }) => [...(recordedServers(tools).get(key) ?? NONE)]),
      ];
      for (const former of before) {
        if (former === server || found.has(former)) continue;
        found.add(former);
        open.push(former);
      }
    }
    return [...found];
  };
}

const read = new WeakMap<Lock["tools"], ReadonlyMap<string, ReadonlySet<string>>>();

/** By server: those whose tools became its own, under the same raw names. A single tool that moved may have another name. */
function recordedServers(tools: Lock["tools"]): ReadonlyMap<string, ReadonlySet<string>> {
  const known = read.get(tools);
  if (known !== undefined) return known;
  const servers = new Map<string, Set<string>>();
  for (const [key, { successor }] of tools) {
    if (successor === undefined) continue;
    const [from, to] = [parseToolKey(key), parseToolKey(successor)];
    if (from === undefined || to === undefined || from.raw !== to.raw || from.server === to.server) continue;
    const owner = ownerKey({ server: to.server, toolbox: to.toolbox });
    servers.set(owner, (servers.get(owner) ?? new Set()).add(from.server));
  }
  read.set(tools, servers);
  return servers;
}

function ownerKey({ server, toolbox }: Parameters<FormerServers>[0]): string {
  return JSON.stringify([toolbox ?? null, server]);
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
