// Former names of tools and prompts: from declared and recorded renames (LOCK-2, LOCK-5), and from the ids that their
// servers had before, for the rules that follow them (POL-1).

import {
  type Lock,
  parseToolName,
  type Rename,
  type Tool,
  type ToolLineage,
  type ToolSource,
  withoutToolbox,
} from "@onym/core";
import { type Owner, ownerTextOf, parseToolKey, toolKeyOf } from "@onym/core/identity";
import { integrationApart, integrationFromServerId, plainIntegration } from "@onym/core/naming";
import type { FormerServers, NameStart } from "./compile-rule.js";

/**
 * The former names of each tool, across any number of renames. Windows and policies of renames are ignored: a
 * denial under an old name stays valid after calls by that name end. It also stays valid if a tool has the old name
 * again; otherwise a server could evade a denial by restoring the name. `lineageOf` adds the lock's records, and names
 * after a rename for a tool that came back. `formerServers` adds the names under former server ids, also those of tools
 * that were never listed there: otherwise a server could evade a denial by listing new tools.
 *
 * @example
 * const formerNames = buildFormerNames([{ from: "mail@1/post@1", to: "mail@1/send@1" }]);
 * formerNames(send); // ["mail@1/post@1"]
 */
export function buildFormerNames(
  renames: readonly Pick<Rename, "from" | "to">[],
  {
    lineageOf,
    formerServers,
  }: {
    readonly lineageOf?: ((tool: Tool) => Pick<ToolLineage, "line">) | undefined;
    readonly formerServers?: FormerServers | undefined;
  } = {},
): (tool: Tool) => readonly string[] {
  const before = new Map<string, Set<string>>();
  for (const { from, to } of renames) {
    const target = normalName(to);
    before.set(target, (before.get(target) ?? new Set()).add(normalName(from)));
  }
  return (tool) => {
    const { canonical, toolbox } = tool;
    const former = lineageOf?.(tool).line ?? NONE;
    const starts = formerServers?.startsOf(tool) ?? NONE;
    if (
      former.length === 0 &&
      starts.length === 0 &&
      !before.has(canonical) &&
      !before.has(withoutToolbox(canonical))
    )
      return NONE;
    const underOtherIds = createStartChange(toolbox, [
      { integration: tool.integration, version: tool.integrationVersion },
      ...starts,
    ]);
    const found = new Set([
      canonical,
      ...former.flatMap((each) => (each.canonical === undefined ? [] : normalName(each.canonical))),
    ]);
    // A set also iterates over what is added meanwhile.
    for (const name of found) {
      // A rename may omit the toolbox (CANON-7).
      for (const text of [name, withoutToolbox(name)])
        for (const older of before.get(text) ?? NONE) found.add(older);
      for (const other of underOtherIds(name)) found.add(other);
    }
    found.delete(canonical);
    return [...found];
  };
}

/**
 * From what the config declares with `formerly`, and from the locks of tools and prompts, which have it on record after
 * the declaration was removed. `recorded` gives the locks in force. What servers list does not count: a server with only
 * new tools, or none, is still the one that a rule names by its old id.
 */
export function buildFormerServers(
  sources: readonly DeclaredServer[],
  recorded: () => readonly Pick<Lock, "tools">[] = () => [],
): FormerServers {
  const declared = new Map(sources.map((source) => [ownerKey(source), source]));
  const versionOf = (owner: Owner): number => declared.get(ownerKey(owner))?.version ?? 1;
  const locksNow = (): Locks => recorded().map(({ tools }) => tools);
  const idsOf = cachePerLocks(locksNow, (owner, locks) => formerIdsOf(owner, declared, locks));
  const startsOf = cachePerLocks(locksNow, (owner, locks) =>
    idsOf(owner).flatMap((server) =>
      startsUnder({ server, toolbox: owner.toolbox }, { version: versionOf(owner), locks }),
    ),
  );
  const ownStartsOf = cachePerLocks(locksNow, (owner, locks) => {
    const version = versionOf(owner);
    const integration = declared.get(ownerKey(owner))?.integration;
    const configured = integration === undefined ? [] : [{ integration, version }];
    return [...configured, ...startsUnder(owner, { version, locks })];
  });
  return {
    idsOf,
    startsOf,
    namesOf(canonical) {
      const moved = locksNow().flatMap((tools) => [...recordedServers(tools).values()]);
      return [...sources, ...moved.map(({ owner }) => owner)].flatMap((owner) => {
        const starts = startsOf(owner);
        if (starts.length === 0) return [];
        return createStartChange(owner.toolbox, [...ownStartsOf(owner), ...starts])(canonical);
      });
    },
  };
}

type DeclaredServer = Pick<ToolSource, "server" | "toolbox" | "formerly" | "integration" | "version">;
type Locks = readonly Lock["tools"][];

function formerIdsOf(
  { server, toolbox }: Owner,
  declared: ReadonlyMap<string, DeclaredServer>,
  locks: Locks,
): readonly string[] {
  const found = new Set([server]);
  for (const id of found) {
    const key = ownerKey({ server: id, toolbox });
    for (const former of declared.get(key)?.formerly ?? NONE) found.add(former);
    for (const tools of locks)
      for (const former of recordedServers(tools).get(key)?.former ?? NONE) found.add(former);
  }
  found.delete(server);
  return [...found];
}

