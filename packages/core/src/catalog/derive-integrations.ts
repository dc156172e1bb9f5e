// The integrations of servers that give none themselves: from their ids, kept apart where ids differ only in case or
// separators (CANON-1, NAME-8).

import { ownerTextOf, type ToolKey, toolKeyOf } from "../identity/tool-key.js";
import { withoutToolbox } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import { integrationApart, integrationFromServerId } from "./integration-of.js";
import type { ToolSource } from "./source.js";

/** The canonical names that tools had before: what a lock holds of them. */
export type RecordedTools = ReadonlyMap<ToolKey, { readonly canonical: string }>;

/**
 * Which integration each source has. Of ids that make the same kebab one keeps it: whoever has it on record, else the id
 * that is kebab itself. The others get a digest behind it, which then stays theirs for as long as it is on record: a
 * canonical name never goes to another server's tool because a server was added or removed.
 */
export function deriveIntegrations(
  sources: readonly ToolSource[],
  recorded: RecordedTools,
): { readonly integrationOf: (source: ToolSource) => string; readonly problems: readonly CatalogProblem[] } {
  const apart = new Map<ToolSource, string>();
  const problems: CatalogProblem[] = [];
  const groups = new Map<string, ToolSource[]>();
  for (const source of sources) {
    // A downstream with canonical names speaks for integrations of its own choice.
    if (source.integration !== undefined || source.names === "canonical") continue;
    const { server, toolbox, version = 1 } = source;
    const key = JSON.stringify([toolbox ?? null, integrationFromServerId(server), version]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [source]);
    else group.push(source);
  }
  const isOnRecord = createRecordCheck(recorded);
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined || (group.length === 1 && recorded.size === 0)) continue;
    const plain = integrationFromServerId(first.server);
    const rest = group.filter((source) => !isOnRecord(source, integrationApart(source.server)));
    const keeper = rest.length < 2 ? rest[0] : keeperOf(rest, plain, isOnRecord);
    for (const source of group) if (source !== keeper) apart.set(source, integrationApart(source.server));
    if (group.length > 1) problems.push(similarIds(group, apart));
  }
  return {
    integrationOf: (source) =>
      source.integration ?? apart.get(source) ?? integrationFromServerId(source.server),
    problems,
  };
}

type RecordCheck = (source: ToolSource, integration: string) => boolean;

function keeperOf(
  sources: readonly ToolSource[],
  plain: string,
  isOnRecord: RecordCheck,
): ToolSource | undefined {
  const isPlain = ({ server }: ToolSource): boolean => server === plain;
  const known = sources.filter((source) => isOnRecord(source, plain));
  if (known.length === 0) return sources.find(isPlain);
  return known.find(isPlain) ?? [...known].sort((a, b) => compareText(a.server, b.server))[0];
}

const indexes = new WeakMap<RecordedTools, ReadonlyMap<string, ReadonlySet<string>>>();

/** Whether a downstream had an integration when its tools were recorded. */
function createRecordCheck(recorded: RecordedTools): RecordCheck {
  if (recorded.size === 0) return () => false;
  return ({ server, toolbox }, integration) => {
    const index = indexes.get(recorded) ?? indexIntegrations(recorded);
    indexes.set(recorded, index);
    return index.get(ownerTextOf(toolKeyOf({ server, toolbox, raw: "" })))?.has(integration) === true;
  };
}

function indexIntegrations(recorded: RecordedTools): ReadonlyMap<string, ReadonlySet<string>> {
  const index = new Map<string, Set<string>>();
  for (const [key, { canonical }] of recorded) {
    const owner = ownerTextOf(key);
    const name = withoutToolbox(canonical);
    const integration = name.slice(0, Math.max(0, name.indexOf("@")));
    const known = index.get(owner);
    if (known === undefined) index.set(owner, new Set([integration]));
    else known.add(integration);
  }
  return index;
}

function similarIds(group: readonly ToolSource[], apart: ReadonlyMap<ToolSource, string>): CatalogProblem {
  const sorted = [...group].sort((a, b) => compareText(a.server, b.server));
  const ids = sorted.map(({ server }) => quoteText(server));
  const given = sorted.flatMap((source) => {
    const integration = apart.get(source);
    return integration === undefined
      ? []
      : [`${quoteText(source.server)} has the integration ${integration}`];
  });
  return catalogProblem({
    code: "similar-ids",
    severity: "warning",
    message: `The server ids ${ids.join(" and ")} differ only in case or separators; ${given.join(", ")}.`,
    fix: 'Set "integration" on one of them to choose what its canonical names start with.',
    servers: sorted.map(({ server }) => server),
  });
}
