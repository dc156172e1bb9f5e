// The naming table: the immutable two-way map between the tools of a catalog and their names in one profile.
// Listing and calling read the same table, so every listed name can be called (NAME-4).

import type { Catalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import { canonicalOwners } from "../catalog/find-canonical.js";
import type { Tool } from "../catalog/tool.js";
import { createOwnerCheck, type Owner, type ToolKey } from "../identity/tool-key.js";
import { escapeText } from "../names/escape-text.js";
import { eachInSteps, runSteps, type Steps } from "../names/steps.js";
import { findProfile } from "../profiles/find-profile.js";
import { compileRules, isLegalName } from "../profiles/fit/compile-rules.js";
import type { NameRules, Profile } from "../profiles/profile.js";
import { confusedNames } from "../profiles/sent/confused-names.js";
import { dependsOnAlias, nameRulesFor, showsAlias } from "../profiles/sent/name-budget.js";
import { matchesProfile } from "../profiles/sent/sent-name.js";
import { type AssignOutput, assignNames, type NamedTool } from "./assign/assign-names.js";
import { namesOnRecord } from "./assign/names-on-record.js";
import { fitName, MIN_ROOM } from "./fit/fit-name.js";
import { DEFAULT_ALIAS, type Lock, lockKey, type ProfileLock } from "./lock/lock.js";
import { nextProfileLock } from "./lock/next-lock.js";
import {
  endangeredNames,
  illegalAlias,
  movedNames,
  noRoom,
  notNameable,
  refusedPins,
  swappedNames,
  tooManyTools,
} from "./table-problems.js";
import { type NamingStyle, rulesInStyle } from "./wish/style.js";
import { wishSteps } from "./wish/wish-name.js";

export interface NamingTable {
  readonly profile: Profile;
  /** The alias under which the client registers the gateway. */
  readonly as: string;
  readonly style: NamingStyle;
  /** The key of this table's names in a lock. */
  readonly lockKey: string;
  /** Every tool that has a name, in catalog order. */
  readonly tools: readonly NamedTool[];
  readonly problems: readonly CatalogProblem[];
  readonly nameOf: (tool: Tool) => string | undefined;
  readonly toolNamed: (name: string) => Tool | undefined;
  /** Position in `tools` of the tool with this name. */
  readonly indexOf: (name: string) => number | undefined;
  /** Whether a name is assigned or reserved. */
  readonly has: (name: string) => boolean;
  /** Names that no tool may have. */
  readonly reserved: Iterable<string>;
  /** What to record so that no name of this table ever moves. */
  readonly nextLock: () => ProfileLock;
  /** The same in steps, to keep the event loop free with many tools. */
  readonly nextLockSteps: () => Steps<ProfileLock>;
}

export interface NamingOptions {
  readonly style?: NamingStyle;
  readonly as?: string;
  readonly lock?: Lock;
  /**
   * Which recorded names stay with their tools: those of this profile (the default), or those of every profile in
   * the lock, so that no name moves to another tool when a caller changes profiles (LIB-4).
   */
  readonly scope?: LockScope;
  /** Public name → identity: the operator's choice, in every profile where the name is legal. */
  readonly pins?: ReadonlyMap<string, ToolKey>;
  /** Servers that exist but were not queried. The names that the lock holds for them are not retired. */
  readonly absent?: readonly Owner[];
  /**
   * Tools that the gateway itself adds to the catalog's. Their names are reserved, bare and as `{as}_{name}`
   * (NAME-6).
   */
  readonly ownNames?: readonly string[];
  /**
   * More reserved names → the key of the only tool that may have it, or a description of what it is reserved for.
   */
  readonly reserved?: ReadonlyMap<string, string>;
}

export type LockScope = "profile" | "lock";

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
  return runSteps(namingTableSteps(catalog, profile, options));
}

