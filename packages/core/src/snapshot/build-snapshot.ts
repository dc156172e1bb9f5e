// The snapshot: one catalog, the naming tables of every profile, and the resolvers. Immutable; replaced as a whole.

import { definitionDigest } from "../approvals/definition-digest.js";
import { type Catalog, catalogSteps } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import { createCanonicalFinder } from "../catalog/find-canonical.js";
import type { ToolSource } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { toolPositionSteps } from "../catalog/tool-positions.js";
import { createOwnerCheck, type Owner, type ToolKey } from "../identity/tool-key.js";
import { runSteps, type Steps } from "../names/steps.js";
import { findPins } from "../naming/assign/find-pins.js";
import { type LockScope, type NamingTable, namingTableSteps } from "../naming/build-naming-table.js";
import { registrationSteps } from "../naming/check-registration.js";
import { nameVariants } from "../naming/fit/name-variants.js";
import { buildLineage, carryLock, recordSuccessions } from "../naming/lock/lineage.js";
import { DEFAULT_ALIAS, EMPTY_LOCK, type Lock } from "../naming/lock/lock.js";
import { nextLock } from "../naming/lock/next-lock.js";
import type { NamingStyle } from "../naming/wish/style.js";
import { listProfiles, profileOf } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";
import { createResolver, type Resolver } from "../resolve/create-resolver.js";
import { explainResolution } from "../resolve/explain-resolution.js";
import { createAwaitedCheck, formerNameSteps } from "../resolve/renames/former-names.js";
import type { Rename } from "../resolve/renames/rename-window.js";
import { settleRenames } from "../resolve/renames/settle-renames.js";
import { buildSuccessions } from "../resolve/renames/successions.js";
import type { Resolution, ResolveContext, StructuredName } from "../resolve/resolution.js";
import { goneSpellingSteps } from "../resolve/spellings/gone-spellings.js";
import { createSharedLookups } from "../resolve/spellings/shared-lookups.js";
import { createNearest } from "../resolve/suggest-names.js";

export interface SnapshotOptions {
  /** Short forms of integrations for flat names: `{ quickbooks: "qb" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * The shape of names. Default: toolbox names if there are toolboxes, otherwise flat names. A style that differs
   * from the lock's gives every tool a new name; the old names still resolve.
   */
  readonly style?: NamingStyle;
  /** The alias under which clients register the gateway. */
  readonly as?: string;
  /** Names already assigned. They do not change. */
  readonly lock?: Lock;
  /** Public name → canonical name: names that the operator fixes. */
  readonly pins?: Readonly<Record<string, string>>;
  readonly renames?: readonly Rename[];
  /** Tools that the gateway itself adds. No other tool gets their names, bare or as `{as}_{name}` (NAME-6). */
  readonly ownNames?: readonly string[];
  /** Names that no tool may have in any profile because something else uses them: handoffs, your own tools. */
  readonly reserved?: readonly string[];
  /**
   * Servers that exist but were not queried or do not answer. Their tools keep the names that the lock holds for
   * them; those names are unknown, not retired.
   */
  readonly absent?: readonly Owner[];
  /** YYYY-MM-DD, to decide which renames are in force; the library has no clock. */
  readonly today?: string;
  /** Your own profiles, made by `defineProfile`. */
  readonly profiles?: readonly Profile[];
  /** Reject tools whose raw names violate the MCP specification, instead of warning (RULE-3). */
  readonly strict?: boolean;
}

/** Selects a table: a profile, and an alias and style if they differ from the snapshot's. */
export interface TableChoice {
  readonly as?: string;
  /** A style other than the one in force gives a preview, which ignores the lock. */
  readonly style?: NamingStyle;
  /**
   * `lock`: a name that any profile of the lock gave to one tool never goes to another tool. Adapters use this
   * (LIB-4).
   */
  readonly scope?: LockScope;
}

/** Selects a resolver. */
export interface ResolverChoice extends Pick<TableChoice, "as" | "scope"> {
  /**
   * What a caller sees. The resolver leads where it would if all other tools were not there, but for names that were given out:
   * those still lead to their tools, so answer them as unknown ones. A new resolver for each call of `resolverFor`: keep it.
   */
  readonly sees?: (tool: Tool) => boolean;
}

export interface ResolveOptions {
  /** The profile whose names are tried first; `universal` by default. */
  readonly profile?: string | Profile;
  readonly as?: string;
  readonly scope?: LockScope;
  readonly context?: ResolveContext;
}

