// Derives the integrations of servers that declare none from their ids. Ids that differ only in case or separators
// get different integrations (CANON-1, NAME-8).

import { ownerTextOf, partsOfKey, type ToolKey, toolKeyOf } from "../identity/tool-key.js";
import { withoutToolbox } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { eachPairInSteps, type Steps } from "../names/steps.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import { integrationApart, integrationFromServerId } from "./integration-of.js";
import type { ToolSource } from "./source.js";

/** The canonical names that tools had before, from a lock. */
export type RecordedTools = ReadonlyMap<
  ToolKey,
  { readonly canonical: string; readonly successor?: ToolKey }
>;

/**
 * The integration of each source. If several ids give the same kebab text, one server keeps it: the one that has it
 * on record, otherwise the one whose id already is kebab. The others get a digest appended, and keep it as long as
 * it is on record. So adding or removing a server never gives a canonical name to another server's tool.
 */
export function* deriveIntegrations(
  sources: readonly ToolSource[],
  recorded: RecordedTools,
): Steps<{
  readonly integrationOf: (source: ToolSource) => string;
  readonly problems: readonly CatalogProblem[];
}> {
  const apart = new Map<ToolSource, string>();
  const problems: CatalogProblem[] = [];
  const groups = new Map<string, ToolSource[]>();
  for (const source of sources) {
    // A server with canonical names chooses its own integrations.
    if (source.integration !== undefined || source.names === "canonical") continue;
    const { server, toolbox, version = 1 } = source;
    const key = JSON.stringify([toolbox ?? null, integrationFromServerId(server), version]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [source]);
    else group.push(source);
  }
  const records = recorded.size === 0 ? NO_RECORDS : yield* recordsOf(recorded);
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined || (group.length === 1 && recorded.size === 0)) continue;
    const plain = integrationFromServerId(first.server);
    const rest = group.filter((source) => !records.has(source, integrationApart(source.server)));
    const candidate = rest.length < 2 ? rest[0] : keeperOf(rest, plain, records);
    const former = candidate === undefined ? undefined : formerOwner(candidate, plain, records);
    const keeper = former === undefined ? candidate : undefined;
    for (const source of group) if (source !== keeper) apart.set(source, integrationApart(source.server));
    if (group.length > 1) problems.push(similarIds(group, apart));
    else if (candidate !== undefined && former !== undefined) problems.push(takenId(candidate, former));
  }
  for (const source of recorded.size === 0 ? [] : sources) {
    const { integration, names, server } = source;
    if (integration === undefined || names === "canonical") continue;
    const others = records
      .ownersOf(source, integration)
      .filter((id) => id !== server && source.formerly?.includes(id) !== true)
      .filter((id) => !records.hasHandedOn({ ...source, server: id }, integration));
    if (others.length > 0) problems.push(takenIntegration(source, integration, others));
  }
  return {
    integrationOf: (source) =>
      source.integration ?? apart.get(source) ?? integrationFromServerId(source.server),
    problems,
  };
}

function keeperOf(sources: readonly ToolSource[], plain: string, records: Records): ToolSource | undefined {
  const isPlain = ({ server }: ToolSource): boolean => server === plain;
  const had = sources.filter((source) => records.has(source, plain));
  // A server may be added under an id that another server, still present, had before.
  const holders = had.filter((source) => !records.hasHandedOn(source, plain));
  const known = holders.length > 0 ? holders : had;
  if (known.length === 0) return sources.find(isPlain);
  return known.find(isPlain) ?? [...known].sort((a, b) => compareText(a.server, b.server))[0];
}

/**
 * Another server, gone or not answering, whose tools had these canonical names and which is not declared as this
 * server's former id.
 */
function formerOwner(source: ToolSource, plain: string, records: Records): string | undefined {
  if (records.has(source, plain)) return undefined;
  const owners = records.ownersOf(source, plain);
  return owners.find((server) => server !== source.server && source.formerly?.includes(server) !== true);
}

