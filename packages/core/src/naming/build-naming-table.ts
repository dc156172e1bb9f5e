// The naming table: the immutable two-way map between the tools of a catalog and their names in one profile.
// Listing and calling read the same table, so what is advertised is what can be called (NAME-4).

import type { Catalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import { canonicalOwners } from "../catalog/find-canonical.js";
import type { Tool } from "../catalog/tool.js";
import { createOwnerCheck, type Owner, type ToolKey } from "../identity/tool-key.js";
import { compileRules, isLegalName } from "../profiles/compile-rules.js";
import { confusedNames } from "../profiles/confused-names.js";
import { findProfile } from "../profiles/find-profile.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import type { Profile } from "../profiles/profile.js";
import { matchesProfile } from "../profiles/sent-name.js";
import { type AssignOutput, assignNames, type NamedTool } from "./assign-names.js";
import { fitName, LEAST_ROOM } from "./fit-name.js";
import { DEFAULT_ALIAS, type Lock, lockKey, type ProfileLock } from "./lock.js";
import { namesOnRecord } from "./names-on-record.js";
import { nextProfileLock } from "./next-lock.js";
import { type NamingStyle, rulesInStyle } from "./style.js";
import {
  endangeredNames,
  illegalAlias,
  movedNames,
  noRoom,
  notNameable,
  refusedPins,
  tooManyTools,
} from "./table-problems.js";
import { wishesOf } from "./wishes.js";

export interface NamingTable {
  readonly profile: Profile;
  /** The name under which the gateway is registered in the client. */
  readonly as: string;
  readonly style: NamingStyle;
  /** Where a lock keeps the names of this table. */
  readonly lockKey: string;
  /** In the order of the catalog; every tool that has a name. */
  readonly tools: readonly NamedTool[];
  readonly problems: readonly CatalogProblem[];
  readonly nameOf: (tool: Tool) => string | undefined;
  readonly toolNamed: (name: string) => Tool | undefined;
  /** Position in `tools` of the tool with this name. */
  readonly indexOf: (name: string) => number | undefined;
  /** Whether a name is given to a tool, or kept from all. */
  readonly has: (name: string) => boolean;
  /** Names that no tool may have. */
  readonly reserved: Iterable<string>;
  /** What to record, so that no name of this table ever moves. */
  readonly nextLock: () => ProfileLock;
}

export interface NamingOptions {
  readonly style?: NamingStyle;
  readonly as?: string;
  readonly lock?: Lock;
  /**
   * Which names on record stay with their tools: those that this profile gave (the default), or those that any profile
   * of the lock gave, so that no name passes to another tool where one caller changes profiles (LIB-4).
   */
  readonly scope?: LockScope;
  /** Public name → identity: the operator's own choice, in every profile where it is legal. */
  readonly pins?: ReadonlyMap<string, ToolKey>;
  /** Downstreams that exist but were not asked for their tools: what the lock holds for them is not retired. */
  readonly absent?: readonly Owner[];
  /** Names beside the gateway's own that no tool may have but the one whose key is given; else for what, in words. */
  readonly reserved?: ReadonlyMap<string, string>;
}

export type LockScope = "profile" | "lock";

/** What the gateway calls its own tools (NAME-6, GW-11). */
const OWN_NAMES = ["list_toolboxes", "open_toolbox", "close_toolbox", "find_tools", "use_tool"];

/**
 * Builds the table of one profile.
 *
 * @example
 * const table = buildNamingTable(catalog, openai);
 * table.toolNamed("sf_get_leads")?.canonical; // "salesforce@1/get_leads@1"
 */
export function buildNamingTable(
  catalog: Catalog,
  profile: Profile,
  options: NamingOptions = {},
): NamingTable {
  const as = options.as ?? DEFAULT_ALIAS;
  const rules = nameRulesFor(profile, as);
  const key = lockKey(profile.id, { as, aliasMatters: dependsOnAlias(profile) });
  const locked = options.lock?.profiles.get(key) ?? lockedBefore(profile, as, options.lock);
  const onRecord =
    options.scope === "lock" && options.lock !== undefined ? namesOnRecord(options.lock) : undefined;
  const style = options.style ?? locked?.style ?? defaultStyle(catalog, profile);
  const isRestyled = locked !== undefined && locked.style !== style;
  // A provider refuses the whole request for one such name, so there the tool has to go by another.
  const keepsLocked = profile.kind === "client";
  const roomy = rules.maxLength >= Math.max(LEAST_ROOM, rules.minLength);
  const recorded = compileRules(rules);
  const compiled = compileRules(rulesInStyle(rules, style));
  const reserved = new Map([
    ...OWN_NAMES.flatMap((name) => [name, `${as}_${name}`]).map(
      (name) => [name, "the gateway itself"] as const,
    ),
    ...(rules.reserved ?? [])
      .filter((name) => !keepsLocked || locked?.names.has(name) !== true)
      .map((name) => [name, profile.title] as const),
    // An old name that is declared to lead to one tool may be, in this profile, what another one was called.
    ...[...(options.reserved ?? [])].filter(([name, owner]) => {
      const holder = locked?.names.get(name)?.key;
      return holder === undefined || holder === owner || catalog.toolWithKey(owner as ToolKey) === undefined;
    }),
  ]);

  // Few profiles take what canonical names are made of; and where these are what tools are named, each has its own.
  const mayMeet =
    isLegalName("a@1/a@1", compiled) &&
    (style !== "canonical" || locked !== undefined || (options.pins?.size ?? 0) > 0);

  const assign = (tools: readonly Tool[]): AssignOutput => {
    const wishes = wishesOf(tools, style);
    return assignNames({
      tools,
      fit: (index) => fitName(wishes[index] as NamedTool, style, compiled),
      compiled,
      recorded,
      keepsLocked,
      lock: locked,
      isRestyled,
      pins: options.pins ?? new Map(),
      reserved,
      ownerOf: mayMeet ? (name) => canonicalOwners(catalog).get(name) : () => undefined,
      describe(owner, name) {
        const canonical =
          catalog.toolWithKey(owner as ToolKey)?.canonical ??
          options.lock?.tools.get(owner as ToolKey)?.canonical;
        if (canonical === undefined) return owner;
        return options.reserved?.get(name) === owner ? `the declared rename to ${canonical}` : canonical;
      },
      sameAs: confusedNames(profile, as),
      onRecord,
    });
  };
  const aliasIsLegal = !showsAlias(profile) || matchesProfile("tool", profile, as);
  const unnameable = new Set<Tool>();
  let assigned = assign(roomy ? catalog.tools : []);
  if (aliasIsLegal) {
    // Leaving a tool out may give its name to another, so the rest is looked at again until it holds.
    const isLocked = (name: string): boolean => keepsLocked && locked?.names.has(name) === true;
    const illegalOf = (output: AssignOutput) => illegalTools(output, profile, as, isLocked);
    for (let illegal = illegalOf(assigned); illegal.length > 0; ) {
      for (const tool of illegal) unnameable.add(tool);
      assigned = assign(catalog.tools.filter((tool) => !unnameable.has(tool)));
      illegal = illegalOf(assigned);
    }
  }
  const { named, book, moved, endangered, ...pins } = assigned;

  let names: Map<Tool, string> | undefined;
  const toolNamed = (name: string): Tool | undefined => named[book.indexOf(name) ?? -1]?.tool;
  return {
    profile,
    as,
    style,
    lockKey: key,
    tools: named,
    problems: [
      ...(roomy ? [] : [noRoom(profile, as, catalog.tools)]),
      ...(roomy && !aliasIsLegal ? [illegalAlias(profile, as)] : []),
      ...(unnameable.size === 0 ? [] : [notNameable(profile, [...unnameable])]),
      ...tooManyTools(profile, named.length),
      ...movedNames(profile, moved),
      ...endangeredNames(profile, endangered),
      ...refusedPins(profile, pins.refusedPins),
    ],
    nameOf(tool) {
      names ??= new Map(named.map((entry) => [entry.tool, entry.name]));
      return names.get(tool);
    },
    toolNamed,
    indexOf: (name) => book.indexOf(name),
    has: (name) => book.has(name) || onRecord?.has(name) === true,
    reserved: [...reserved.keys()],
    nextLock: () =>
      nextProfileLock({
        before: locked,
        named,
        toolNamed,
        style,
        isAbsent: createOwnerCheck(options.absent ?? []),
      }),
  };
}

/**
 * A pattern of a user's own may ask for more than characters and lengths. Built-in rules are known to be enough, so
 * only names of other profiles are held against their pattern.
 */
function illegalTools(
  { named }: AssignOutput,
  profile: Profile,
  as: string,
  isLocked: (name: string) => boolean,
): readonly Tool[] {
  if (findProfile(profile.id) === profile || profile.id.startsWith(BOUNDLESS)) return [];
  return named
    .filter(({ name }) => !isLocked(name) && !matchesProfile(name, profile, as))
    .map(({ tool }) => tool);
}

/** Where a corrected row counts the alias otherwise than it did, or has another id, its names are kept elsewhere. */
function lockedBefore({ lockedBefore: before }: Profile, as: string, lock: Lock | undefined) {
  if (before === undefined) return undefined;
  return lock?.profiles.get(lockKey(before.id, { as, aliasMatters: before.aliasMattered }));
}

/** Start of the ids of tables that no client asks for. */
export const BOUNDLESS = "boundless-";

function defaultStyle(catalog: Catalog, profile: Profile): NamingStyle {
  if (profile.unrestricted) return "canonical";
  return catalog.servers.some((server) => server.toolbox !== undefined) ? "toolbox" : "flat";
}

/** Whether a longer alias leaves less room for names, so that each alias needs names of its own. */
function dependsOnAlias(profile: Profile): boolean {
  return profile.client.prefixYields !== true && showsAlias(profile);
}

function showsAlias({ client }: Profile): boolean {
  return `${client.prefix}${client.suffix}`.includes("{server}");
}
