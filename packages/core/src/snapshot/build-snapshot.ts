// The snapshot: one catalog, the tables of every profile, and the way back. Immutable; replaced as a whole.

import { definitionDigest } from "../approvals/definition-digest.js";
import { buildCatalog, type Catalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import { createCanonicalFinder } from "../catalog/find-canonical.js";
import type { ToolSource } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { createOwnerCheck, type Owner, type ToolKey } from "../identity/tool-key.js";
import { buildNamingTable, type LockScope, type NamingTable } from "../naming/build-naming-table.js";
import { checkRegistration } from "../naming/check-registration.js";
import { findPins } from "../naming/find-pins.js";
import { buildLineage, carryLock, recordSuccessions } from "../naming/lineage.js";
import { DEFAULT_ALIAS, EMPTY_LOCK, type Lock } from "../naming/lock.js";
import { nameVariants } from "../naming/name-variants.js";
import { nextLock } from "../naming/next-lock.js";
import type { NamingStyle } from "../naming/style.js";
import { listProfiles, profileOf } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";
import { createResolver, type Resolver } from "../resolve/create-resolver.js";
import { explainResolution } from "../resolve/explain-resolution.js";
import { buildFormerNames, createAwaitedCheck, type Rename } from "../resolve/former-names.js";
import { buildGoneSpellings } from "../resolve/gone-spellings.js";
import type { Resolution, ResolveContext, StructuredName } from "../resolve/resolution.js";
import { settleRenames } from "../resolve/settle-renames.js";
import { createSharedLookups } from "../resolve/shared-lookups.js";
import { buildSuccessions } from "../resolve/successions.js";
import { createNearest } from "../resolve/suggest-names.js";

export interface SnapshotOptions {
  /** Short forms of integrations for flat names: `{ quickbooks: "qb" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * How names are meant to look; by default toolbox names with toolboxes, else flat ones. Another style than that of the
   * lock gives every tool a new name; the old ones still lead to their tools.
   */
  readonly style?: NamingStyle;
  /** The name under which the gateway is registered in clients. */
  readonly as?: string;
  /** Names already given out; they stay. */
  readonly lock?: Lock;
  /** Public name → canonical name: names the operator insists on. */
  readonly pins?: Readonly<Record<string, string>>;
  readonly renames?: readonly Rename[];
  /** Names that no tool may have in any profile, because others have them: handoffs, tools of your own. */
  readonly reserved?: readonly string[];
  /**
   * Downstreams that exist but were not asked, or do not answer: names that the lock holds for their tools stay theirs,
   * and are unknown rather than retired.
   */
  readonly absent?: readonly Owner[];
  /** YYYY-MM-DD, for the windows of renames; the library has no clock. */
  readonly today?: string;
  /** Profiles of your own, made by `defineProfile`. */
  readonly profiles?: readonly Profile[];
  /** Refuse tools whose raw names break the MCP specification, instead of warning (RULE-3). */
  readonly strict?: boolean;
}

/** Which table is meant: a profile, and where they differ from the snapshot's own, alias and style. */
export interface TableChoice {
  readonly as?: string;
  /** Another style than the one in force is a preview: it does not read the lock. */
  readonly style?: NamingStyle;
  /** `lock`: no name goes to a tool that another profile of the lock gave to another. Adapters name tools so (LIB-4). */
  readonly scope?: LockScope;
}

export interface ResolveOptions {
  /** Whose names come first; `universal` where it is not said. */
  readonly profile?: string | Profile;
  readonly as?: string;
  readonly scope?: LockScope;
  readonly context?: ResolveContext;
}

export interface Snapshot {
  readonly catalog: Catalog;
  /** Of sources, pins and renames. Each isolates only the tools it concerns. */
  readonly problems: readonly CatalogProblem[];
  readonly profiles: readonly Profile[];
  /** Names already given out, as they were handed over. */
  readonly lock: Lock;
  readonly namesFor: (profile: string | Profile, choice?: TableChoice) => NamingTable;
  readonly resolve: (input: string | StructuredName, options?: ResolveOptions) => Resolution;
  /** The resolver of one profile, for callers that resolve often. */
  readonly resolverFor: (profile: string | Profile, choice?: Pick<TableChoice, "as" | "scope">) => Resolver;
  /**
   * Makes in steps what resolving any text but a public name looks into. It is made when it is first needed, at once; with
   * thousands of tools that takes longer than others may want to wait.
   */
  readonly indexSteps: () => Generator<undefined, void, undefined>;
  /** A resolution in words. */
  readonly explain: (input: string | StructuredName, options?: ResolveOptions) => readonly string[];
  /** The lock after the names of these profiles were given out. */
  readonly nextLock: (profiles: readonly (string | Profile)[]) => Lock;
  /** What a tool was before, by declared renames. */
  readonly lineageOf: (tool: Tool) => ToolLineage;
  /** Any lock with the names of old identities carried to who they are now, for who shares one with others. */
  readonly followRenames: (lock: Lock) => Lock;
  /** What a lock knows of tools, with the renames that are in force; the same value where they are on record. */
  readonly recordRenames: (tools: Lock["tools"]) => Lock["tools"];
}

/** A tool over all its declared renames (LOCK-5). */
export interface ToolLineage {
  /** The first key that it had: the same through every declared rename. */
  readonly key: ToolKey;
  /** What it was before, the latest first. */
  readonly former: readonly {
    readonly key: ToolKey;
    /** Absent where nothing is on record of it. */
    readonly canonical?: string;
  }[];
}

/**
 * Builds everything that names and resolves the tools of some downstreams.
 *
 * @example
 * const snapshot = buildSnapshot([{ server: "salesforce", tools: ["get_leads"] }]);
 * snapshot.namesFor("openai").tools[0]?.name;      // "sf_get_leads"
 * snapshot.resolve("salesforce/get_leads").outcome; // "resolved"
 */
export function buildSnapshot(sources: readonly ToolSource[], options: SnapshotOptions = {}): Snapshot {
  const { lock: given = EMPTY_LOCK, as: ownAlias = DEFAULT_ALIAS, absent = [] } = options;
  const registered = checkRegistration(sources, { strict: options.strict === true });
  const catalog = buildCatalog(registered.sources, {
    recorded: given.tools,
    ...(options.aliases === undefined ? {} : { aliases: options.aliases }),
  });
  const renames = settleRenames(options.renames ?? [], { lock: given, sources: registered.sources, catalog });
  // A profile of the user's own takes the place of a built-in one with its id.
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
  const lineage = buildLineage(renamed.successions, isLive);
  const canonicalOf = (key: ToolKey): string | undefined => catalog.toolWithKey(key)?.canonical;
  const lock = carryLock(given, lineage, canonicalOf);
  const former = buildFormerNames({
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
  const build = (
    profile: Profile,
    { as = ownAlias, style: preview, scope }: TableChoice = {},
  ): NamingTable => {
    const style = preview ?? options.style;
    return buildNamingTable(catalog, profile, {
      as,
      pins: pins.keys,
      absent,
      reserved,
      ...(preview === undefined ? { lock } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(style === undefined ? {} : { style }),
    });
  };
  const nameOfOld = (key: ToolKey): string | undefined =>
    given.tools.get(key)?.canonical ?? renamed.canonicals.get(key);
  const formerIdentity = (key: ToolKey): ToolLineage["former"][number] => {
    const canonical = nameOfOld(key);
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
  const tableOf = (profile: Profile, choice: TableChoice = {}): NamingTable => {
    const made = madeTable(profile, choice);
    if (made !== undefined) return made;
    const { style, ...others } = choice;
    // Asking for the style that is in force is no preview.
    const inForce = style === undefined ? undefined : tableOf(profile, others);
    const table = inForce !== undefined && inForce.style === style ? inForce : build(profile, choice);
    tables.set(tableKey(profile, choice), table);
    return table;
  };
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
    gone: () => buildGoneSpellings({ catalog, lock, lineage, isAbsent }),
    // Texts beside raw names and server ids that stand in spellings.
    texts: () => [ownAlias, ...Object.keys(options.pins ?? {}), ...lockedCanonicals(lock, catalog)],
    advertised: ["openai", "cursor"].map((id) => () => tableOf(known(id))),
    variants: () =>
      nameVariants({
        profiles,
        as: ownAlias,
        // Not kept: what a table adds to the spellings is all that is needed of it.
        tableOf: (profile) => madeTable(profile, {}) ?? build(profile),
        isLocked: (profile) => hasLock(lock, profile),
        keepsCanonical:
          (options.style ?? "canonical") === "canonical" && pins.keys.size + reserved.size === 0,
      }),
  });
  const resolvers = new Map<NamingTable, Resolver>();
  const resolverOf = (table: NamingTable): Resolver => {
    const made = resolvers.get(table) ?? createResolver(table, lookups);
    resolvers.set(table, made);
    return made;
  };
  // The usual question names a profile and no alias; it should cost one look-up more than the resolver itself.
  const usual = new Map<string | Profile, Resolver>();
  const chosen = ({ profile = "universal", context: _, ...choice }: ResolveOptions): NamingTable =>
    tableOf(known(profile), choice);
  const choose = (choice: ResolveOptions): Resolver => {
    const { profile = "universal", as, scope } = choice;
    const isUsual = as === undefined && scope === undefined;
    const made = isUsual ? usual.get(profile) : undefined;
    if (made !== undefined) return made;
    const resolver = resolverOf(chosen(choice));
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
    resolverFor: (profile, choice) => choose({ profile, ...choice }),
    indexSteps: lookups.makeSteps,
    explain(input, choice = {}) {
      return explainResolution(input, choose(choice)(input, choice.context), chosen(choice));
    },
    nextLock(ids) {
      const tables = ids.map((id) => tableOf(known(id)));
      // Names of other profiles stay with those that they were given to, until their tables say which of them go on.
      const next = nextLock(given, catalog, tables, definitionDigest);
      return { ...next, tools: recordRenames(next.tools) };
    },
    lineageOf(tool) {
      const key = lineage.firstKeyOf(tool.key);
      return { key, former: lineage.formerKeysOf(tool.key).map(formerIdentity) };
    },
    followRenames: (other) => carryLock(other, lineage, canonicalOf),
    recordRenames,
  };
}

/** Names that profiles with canonical names gave to tools before these had a toolbox in front of them. */
function lockedCanonicals(lock: Lock, catalog: Catalog): readonly string[] {
  const names: string[] = [];
  for (const { style, names: given } of lock.profiles.values()) {
    if (style !== "canonical") continue;
    for (const [name, { key }] of given) if (catalog.toolWithKey(key)?.canonical !== name) names.push(name);
  }
  return names;
}

/** Some alias of the profile has names on record. */
function hasLock(lock: Lock, { id }: Profile): boolean {
  for (const key of lock.profiles.keys()) if (key === id || key.startsWith(`${id}?`)) return true;
  return false;
}