export interface Snapshot {
  readonly catalog: Catalog;
  /** Problems of sources, pins and renames. Each affects only the tools it is about. */
  readonly problems: readonly CatalogProblem[];
  readonly profiles: readonly Profile[];
  /** The lock that was passed in. */
  readonly lock: Lock;
  readonly namesFor: (profile: string | Profile, choice?: TableChoice) => NamingTable;
  readonly resolve: (input: string | StructuredName, options?: ResolveOptions) => Resolution;
  /** The resolver of one profile, for callers that resolve often. */
  readonly resolverFor: (profile: string | Profile, choice?: ResolverChoice) => Resolver;
  /**
   * Builds in steps the index that resolves every text except public names, and for a profile also what only its
   * own resolver needs, such as suggestions. Without this it is built on first use, in one go, which blocks the
   * event loop noticeably with thousands of tools.
   */
  readonly indexSteps: (
    profile?: string | Profile,
    choice?: Pick<TableChoice, "as" | "scope">,
  ) => Steps<void>;
  /**
   * Builds one table in steps; `namesFor` returns it afterwards. Use it with thousands of tools, to keep the event
   * loop free.
   */
  readonly tableSteps: (profile: string | Profile, choice?: TableChoice) => Steps<NamingTable>;
  /** Explains a resolution as lines of text. */
  readonly explain: (input: string | StructuredName, options?: ResolveOptions) => readonly string[];
  /** The lock after assigning names in these profiles. */
  readonly nextLock: (profiles: readonly (string | Profile)[]) => Lock;
  /** The other identities of a tool, from declared renames. */
  readonly lineageOf: (tool: Tool) => ToolLineage;
  /**
   * A lock in which the names of renamed tools belong to their new identities. For locks that several gateways
   * share.
   */
  readonly followRenames: (lock: Lock) => Lock;
  /**
   * The lock's tool records with the renames in force added. Returns the same value if they are already recorded.
   */
  readonly recordRenames: (tools: Lock["tools"]) => Lock["tools"];
}

/** A tool across all its declared renames (LOCK-5). */
export interface ToolLineage {
  /**
   * The tool's first key; the same through every declared rename. For counts and traces: while a server lists an old
   * tool again, that tool has its key back. Decide by the tool's own key, with `former` and `line`.
   */
  readonly key: ToolKey;
  /** Former identities that are gone, latest first. What was approved under one of them is approved of this tool. */
  readonly former: readonly ToolIdentity[];
  /**
   * Later identities, where the server went back to this tool and lists none of them. An approval goes along a rename, not against
   * it: what was approved under one of them is not approved of this tool.
   */
  readonly later: readonly ToolIdentity[];
  /**
   * Every other identity that was declared to be this tool, also one that is listed again as a tool of its own. What
   * was rejected or denied under one of them is so for this tool, whatever its server lists.
   */
  readonly line: readonly ToolIdentity[];
}

/** An identity of a tool's past. */
export interface ToolIdentity {
  readonly key: ToolKey;
  /** Absent if the lock has no record of it. */
  readonly canonical?: string;
}

/**
 * Builds everything that names and resolves the tools of some servers.
 *
 * @example
 * const snapshot = buildSnapshot([{ server: "salesforce", tools: ["get_leads"] }]);
 * snapshot.namesFor("openai").tools[0]?.name;      // "sf_get_leads"
 * snapshot.resolve("salesforce/get_leads").outcome; // "resolved"
 */
export function buildSnapshot(sources: readonly ToolSource[], options: SnapshotOptions = {}): Snapshot {
  return runSteps(snapshotSteps(sources, options));
}

/**
 * Like `buildSnapshot`, in steps, for hosts with thousands of tools: run some steps, let the event loop continue,
 * and go on. The result is the same.
 *
 * @example
 * const steps = snapshotSteps([{ server: "salesforce", tools: ["get_leads"] }]);
 * let step = steps.next();
 * while (step.done !== true) step = steps.next();
 * step.value.namesFor("openai").tools[0]?.name; // "sf_get_leads"
 */