/**
 * How canonical names of a server that had this id start: as on record, otherwise as the id makes them. Then its version
 * is not known either, so it stands for every version.
 */
function startsUnder(
  owner: Owner,
  { version, locks }: { readonly version: number; readonly locks: Locks },
): readonly NameStart[] {
  const records = locks.map((tools) => recordedStarts(tools, owner));
  if (records.some(({ isKnown }) => isKnown)) return records.flatMap(({ starts }) => starts);
  return [integrationFromServerId(owner.server), integrationApart(owner.server)].flatMap((integration) => [
    { integration, version },
    { integration, version: "latest" as const },
  ]);
}

interface RecordedStarts {
  /** Whether the lock has anything of the server. */
  readonly isKnown: boolean;
  readonly starts: readonly NameStart[];
}

/** Names that a server chose itself (CANON-6) say nothing about its others. */
function recordedStarts(tools: Lock["tools"], { server, toolbox }: Owner): RecordedStarts {
  const keyStart = toolKeyOf({ server, toolbox, raw: "" }).slice(0, -`""]`.length);
  const starts = new Map<string, readonly NameStart[]>();
  let isKnown = false;
  for (const [key, { canonical }] of tools) {
    if (!key.startsWith(keyStart)) continue;
    const text = canonical.slice(0, canonical.indexOf("/") + 1);
    if (starts.has(text)) continue;
    const parsed = parseToolName(canonical);
    if (!parsed.ok) continue;
    isKnown = true;
    if (parsed.value.tool !== parseToolKey(key)?.raw) continue;
    const { integration, integrationVersion: version } = parsed.value;
    // What it would be if no other id were similar (NAME-8).
    const integrations = new Set([integration, plainIntegration({ server, integration })]);
    starts.set(
      text,
      [...integrations].map((each) => ({ integration: each, version })),
    );
  }
  return { isKnown, starts: [...starts.values()].flat() };
}

/** For names that start in one of these ways in the toolbox: the same with every other start. */
function createStartChange(
  toolbox: string | undefined,
  starts: readonly NameStart[],
): (name: string) => readonly string[] {
  const box = toolbox === undefined ? "" : `${toolbox}:`;
  const texts = new Set(starts.map(({ integration, version }) => `${box}${integration}@${version}`));
  return (name) => {
    const slash = name.indexOf("/");
    const written = name.slice(0, Math.max(0, slash));
    // A name without a toolbox is in that of the server.
    const start = withoutToolbox(name) === name ? `${box}${written}` : written;
    if (!texts.has(start)) return NONE;
    return [...texts].flatMap((other) => (other === start ? [] : `${other}${name.slice(slash)}`));
  };
}

interface MovedServer {
  readonly owner: Owner;
  /** The ids of the servers whose tools became its own. */
  readonly former: ReadonlySet<string>;
}

const read = new WeakMap<Lock["tools"], ReadonlyMap<string, MovedServer>>();

/** By server: those whose tools became its own, under the same raw names. A single tool that moved may have another name. */
function recordedServers(tools: Lock["tools"]): ReadonlyMap<string, MovedServer> {
  const known = read.get(tools);
  if (known !== undefined) return known;
  const servers = new Map<string, { readonly owner: Owner; readonly former: Set<string> }>();
  const seen = new Set<string>();
  for (const [key, { successor }] of tools) {
    if (successor === undefined) continue;
    // Compared as texts: to parse the keys of a large server takes long (SAFE-4).
    const [old, present] = [ownerTextOf(key), ownerTextOf(successor)];
    const pair = `${old}\n${present}`;
    if (seen.has(pair) || key.slice(old.length) !== successor.slice(present.length)) continue;
    seen.add(pair);
    const [from, to] = [parseToolKey(key), parseToolKey(successor)];
    if (from === undefined || to === undefined || from.server === to.server) continue;
    const owner = { server: to.server, toolbox: to.toolbox };
    const moved = servers.get(ownerKey(owner)) ?? { owner, former: new Set() };
    moved.former.add(from.server);
    servers.set(ownerKey(owner), moved);
  }
  read.set(tools, servers);
  return servers;
}

/** Values about servers, kept until one of the locks is replaced. */
function cachePerLocks<T extends readonly unknown[]>(
  locksNow: () => Locks,
  make: (owner: Owner, locks: Locks) => T,
): (owner: Owner) => T {
  let last: Locks = [];
  const values = new Map<string, T>();
  return ({ server, toolbox }) => {
    const locks = locksNow();
    if (locks.length !== last.length || locks.some((tools, index) => tools !== last[index])) values.clear();
    last = locks;
    const key = ownerKey({ server, toolbox });
    const value = values.get(key) ?? make({ server, toolbox }, locks);
    values.set(key, value);
    return value;
  };
}

function ownerKey({ server, toolbox }: Owner): string {
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
