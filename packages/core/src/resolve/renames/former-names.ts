// Declared aliases and former names, with their policies (RES-1, step `alias`; LOCK-2).

import type { Catalog } from "../../catalog/build-catalog.js";
import type { CatalogProblem } from "../../catalog/catalog-problem.js";
import type { CatalogServer } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { partsOfKey, type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { formatCanonicalName } from "../../names/canonical-name.js";
import { eachPairInSteps, type Steps } from "../../names/steps.js";
import type { Lock, LockedName, ProfileLock } from "../../naming/lock/lock.js";
import type { NamingStyle } from "../../naming/wish/style.js";
import { endlessRename, liveRename, lostRename, ownedRename } from "./rename-problems.js";
import { type Rename, renameWindow } from "./rename-window.js";

export interface FormerName {
  /** The tool that the name resolves to; `undefined` if the tool is gone. */
  readonly tool: Tool | undefined;
  readonly canonical: string;
  readonly policy: "accept" | "warn" | "reject";
  /** When the name stops working, as text. */
  readonly ends?: string | undefined;
  /** The tool is not gone: its server was not queried, or does not answer. */
  readonly isAbsent?: boolean;
}

/** The tools that an old name resolves to; several entries mean that it is ambiguous. */
export type FormerNames = ReadonlyMap<string, readonly FormerName[]>;

export function* formerNameSteps(input: {
  readonly catalog: Catalog;
  readonly renames: readonly Rename[];
  /** The lock, with the names of old identities moved to their present ones. */
  readonly lock: Lock;
  /** By `from`: present tools that already are what the entry says of another one. */
  readonly owners: ReadonlyMap<string, Tool>;
  /** Tools with a name that the operator chose. Their names in the lock are former names. */
  readonly pinned: ReadonlySet<ToolKey>;
  readonly style: NamingStyle | undefined;
  /** Names were moved from old identities to others. */
  readonly isCarried: boolean;
  /** YYYY-MM-DD. If absent, no window has ended: the library has no clock. */
  readonly today: string | undefined;
  readonly findCanonical: (canonical: string) => readonly Tool[];
  readonly nearestTo: (canonical: string) => string | undefined;
  readonly isAwaited: (canonical: string) => boolean;
  readonly isAbsent: (key: ToolKey) => boolean;
}): Steps<{
  readonly names: FormerNames;
  /** Former names in the lock, by the profile that assigned them. */
  readonly byProfile: ReadonlyMap<string, ReadonlyMap<string, FormerName>>;
  /** Old names that no other tool may get: the key of the tool they resolve to, otherwise the declared target. */
  readonly kept: ReadonlyMap<string, string>;
  readonly problems: readonly CatalogProblem[];
}> {
  const names = new Map<string, FormerName[]>();
  const problems: CatalogProblem[] = [];
  const add = (name: string, former: FormerName): void => {
    const before = names.get(name);
    if (before === undefined) names.set(name, [former]);
    else if (!before.some((other) => other.canonical === former.canonical)) before.push(former);
  };

  const kept = new Map<string, string>();
  const targets = new Map(input.renames.map(({ from, to }) => [from, to]));
  for (const rename of input.renames) {
    const { from, to, policy = "warn" } = rename;
    // A name without its toolbox may be declared: the declaration decides between several possible tools.
    if (input.findCanonical(from).some((tool) => tool.canonical === from)) {
      problems.push(liveRename(from));
      continue;
    }
    const canonical = followRenames(to, targets, (text) => input.findCanonical(text).length > 0);
    const [tool, ...others] = input.findCanonical(canonical);
    const isAbsent = tool === undefined && input.isAwaited(canonical);
    if (others.length > 0 || (tool === undefined && !isAbsent))
      problems.push(
        lostRename(
          { from, to: canonical },
          {
            several: others.length > 0 ? input.findCanonical(canonical) : [],
            near: input.nearestTo(canonical),
          },
        ),
      );
    const lead = others.length > 0 ? undefined : tool;
    const owner = input.owners.get(from) ?? otherOwner(from, lead, input);
    if (owner !== undefined) {
      problems.push(ownedRename(from, owner));
      continue;
    }
    const serverVersion =
      lead && input.catalog.servers.find((server) => isOwner(server, lead))?.serverVersion;
    const { state, ends } = renameWindow(rename, { today: input.today, serverVersion });
    if (lead !== undefined && state === "unknown") problems.push(endlessRename(from, lead, serverVersion));
    const target = lead?.canonical ?? canonical;
    add(from, {
      tool: lead,
      canonical: target,
      policy: state === "ended" ? "reject" : policy,
      ends,
      isAbsent,
    });
    kept.set(from, lead?.key ?? `the declared rename to ${target}`);
  }
  const holders = new Map([...kept.keys()].map((name) => [name, holdersOf(name, input.lock)]));
  /** If profiles assigned a name to several tools, the declaration is about one of them. */
  const isDeclared = (name: string, key: ToolKey): boolean =>
    kept.has(name) && ((holders.get(name)?.size ?? 0) < 2 || kept.get(name) === key);
  const byProfile = new Map<string, Map<string, FormerName>>();
  for (const [id, profile] of input.lock.profiles) {
    const given = new Map<string, FormerName>();
    byProfile.set(id, given);
    yield;
    const hasMoved = createMoveCheck(profile, input);
    yield* eachPairInSteps(profile.names, (name, entry) => {
      const { key } = entry;
      const tool = input.catalog.toolWithKey(key);
      if (tool !== undefined && !hasMoved(entry)) return;
      // A declared rename takes precedence over the lock's record.
      if (isDeclared(name, key)) return;
      const canonical =
        tool?.canonical ?? input.lock.tools.get(key)?.canonical ?? nameUnseen(key, input.catalog);
      const isAbsent = tool === undefined && input.isAbsent(key);
      const former: FormerName = { tool, canonical, policy: "warn", isAbsent };
      given.set(name, former);
      add(name, former);
    });
  }
  return { names, byProfile, kept, problems };
}

function holdersOf(name: string, { profiles }: Lock): ReadonlySet<ToolKey> {
  return new Set([...profiles.values()].flatMap(({ names }) => names.get(name)?.key ?? []));
}

/** Another present tool to which some profile assigned the name. */
function otherOwner(
  name: string,
  lead: Tool | undefined,
  { lock, catalog }: { readonly lock: Lock; readonly catalog: Catalog },
): Tool | undefined {
  for (const { names } of lock.profiles.values()) {
    const entry = names.get(name);
    const tool = entry === undefined ? undefined : catalog.toolWithKey(entry.key);
    if (tool !== undefined && tool !== lead) return tool;
  }
  return undefined;
}

/**
 * Whether the tool of a locked name has another name now, as far as that is known without building the table. From
 * then on the name is a former one, even before the lock is written again (RES-7).
 */
function createMoveCheck(
  profile: ProfileLock,
  {
    pinned,
    style,
    isCarried,
  }: {
    readonly pinned: ReadonlySet<ToolKey>;
    readonly style: NamingStyle | undefined;
    readonly isCarried: boolean;
  },
): (entry: LockedName) => boolean {
  const isRestyled = style !== undefined && style !== profile.style;
  const named = new Set<ToolKey>();
  /** A tool that inherited names has several, of which one stays in use. */
  const several = new Set<ToolKey>();
  for (const { key, retired } of isCarried ? profile.names.values() : []) {
    if (retired !== "renamed") (named.has(key) ? several : named).add(key);
  }
  return ({ key, retired }) => retired === "renamed" || isRestyled || pinned.has(key) || several.has(key);
}

/**
 * A tool that was renamed twice is also found by its oldest name. A tool that is still present counts as not
 * renamed yet.
 */
function followRenames(
  to: string,
  targets: ReadonlyMap<string, string>,
  isThere: (canonical: string) => boolean,
): string {
  const seen = new Set<string>();
  let canonical = to;
  for (
    let next = targets.get(canonical);
    next !== undefined && !seen.has(canonical) && !isThere(canonical);
    next = targets.get(canonical)
  ) {
    seen.add(canonical);
    canonical = next;
  }
  return canonical;
}

/** Whether a tool of this name may appear once its server is available. */
export function createAwaitedCheck(
  { servers }: Catalog,
  isAbsent: (key: ToolKey) => boolean,
): (canonical: string) => boolean {
  return (canonical) =>
    servers.some(({ server, toolbox, integration, version }) => {
      const start = `${integration}@${version}/`;
      const isMeant =
        canonical.startsWith(start) || (toolbox !== undefined && canonical.startsWith(`${toolbox}:${start}`));
      return isMeant && isAbsent(toolKeyOf({ server, toolbox, raw: "" }));
    });
}

/** The canonical name that a tool would have if its server listed it; otherwise its server and raw name. */
export function nameUnseen(key: ToolKey, { servers }: Catalog): string {
  const { toolbox, server, raw } = partsOfKey(key);
  const owner = servers.find((one) => one.server === server && one.toolbox === toolbox);
  if (owner === undefined) return [...(toolbox === undefined ? [] : [toolbox]), server, raw].join(" / ");
  const { integration, version } = owner;
  return formatCanonicalName({
    toolbox,
    integration,
    integrationVersion: version,
    tool: raw,
    toolVersion: 1,
  });
}

function isOwner({ server, toolbox }: CatalogServer, tool: Tool): boolean {
  return server === tool.server && toolbox === tool.toolbox;
}