export function* snapshotSteps(
  sources: readonly ToolSource[],
  options: SnapshotOptions = {},
): Steps<Snapshot> {
  const { lock: given = EMPTY_LOCK, as: ownAlias = DEFAULT_ALIAS, absent = [] } = options;
  const registered = yield* registrationSteps(sources, { strict: options.strict === true });
  const catalog = yield* catalogSteps(registered.sources, {
    recorded: given.tools,
    ...(options.aliases === undefined ? {} : { aliases: options.aliases }),
  });
  // Every lookup of recorded names needs the tool positions.
  if (given.profiles.size > 0) yield* toolPositionSteps(catalog.tools);
  const renames = settleRenames(options.renames ?? [], { lock: given, sources: registered.sources, catalog });
  // A user's profile replaces the built-in one with the same id.
  const byId = new Map(
    [...listProfiles(), ...(options.profiles ?? [])].map((profile) => [profile.id, profile]),
  );
  const profiles = [...byId.values()];

  const isAbsent = createOwnerCheck(absent);
  const findCanonical = createCanonicalFinder(catalog, given.tools, isAbsent);
  const isAwaited = createAwaitedCheck(catalog, isAbsent);
  const nearestTo = createNearest(() => catalog.tools.map(({ canonical }) => canonical));
  const pins = findPins(options.pins ?? {}, { findCanonical, isAwaited, nearestTo });
  const isLive = (key: ToolKey): boolean => catalog.toolWithKey(key) !== undefined;
  const renamed = buildSuccessions({
    catalog,
    sources: registered.sources,
    renames,
    lock: given,
    findCanonical,
    isAbsent,
  });
  yield;
  const lineage = buildLineage(renamed.successions, isLive);
  const canonicalOf = (key: ToolKey): string | undefined => catalog.toolWithKey(key)?.canonical;
  const lock = carryLock(given, lineage, canonicalOf);
  yield;
  const former = yield* formerNameSteps({
    catalog,
    renames,
    lock,
    owners: renamed.owners,
    pinned: new Set(pins.keys.values()),
    style: options.style,
    isCarried: lock !== given,
    today: options.today,
    findCanonical,
    nearestTo,
    isAwaited,
    isAbsent,
  });

  const reserved = new Map([
    ...(options.reserved ?? []).map((name) => [name, "whoever reserved it"] as const),
    ...former.kept,
  ]);
  const buildSteps = (
    profile: Profile,
    { as = ownAlias, style: preview, scope }: TableChoice = {},
  ): Steps<NamingTable> => {
    const style = preview ?? options.style;
    return namingTableSteps(catalog, profile, {
      as,
      pins: pins.keys,
      absent,
      ownNames: options.ownNames ?? [],
      reserved,
      ...(preview === undefined ? { lock } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(style === undefined ? {} : { style }),
    });
  };
  const nameOfOld = (key: ToolKey): string | undefined =>
    given.tools.get(key)?.canonical ?? renamed.canonicals.get(key);
  const formerIdentity = (key: ToolKey): ToolIdentity => {
    const canonical = nameOfOld(key) ?? canonicalOf(key);
    return canonical === undefined ? { key } : { key, canonical };
  };
  const recordRenames = (tools: Lock["tools"]): Lock["tools"] =>
    recordSuccessions(tools, lineage, (key) => canonicalOf(key) ?? renamed.canonicals.get(key));
  const tables = new Map<string, NamingTable>();
  const tableKey = (profile: Profile, { as = ownAlias, style, scope = "profile" }: TableChoice): string =>
    JSON.stringify([profile.id, as, style ?? null, scope]);
  const madeTable = (profile: Profile, choice: TableChoice): NamingTable | undefined => {
    const made = tables.get(tableKey(profile, choice));
    return made?.profile === profile ? made : undefined;
  };
  const tableSteps = function* (profile: Profile, choice: TableChoice = {}): Steps<NamingTable> {
    const made = madeTable(profile, choice);
    if (made !== undefined) return made;
    const { style, ...others } = choice;
    // The style that is already in force needs no preview.
    const inForce = style === undefined ? undefined : yield* tableSteps(profile, others);
    const isInForce = inForce !== undefined && inForce.style === style;
    const built = isInForce ? inForce : yield* buildSteps(profile, choice);
    // The table may have been requested meanwhile; keep one table per choice.
    const table = madeTable(profile, choice) ?? built;
    tables.set(tableKey(profile, choice), table);
    return table;
  };
  const tableOf = (profile: Profile, choice: TableChoice = {}): NamingTable =>
    madeTable(profile, choice) ?? runSteps(tableSteps(profile, choice));
  const known = (profile: string | Profile): Profile => {
    if (typeof profile !== "string") return profile;
    return byId.get(profile) ?? profileOf(profile);
  };

  const lookups = createSharedLookups({
    catalog,
    former: former.names,
    formerByProfile: former.byProfile,
    declared: former.kept,
    lock,
    lineage,
    gone: () => goneSpellingSteps({ catalog, lock, lineage, isAbsent }),
    // Other texts that occur in spellings, besides raw names and server ids.
    texts: () => [ownAlias, ...Object.keys(options.pins ?? {}), ...lockedCanonicals(lock, catalog)],
    advertised: ["openai", "cursor"].map((id) => () => tableSteps(known(id))),
    variants: () =>
      nameVariants({
        profiles,
        as: ownAlias,
        // Not cached: only the table's spellings are needed.
        tableSteps: function* (profile) {
          return madeTable(profile, {}) ?? (yield* buildSteps(profile));
        },
        isLocked: (profile) => hasLock(lock, profile),
        keepsCanonical:
          (options.style ?? "canonical") === "canonical" && pins.keys.size + reserved.size === 0,
      }),
  });
  const resolvers = new Map<NamingTable, ReturnType<typeof createResolver>>();
  const resolverOf = (table: NamingTable): ReturnType<typeof createResolver> => {
    const made = resolvers.get(table) ?? createResolver(table, lookups);
    resolvers.set(table, made);
    return made;
  };
  // Most callers pass a profile and no alias. That case costs one extra map lookup.
  const usual = new Map<string | Profile, Resolver>();
  const chosen = ({ profile = "universal", context: _, ...choice }: ResolveOptions): NamingTable =>
    tableOf(known(profile), choice);
  const choose = (choice: ResolveOptions): Resolver => {
    const { profile = "universal", as, scope } = choice;
    const isUsual = as === undefined && scope === undefined;
    const made = isUsual ? usual.get(profile) : undefined;
    if (made !== undefined) return made;
    const { resolve: resolver } = resolverOf(chosen(choice));
    if (isUsual) usual.set(profile, resolver);
    return resolver;
  };

  return {
    catalog,
    problems: [
      ...registered.problems,
      ...catalog.problems,
      ...pins.problems,
      ...renamed.problems,
      ...former.problems,
    ],
    profiles,
    lock,
    namesFor: (profile, choice) => tableOf(known(profile), choice),
    resolve: (input, choice = {}) => choose(choice)(input, choice.context),
    resolverFor(profile, { sees, ...choice } = {}) {
      return sees === undefined
        ? choose({ profile, ...choice })
        : resolverOf(tableOf(known(profile), choice)).seenBy(sees);
    },
    *indexSteps(profile, choice) {
      if (profile === undefined) return yield* lookups.makeSteps();
      const table = yield* tableSteps(known(profile), choice);
      return yield* resolverOf(table).makeSteps();
    },
    tableSteps: (profile, choice) => tableSteps(known(profile), choice),
    explain(input, choice = {}) {
      return explainResolution(input, choose(choice)(input, choice.context), chosen(choice));
    },
    nextLock(ids) {
      const tables = ids.map((id) => tableOf(known(id)));
      // Names of other profiles stay with their tools until those profiles' tables are built.
      const next = nextLock(given, catalog, tables, definitionDigest);
      return { ...next, tools: recordRenames(next.tools) };
    },
    lineageOf(tool) {
      const key = lineage.firstKeyOf(tool.key);
      const { earlier, later } = lineage.goneKeysOf(tool.key);
      return {
        key,
        former: earlier.map(formerIdentity),
        later: later.map(formerIdentity),
        line: lineage.lineKeysOf(tool.key).map(formerIdentity),
      };
    },
    followRenames: (other) => carryLock(other, lineage, canonicalOf),
    recordRenames,
  };
}

/** Canonical names that profiles gave to tools before the tools were in a toolbox. */
function lockedCanonicals(lock: Lock, catalog: Catalog): readonly string[] {
  const names: string[] = [];
  for (const { style, names: given } of lock.profiles.values()) {
    if (style !== "canonical") continue;
    for (const [name, { key }] of given) if (catalog.toolWithKey(key)?.canonical !== name) names.push(name);
  }
  return names;
}

/** Whether any alias of the profile has names in the lock. */
function hasLock(lock: Lock, { id }: Profile): boolean {
  for (const key of lock.profiles.keys()) if (key === id || key.startsWith(`${id}?`)) return true;
  return false;
}
