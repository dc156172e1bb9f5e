// For tool authors: conforming names, with the old names as deprecated aliases (RULE-3).

import { buildCatalog } from "../catalog/build-catalog.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import type { ListedTool } from "../catalog/source.js";
import { quoteText } from "../names/escape-text.js";
import { runSteps } from "../names/steps.js";
import { profileOf } from "../profiles/find-profile.js";
import { compileRules } from "../profiles/fit/compile-rules.js";
import { nameRulesFor } from "../profiles/sent/name-budget.js";
import { assignNames, type NamedTool } from "./assign/assign-names.js";
import { checkRegistration } from "./check-registration.js";
import { fitName } from "./fit/fit-name.js";
import { DEFAULT_ALIAS } from "./lock/lock.js";
import { rulesInStyle } from "./wish/style.js";
import { wishSteps } from "./wish/wish-name.js";

export interface AliasedTools<T extends ListedTool> {
  /** The tools to register, in input order: conforming tools unchanged, copies of the others under new names. */
  readonly tools: readonly T[];
  /** The tool that a call means, by its registered name or by the name that it replaced. */
  readonly find: (name: string) => AliasedTool<T> | undefined;
  readonly problems: readonly CatalogProblem[];
}

export interface AliasedTool<T extends ListedTool> {
  /** The original tool. */
  readonly given: T;
  /** The name under which it is registered. */
  readonly name: string;
  /** For a call by the old name: says that it is deprecated and what to call instead. */
  readonly warning?: string;
  /** The window of old names has ended: answer the call with `warning` as an error. */
  readonly isRefused?: true;
}

export interface AliasOptions {
  /** Id of a built-in profile; `mcp`, the specification, where it is not said. */
  readonly profile?: string;
  readonly strict?: boolean;
  /** Tools that are given under new names already, and what they were called before. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[];
  /**
   * How long old names are answered, as `renameWindow` of `@onym/core/resolve` tells it; without it for good. An end that cannot be
   * told has not come.
   */
  readonly window?: { readonly state: "open" | "ended" | "unknown"; readonly ends?: string };
}

/**
 * Makes a server's tool names conform without breaking callers. Conforming names never change. The others get the
 * nearest free name, and their old names keep working. With `strict`, non-conforming tools are left out instead,
 * with an error.
 *
 * @example
 * const { tools, find } = aliasTools([{ name: "get leads" }]);
 * tools[0]?.name;             // "get_leads"
 * find("get leads")?.warning; // '"get leads" is deprecated; call "get_leads".'
 */
export function aliasTools<T extends ListedTool>(
  given: readonly T[],
  options: AliasOptions = {},
): AliasedTools<T> {
  const profile = profileOf(options.profile ?? "mcp");
  const checked = checkRegistration([{ server: "tools", tools: given }], {
    strict: options.strict === true,
    isAuthor: true,
    profile,
  });
  const { tools, problems } = buildCatalog(checked.sources);
  const compiled = compileRules(rulesInStyle(nameRulesFor(profile, DEFAULT_ALIAS), "bare"));
  const wishes = runSteps(wishSteps(tools, "bare"));
  const { named } = runSteps(
    assignNames({
      tools,
      compiled,
      recorded: compiled,
      keepsLocked: () => false,
      fit: (index) => fitName(wishes[index] as NamedTool, "bare", compiled),
      // Pins every raw name. Pins that do not conform are refused.
      pins: new Map(tools.map(({ raw, key }) => [raw, key])),
      lock: undefined,
      isRestyled: false,
      reserved: new Map(),
      ownerOf: () => undefined,
      describe: String,
      sameAs: undefined,
    }),
  );
  const registered = new Map<unknown, T>();
  const found = new Map<string, AliasedTool<T>>();
  for (const { name, tool } of named) {
    const own = tool.definition as T;
    const isKept = name === tool.raw;
    registered.set(own, isKept ? own : { ...own, name });
    found.set(name, { given: own, name });
    if (!isKept) found.set(tool.raw, { given: own, name, ...oldName(tool.raw, name, options.window) });
  }
  // A name that a tool has is its own, whoever had it before.
  for (const { from, to } of options.renamed ?? []) {
    const now = found.get(to);
    if (now !== undefined && !found.has(from))
      found.set(from, { given: now.given, name: now.name, ...oldName(from, now.name, options.window) });
  }
  return {
    tools: [...new Set(given)].flatMap((tool) => registered.get(tool) ?? []),
    find: (name) => found.get(name),
    problems: [...checked.problems, ...problems],
  };
}

function oldName(
  old: string,
  name: string,
  window: AliasOptions["window"],
): Pick<AliasedTool<ListedTool>, "warning" | "isRefused"> {
  const ends = window?.ends === undefined ? "" : ` and is refused ${window.ends}`;
  return window?.state === "ended"
    ? { warning: `${quoteText(old)} is no longer answered; call ${quoteText(name)}.`, isRefused: true }
    : { warning: `${quoteText(old)} is deprecated${ends}; call ${quoteText(name)}.` };
}
