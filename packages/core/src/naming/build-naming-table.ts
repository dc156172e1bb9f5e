// The naming table: the immutable two-way map between the tools of a catalog and their names in one profile.
// Listing and calling read the same table, so what is advertised is what can be called (NAME-4).

import type { Catalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import { createOwnerCheck, type Owner, type ToolKey } from "../identity/tool-key.js";
import { confusedNames } from "../profiles/confused-names.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import type { Profile } from "../profiles/profile.js";
import { matchesProfile } from "../profiles/sent-name.js";
import { assignNames, type NamedTool } from "./assign-names.js";
import { compileRules } from "./compile-rules.js";
import { fitName, LEAST_ROOM } from "./fit-name.js";
import { DEFAULT_ALIAS, type Lock, lockKey, type ProfileLock } from "./lock.js";
import { nextProfileLock } from "./next-lock.js";
import type { NamingStyle } from "./style.js";
import { illegalAlias, movedNames, noRoom, refusedPins, tooManyTools } from "./table-problems.js";

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
  /** What to record, so that no name of this table ever moves. */
  readonly nextLock: () => ProfileLock;
}

export interface NamingOptions {
  readonly style?: NamingStyle;
  readonly as?: string;
  readonly lock?: Lock;
  /** Public name → identity: the operator's own choice, in every profile where it is legal. */
  readonly pins?: ReadonlyMap<string, ToolKey>;
  /** Downstreams that exist but were not asked for their tools: what the lock holds for them is not retired. */
  readonly absent?: readonly Owner[];
  /** Names that no tool may have, beside the gateway's own. */
  readonly reserved?: readonly string[];
}

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
  const locked = options.lock?.profiles.get(key);
  const style = options.style ?? defaultStyle(catalog, profile);
  const roomy = rules.maxLength >= Math.max(LEAST_ROOM, rules.minLength);
  const compiled = compileRules(rules);

  const { named, book, moved, ...pins } = assignNames({
    tools: roomy ? catalog.tools : [],
    fit: (tool) => fitName(tool, style, compiled),
    compiled,
    lock: locked,
    pins: options.pins ?? new Map(),
    reserved: [
      ...OWN_NAMES.flatMap((name) => [name, `${as}_${name}`]),
      ...(rules.reserved ?? []),
      ...(options.reserved ?? []),
    ],
    sameAs: confusedNames(profile, as),
  });

  let names: Map<Tool, string> | undefined;
  return {
    profile,
    as,
    style,
    lockKey: key,
    tools: named,
    problems: [
      ...(roomy ? [] : [noRoom(profile, as, catalog.tools)]),
      ...(roomy && !matchesProfile("tool", profile, as) ? [illegalAlias(profile, as)] : []),
      ...tooManyTools(profile, named.length),
      ...movedNames(profile, moved),
      ...refusedPins(profile, pins.refusedPins),
    ],
    nameOf(tool) {
      names ??= new Map(named.map((entry) => [entry.tool, entry.name]));
      return names.get(tool);
    },
    toolNamed(name) {
      const index = book.indexOf(name);
      return index === undefined ? undefined : named[index]?.tool;
    },
    indexOf: (name) => book.indexOf(name),
    has: (name) => book.has(name),
    nextLock: () =>
      nextProfileLock({ before: locked, named, style, isAbsent: createOwnerCheck(options.absent ?? []) }),
  };
}

function defaultStyle(catalog: Catalog, profile: Profile): NamingStyle {
  if (profile.unrestricted) return "canonical";
  return catalog.servers.some((server) => server.toolbox !== undefined) ? "toolbox" : "flat";
}

/** Whether a longer alias leaves less room for names, so that each alias needs names of its own. */
function dependsOnAlias(profile: Profile): boolean {
  const { prefix, suffix, prefixYields } = profile.client;
  return prefixYields !== true && `${prefix}${suffix}`.includes("{server}");
}