/** Which integrations servers had when their tools were recorded. */
interface Records {
  readonly has: (source: ToolSource, integration: string) => boolean;
  /** A server with another id took it over, through `formerly`. */
  readonly hasHandedOn: (source: ToolSource, integration: string) => boolean;
  /** The ids of the servers in the same toolbox that had this integration in the version of the source. */
  readonly ownersOf: (source: ToolSource, integration: string) => readonly string[];
}

const NO_RECORDS: Records = { has: () => false, hasHandedOn: () => false, ownersOf: () => [] };

const known = new WeakMap<RecordedTools, Records>();

/** Cached per lock. */
function* recordsOf(recorded: RecordedTools): Steps<Records> {
  const made = known.get(recorded) ?? (yield* readRecords(recorded));
  known.set(recorded, made);
  return made;
}

function* readRecords(recorded: RecordedTools): Steps<Records> {
  /** Encoded server → the starts of its tools' canonical names: `github`, `github@1`. */
  const starts = new Map<string, Set<string>>();
  const owners = new Map<string, Set<string>>();
  /** The same, for names that another server took over. */
  const handedOn = new Map<string, Set<string>>();
  yield* eachPairInSteps(recorded, (key, { canonical, successor = key }) => {
    const owner = ownerTextOf(key);
    const start = startOf(canonical);
    const heir = ownerTextOf(successor);
    if (heir !== owner && startOf(recorded.get(successor)?.canonical ?? "") === start)
      handedOn.set(owner, (handedOn.get(owner) ?? new Set()).add(integrationOfStart(canonical)));
    const had = starts.get(owner) ?? new Set();
    starts.set(owner, had);
    if (had.has(start)) return;
    had.add(start).add(integrationOfStart(canonical));
    owners.set(start, (owners.get(start) ?? new Set()).add(partsOfKey(key).server));
  });
  const ownerOf = ({ server, toolbox }: ToolSource): string =>
    ownerTextOf(toolKeyOf({ server, toolbox, raw: "" }));
  return {
    has: (source, integration) => starts.get(ownerOf(source))?.has(integration) === true,
    hasHandedOn: (source, integration) => handedOn.get(ownerOf(source))?.has(integration) === true,
    ownersOf: ({ toolbox, version = 1 }, integration) => {
      const start = `${toolbox === undefined ? "" : `${toolbox}:`}${integration}@${version}`;
      return [...(owners.get(start) ?? [])].sort(compareText);
    },
  };
}

/** `dev:github@1` of `dev:github@1/search@1`. */
function startOf(canonical: string): string {
  return canonical.slice(0, Math.max(0, canonical.indexOf("/")));
}

/** `github` of it. */
function integrationOfStart(canonical: string): string {
  return withoutToolbox(canonical).split("@", 1)[0] ?? "";
}

function takenIntegration(
  { server }: ToolSource,
  integration: string,
  others: readonly string[],
): CatalogProblem {
  const [id, old] = [quoteText(server), others.map((other) => quoteText(other)).join(" and ")];
  return catalogProblem({
    code: "integration-taken",
    severity: "warning",
    message: `The server ${id} has the integration ${integration}, which ${old} had before: canonical names that led to tools of ${old} lead to those of ${id}.`,
    fix: `If ${id} is what ${old} was, say so with "formerly": [${others.map((other) => quoteText(other)).join(", ")}]; else give ${id} an "integration" of its own.`,
    servers: [server, ...others],
  });
}

function takenId(source: ToolSource, former: string): CatalogProblem {
  const [id, old] = [quoteText(source.server), quoteText(former)];
  return catalogProblem({
    code: "similar-ids",
    severity: "warning",
    message: `The server id ${id} differs only in case or separators from ${old}, whose canonical names are in the lock; ${id} has the integration ${integrationApart(source.server)}.`,
    fix: `If ${id} is what ${old} was, say so with "formerly": [${old}]; else set "integration" to choose what its canonical names start with.`,
    servers: [source.server],
  });
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