export function* namingTableSteps(
  catalog: Catalog,
  profile: Profile,
  options: NamingOptions,
): Steps<NamingTable> {
  const as = options.as ?? DEFAULT_ALIAS;
  const rules = nameRulesFor(profile, as);
  const key = lockKey(profile.id, { as, aliasMatters: dependsOnAlias(profile) });
  const isBuiltIn = findProfile(profile.id) === profile;
  const locked =
    options.lock?.profiles.get(key) ??
    lockedBefore(profile, as, options.lock) ??
    (isBuiltIn ? undefined : lockedElse(profile, as, options.lock));
  const onRecord =
    options.scope === "lock" && options.lock !== undefined ? namesOnRecord(options.lock) : undefined;
  const style = options.style ?? locked?.style ?? defaultStyle(catalog, profile);
  const isRestyled = locked !== undefined && locked.style !== style;
  // A provider rejects the whole request for one illegal name, so there the tool must get another name. Rules that
  // users write themselves never move a name (RULE-7).
  const mayKeep = profile.kind === "client" || !isBuiltIn;
  const keepsLocked = (name: string): boolean => mayKeep && isPossibleName(name, rules, isBuiltIn);
  const roomy = rules.maxLength >= Math.max(MIN_ROOM, rules.minLength);
  const recorded = compileRules({ ...rules, maxLength: Math.min(rules.maxLength, MAX_NAME_LENGTH) });
  const compiled = compileRules(rulesInStyle(rules, style));
  const reserved = new Map([
    ...(options.ownNames ?? [])
      .flatMap((name) => [name, `${as}_${name}`])
      .map((name) => [name, "the gateway itself"] as const),
    ...(rules.reserved ?? [])
      .filter((name) => !mayKeep || locked?.names.has(name) !== true)
      .map((name) => [name, profile.title] as const),
    // In this profile, a declared old name of one tool may be the name of another tool.
    ...[...(options.reserved ?? [])].filter(([name, owner]) => {
      const holder = locked?.names.get(name)?.key;
      return holder === undefined || holder === owner || catalog.toolWithKey(owner as ToolKey) === undefined;
    }),
  ]);

  // Few profiles allow the characters of canonical names. In those that use canonical names, each tool has its own.
  const mayMeet =
    isLegalName("a@1/a@1", compiled) &&
    (style !== "canonical" || locked !== undefined || (options.pins?.size ?? 0) > 0);

  const assign = function* (tools: readonly Tool[]): Steps<AssignOutput> {
    const wishes = yield* wishSteps(tools, style);
    return yield* assignNames({
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
  let assigned = yield* assign(roomy ? catalog.tools : []);
  if (aliasIsLegal) {
    // Leaving out a tool can free its name for another, so repeat until nothing changes.
    const isLocked = (name: string): boolean => locked?.names.has(name) === true && keepsLocked(name);
    const illegalOf = (output: AssignOutput) => illegalTools(output, profile, as, isLocked);
    for (let illegal = yield* illegalOf(assigned); illegal.length > 0; ) {
      for (const tool of illegal) unnameable.add(tool);
      assigned = yield* assign(catalog.tools.filter((tool) => !unnameable.has(tool)));
      illegal = yield* illegalOf(assigned);
    }
  }
  const { named, book, moved, endangered, swapped, ...pins } = assigned;

  let names: Map<Tool, string> | undefined;
  const toolNamed = (name: string): Tool | undefined => named[book.indexOf(name) ?? -1]?.tool;
  const nextLockSteps = (): Steps<ProfileLock> =>
    nextProfileLock({
      before: locked,
      named,
      toolNamed,
      style,
      isAbsent: createOwnerCheck(options.absent ?? []),
    });
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
      ...swappedNames(profile, swapped),
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
    nextLock: () => runSteps(nextLockSteps()),
    nextLockSteps,
  };
}

/** The longest name that a row may allow, and that a caller may send. */
const MAX_NAME_LENGTH = 4096;
/** The longest name that a built-in row with a limit ever allowed: that of the specification. */
const MAX_BUILT_IN_LENGTH = 128;

/**
 * Whether the name can have been assigned under former rules of the profile. Anything else got into the lock some
 * other way, and is not kept.
 */
function isPossibleName(name: string, { shape, maxLength }: NameRules, isBuiltIn: boolean): boolean {
  const max = isBuiltIn && Number.isFinite(maxLength) ? MAX_BUILT_IN_LENGTH : MAX_NAME_LENGTH;
  return name.length > 0 && name.length <= max && (shape === "any" || escapeText(name) === name);
}

/**
 * A user's pattern may require more than characters and lengths. Built-in rules already imply their pattern, so
 * only other profiles' names are checked against it.
 */
function* illegalTools(
  { named }: AssignOutput,
  profile: Profile,
  as: string,
  isLocked: (name: string) => boolean,
): Steps<readonly Tool[]> {
  if (findProfile(profile.id) === profile || profile.id.startsWith(BOUNDLESS)) return [];
  const illegal: Tool[] = [];
  yield* eachInSteps(named, ({ name, tool }) => {
    if (!isLocked(name) && !matchesProfile(name, profile, as)) illegal.push(tool);
  });
  return illegal;
}

/**
 * A corrected row may count the alias differently or have another id; then the lock has its names under another
 * key.
 */
function lockedBefore({ lockedBefore: before }: Profile, as: string, lock: Lock | undefined) {
  if (before === undefined) return undefined;
  return lock?.profiles.get(lockKey(before.id, { as, aliasMatters: before.aliasMattered }));
}

/**
 * A user's profile may start or stop counting the alias. Names are kept if they fit, because the record may belong
 * to another alias.
 */
function lockedElse(profile: Profile, as: string, lock: Lock | undefined): ProfileLock | undefined {
  const before = lock?.profiles.get(lockKey(profile.id, { as, aliasMatters: !dependsOnAlias(profile) }));
  if (before === undefined || !dependsOnAlias(profile)) return before;
  const fitting = [...before.names].filter(([name]) => matchesProfile(name, profile, as));
  return { ...before, names: new Map(fitting) };
}

/** Id prefix of internal tables, which no client requests. */
export const BOUNDLESS = "boundless-";

function defaultStyle(catalog: Catalog, profile: Profile): NamingStyle {
  if (profile.unrestricted) return "canonical";
  return catalog.servers.some((server) => server.toolbox !== undefined) ? "toolbox" : "flat";
}
