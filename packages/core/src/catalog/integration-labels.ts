// The first part of flat names: the alias of an integration, or the integration itself (NAME-1, NAME-7).

import { parseToolName } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import type { CheckedSource } from "./check-sources.js";
import { ANY_INTEGRATION, type ToolSource } from "./source.js";

const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ["salesforce", "sf"],
  ["quickbooks", "qb"],
  ["data-grout", "dg"],
]);

/**
 * The label of each integration. Aliases, server ids and integrations share one namespace: an alias that is taken
 * is refused.
 */
export function integrationLabels(
  sources: readonly CheckedSource[],
  aliases: Readonly<Record<string, string>>,
): { readonly labelOf: (integration: string) => string; readonly problems: readonly CatalogProblem[] } {
  const problems: CatalogProblem[] = [];
  // Who owns a text already: an integration owns its name and the ids of its servers.
  const owners = new Map<string, Set<string>>();
  const own = (text: string, integration: string): void => {
    const set = owners.get(text);
    if (set === undefined) owners.set(text, new Set([integration]));
    else set.add(integration);
  };
  for (const { source, integration } of sources) {
    own(integration, integration);
    own(source.server, integration);
    for (const spoken of spokenIntegrations(source)) own(spoken, spoken);
  }

  const wanted = wantedAliases(sources, aliases, problems);
  const claims = new Map<string, string[]>();
  for (const [integration, { alias }] of wanted)
    claims.set(alias, [...(claims.get(alias) ?? []), integration]);

  const labels = new Map<string, string>();
  for (const [integration, { alias, builtIn }] of wanted) {
    const other =
      find(owners.get(alias) ?? [], (each) => each !== integration) ??
      find(claims.get(alias) ?? [], (each) => each !== integration && wanted.get(each)?.builtIn !== true);
    const known = owners.has(integration);
    if (other === undefined) labels.set(integration, alias);
    else if (known && !builtIn)
      problems.push({
        ...takenAlias(alias, integration, other),
        servers: serversOf(sources, integration),
      });
  }
  return { labelOf: (integration) => labels.get(integration) ?? integration, problems };
}

function find(items: Iterable<string>, matches: (item: string) => boolean): string | undefined {
  for (const item of items) if (matches(item)) return item;
  return undefined;
}

interface WantedAlias {
  readonly alias: string;
  readonly builtIn: boolean;
}

function wantedAliases(
  sources: readonly CheckedSource[],
  aliases: Readonly<Record<string, string>>,
  problems: CatalogProblem[],
): ReadonlyMap<string, WantedAlias> {
  const wanted = new Map<string, WantedAlias>();
  const present = new Set(
    sources.flatMap(({ source, integration }) => [integration, ...spokenIntegrations(source)]),
  );
  for (const [integration, alias] of BUILT_IN) {
    if (present.has(integration)) wanted.set(integration, { alias, builtIn: true });
  }
  const declared = [
    ...Object.entries(aliases).sort(([a], [b]) => compareText(a, b)),
    ...sources.flatMap(({ source, integration }) =>
      source.alias === undefined ? [] : [[integration, source.alias] as const],
    ),
  ];
  for (const [integration, alias] of declared) {
    const before = wanted.get(integration);
    if (!/^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/.test(alias))
      problems.push({ ...badAlias(alias, integration), servers: serversOf(sources, integration) });
    else if (before === undefined || before.builtIn) wanted.set(integration, { alias, builtIn: false });
    else if (before.alias !== alias)
      problems.push({
        ...twoAliases(integration, before.alias, alias),
        servers: serversOf(sources, integration),
      });
  }
  return wanted;
}

/** The integrations that a server may declare; if it may declare any, those that its tools use (CANON-6). */
function spokenIntegrations({ names, speaksFor = [], tools }: ToolSource): Iterable<string> {
  if (names !== "canonical" || !speaksFor.includes(ANY_INTEGRATION)) return speaksFor;
  const spoken = new Set(speaksFor.filter((each) => each !== ANY_INTEGRATION));
  for (const tool of tools) {
    const name: unknown = typeof tool === "string" ? tool : tool?.name;
    const parsed = typeof name === "string" ? parseToolName(name) : undefined;
    if (parsed?.ok === true) spoken.add(parsed.value.integration);
  }
  return spoken;
}

function serversOf(sources: readonly CheckedSource[], wanted: string): readonly string[] {
  return sources.flatMap(({ source, integration }) => (integration === wanted ? [source.server] : []));
}

function badAlias(alias: string, integration: string): CatalogProblem {
  return catalogProblem({
    code: "bad-alias",
    message: `The alias ${quoteText(alias)} of ${quoteText(integration)} cannot start a name; it is not used.`,
    fix: "Use words of letters and digits joined by single _ or -.",
  });
}

function twoAliases(integration: string, first: string, second: string): CatalogProblem {
  return catalogProblem({
    code: "two-aliases",
    message: `The integration ${quoteText(integration)} has two aliases, ${first} and ${second}; ${first} is used.`,
    fix: "Keep one of them: all versions of an integration share its alias.",
  });
}

function takenAlias(alias: string, integration: string, other: string): CatalogProblem {
  return catalogProblem({
    code: "alias-taken",
    message: `The alias ${alias} of ${quoteText(integration)} already stands for ${quoteText(other)}; it is not used.`,
    fix: "Choose an alias that is no other server id, integration or alias.",
  });
}
