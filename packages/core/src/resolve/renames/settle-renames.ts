// Completes declared renames: a `to` without a toolbox keeps the meaning it had when it came into force (CANON-7),
// and a name with a server's former id refers to the present server (LOCK-5).

import type { Catalog } from "../../catalog/build-catalog.js";
import { integrationIn } from "../../catalog/find-canonical.js";
import { integrationApart, integrationFromServerId } from "../../catalog/integration-of.js";
import type { ToolSource } from "../../catalog/source.js";
import { partsOfKey, type ToolKey } from "../../identity/tool-key.js";
import { formatCanonicalName, parseToolName, withoutToolbox } from "../../names/canonical-name.js";
import type { Lock } from "../../naming/lock/lock.js";
import type { Rename } from "./rename-window.js";

/** The recorded meaning of an entry takes precedence over what its text means today. */
export function settleRenames(
  renames: readonly Rename[],
  {
    lock,
    sources,
    catalog,
  }: { readonly lock: Lock; readonly sources: readonly ToolSource[]; readonly catalog: Catalog },
): readonly Rename[] {
  if (renames.length === 0) return renames;
  const recorded = followRecord(renames, lock);
  const moved = sources.filter(({ formerly = [] }) => formerly.length > 0);
  return moved.length === 0
    ? recorded
    : recorded.map((rename) => followServer(rename, { moved, catalog, lock }));
}

/**
 * A name without a toolbox can change its meaning: a server is added outside toolboxes, or a second toolbox gets a
 * tool of that name. An entry that is in force and on record keeps its tool.
 */
function followRecord(renames: readonly Rename[], lock: Lock): readonly Rename[] {
  const lines = new Map<ToolKey, ToolKey[]>();
  for (const [key, { successor }] of lock.tools) {
    if (successor === undefined) continue;
    const line = [...(lines.get(key) ?? [key]), ...(lines.get(successor) ?? [successor])];
    for (const member of line) lines.set(member, line);
  }
  if (lines.size === 0) return renames;
  const byText = textsOf(lock);
  const canonicalOf = (key: ToolKey): string => lock.tools.get(key)?.canonical ?? "";
  return renames.map((rename) => {
    const meant = new Set<string>();
    /** A tool with the same canonical name as the old one moved with its server; it is not the renamed tool. */
    const addAfter = (old: ToolKey, line: readonly ToolKey[] = []): void => {
      for (const member of line.slice(line.indexOf(old) + 1)) {
        const canonical = canonicalOf(member);
        const isMeant = canonical !== rename.to && withoutToolbox(canonical) === rename.to;
        if (isMeant && canonical !== canonicalOf(old)) meant.add(canonical);
      }
    };
    const old = byText(rename.from);
    for (const key of old) addAfter(key, lines.get(key));
    // Public names moved with the tool, so any tool of the line may be meant except the first. A canonical name
    // identifies one tool.
    if (old.length === 0)
      for (const key of publicKeys(rename.from, lock)) addAfter(lines.get(key)?.[0] ?? key, lines.get(key));
    const [canonical] = meant;
    return meant.size !== 1 || canonical === undefined ? rename : { ...rename, to: canonical };
  });
}

/**
 * A declaration about a tool of a former id applies to the tool of the present id, if no server has the former id
 * now.
 */
function followServer(
  rename: Rename,
  {
    moved,
    catalog: { servers },
    lock,
  }: { readonly moved: readonly ToolSource[]; readonly catalog: Catalog; readonly lock: Lock },
): Rename {
  const parsed = parseToolName(rename.to);
  if (!parsed.ok) return rename;
  const { toolbox, integration, integrationVersion: version, tool, toolVersion } = parsed.value;
  if (version === "latest" || toolVersion === "latest") return rename;
  const isNamed = servers.some(
    (one) =>
      one.integration === integration &&
      one.version === version &&
      (toolbox === undefined || one.toolbox === toolbox),
  );
  if (isNamed) return rename;
  const [source, ...others] = moved.filter(
    (one) =>
      one.toolbox === toolbox &&
      (one.version ?? 1) === version &&
      one.formerly?.some((id) => [integrationFromServerId(id), integrationApart(id)].includes(integration)),
  );
  const owner = servers.find((one) => one.server === source?.server && one.toolbox === toolbox);
  if (source === undefined || owner === undefined || others.length > 0) return rename;
  // Nearly equal ids give the same integration, so it may have belonged to a server that this one never was.
  const start = `${toolbox === undefined ? "" : `${toolbox}:`}${integration}@${version}`;
  if (holdersOf(start, lock).some((id) => id !== source.server && source.formerly?.includes(id) !== true))
    return rename;
  const to = formatCanonicalName({
    toolbox,
    integration: owner.integration,
    integrationVersion: owner.version,
    tool,
    toolVersion,
  });
  return { ...rename, to };
}

/** Servers whose tools had these canonical names, except those that became another server. */
function holdersOf(start: string, { tools }: Lock): readonly string[] {
  const holders = new Set<string>();
  for (const [key, { canonical, successor = key }] of tools) {
    if (integrationIn(canonical) !== start) continue;
    const { server } = partsOfKey(key);
    if (partsOfKey(successor).server === server) holders.add(server);
  }
  return [...holders];
}

/**
 * Tools by the texts that `from` may use: their own names, and if no tool has that name, the name without the
 * toolbox.
 */
function textsOf({ tools }: Lock): (text: string) => readonly ToolKey[] {
  const own = new Map<string, ToolKey[]>();
  const unboxed = new Map<string, ToolKey[]>();
  for (const [key, { canonical }] of tools) {
    const plain = withoutToolbox(canonical);
    own.set(canonical, [...(own.get(canonical) ?? []), key]);
    if (plain !== canonical) unboxed.set(plain, [...(unboxed.get(plain) ?? []), key]);
  }
  return (text) => own.get(text) ?? unboxed.get(text) ?? [];
}

function publicKeys(name: string, { profiles }: Lock): readonly ToolKey[] {
  return [...profiles.values()].flatMap(({ names }) => names.get(name)?.key ?? []);
}
