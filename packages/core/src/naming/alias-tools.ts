// For authors of tools: names that conform, and the ones before them as aliases with a warning (RULE-3).

import { buildCatalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import type { ListedTool } from "../catalog/source.js";
import { quoteText } from "../names/escape-text.js";
import { compileRules } from "../profiles/compile-rules.js";
import { profileOf } from "../profiles/find-profile.js";
import { nameRulesFor } from "../profiles/name-budget.js";
import { assignNames, type NamedTool } from "./assign-names.js";
import { checkRegistration } from "./check-registration.js";
import { fitName } from "./fit-name.js";
import { DEFAULT_ALIAS } from "./lock.js";
import { rulesInStyle } from "./style.js";
import { wishesOf } from "./wishes.js";

export interface AliasedTools<T extends ListedTool> {
  /** What to register, in the order given: tools that conform as they are, copies of the others under new names. */
  readonly tools: readonly T[];
  /** What a call means, by a name that is registered or by the one that it took the place of. */
  readonly find: (name: string) => AliasedTool<T> | undefined;
  readonly problems: readonly CatalogProblem[];
}

export interface AliasedTool<T extends ListedTool> {
  /** As it was given. */
  readonly given: T;
  /** The name it is registered by. */
  readonly name: string;
  /** For a call by the name it had: that it is deprecated, and what to call. */
  readonly warning?: string;
}

/**
 * Makes the tools of a server conform without breaking who calls them. A name that conforms never changes; the others
 * get the nearest one that is free, and go on working. With `strict` they are refused instead: left out, with an error.
 *
 * @example
 * const { tools, find } = aliasTools([{ name: "get leads" }]);
 * tools[0]?.name;             // "get_leads"
 * find("get leads")?.warning; // '"get leads" is deprecated; call "get_leads".'
 */
export function aliasTools<T extends ListedTool>(
  given: readonly T[],
  options: {
    /** Id of a built-in profile; `mcp`, the specification, where it is not said. */
    readonly profile?: string;
    readonly strict?: boolean;
  } = {},
): AliasedTools<T> {
  const profile = profileOf(options.profile ?? "mcp");
  const checked = checkRegistration([{ server: "tools", tools: given }], {
    strict: options.strict === true,
    profile,
  });
  const { tools, problems } = buildCatalog(checked.sources);
  const compiled = compileRules(rulesInStyle(nameRulesFor(profile, DEFAULT_ALIAS), "bare"));
  const wishes = wishesOf(tools, "bare");
  const { named } = assignNames({
    tools,
    compiled,
    recorded: compiled,
    keepsLocked: false,
    fit: (index) => fitName(wishes[index] as NamedTool, "bare", compiled),
    // Those that do not conform are refused.
    pins: new Map(tools.map(({ raw, key }) => [raw, key])),
    lock: undefined,
    isRestyled: false,
    reserved: new Map(),
    ownerOf: () => undefined,
    describe: String,
    sameAs: undefined,
  });
  const registered = new Map<unknown, T>();
  const found = new Map<string, AliasedTool<T>>();
  for (const { name, tool } of named) {
    const own = tool.definition as T;
    const isKept = name === tool.raw;
    registered.set(own, isKept ? own : { ...own, name });
    found.set(name, { given: own, name });
    const warning = `${quoteText(tool.raw)} is deprecated; call ${quoteText(name)}.`;
    if (!isKept) found.set(tool.raw, { given: own, name, warning });
  }
  return {
    tools: [...new Set(given)].flatMap((tool) => registered.get(tool) ?? []),
    find: (name) => found.get(name),
    problems: [...checked.problems, ...problems],
  };
}
