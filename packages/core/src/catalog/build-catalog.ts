// The catalog: every existing tool once, in an order that does not depend on the input order. Immutable.

import { ownerTextOf, type ToolKey, toolKeyOf, toolKeysOf } from "../identity/tool-key.js";
import { formatCanonicalName } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { eachInSteps, eachPairInSteps, runSteps, type Steps, sortSteps } from "../names/steps.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import { type CheckedSource, checkSources } from "./check-sources.js";
import type { RecordedTools } from "./derive-integrations.js";
import { integrationLabels } from "./integration-labels.js";
import { type ReadTool, readListedTools } from "./read-listed-tools.js";
import type { CatalogServer, ToolSource } from "./source.js";
import type { Tool } from "./tool.js";
import { toolPositions } from "./tool-positions.js";

export interface Catalog {
  /**
   * Ordered by integration, version, tool name, tool version, toolbox, server. Names are assigned in this order.
   */
  readonly tools: readonly Tool[];
  readonly servers: readonly CatalogServer[];
  readonly problems: readonly CatalogProblem[];
  readonly toolWithKey: (key: ToolKey) => Tool | undefined;
}

/**
 * Builds the catalog. A problem with one source or tool leaves out only that one (NAME-5).
 *
 * @example
 * const catalog = buildCatalog([{ server: "salesforce", tools: ["get_leads"] }]);
 * catalog.tools[0]?.canonical; // "salesforce@1/get_leads@1"
 */
export function buildCatalog(sources: readonly ToolSource[], options: CatalogOptions = {}): Catalog {
  return runSteps(catalogSteps(sources, options));
}

export interface CatalogOptions {
  /** Short forms of integrations for flat names. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The lock's tool records: servers with nearly equal ids keep their recorded integrations. */
  readonly recorded?: RecordedTools;
}

export function* catalogSteps(sources: readonly ToolSource[], options: CatalogOptions): Steps<Catalog> {
  const checked = yield* checkSources(sources, options.recorded);
  const labels = integrationLabels(checked.sound, options.aliases ?? {});
  const problems = [...checked.problems, ...labels.problems];

  const tools: Tool[] = [];
  for (const source of checked.sound) {
    const listed = yield* sourceTools(source, labels.labelOf, problems);
    const kept = yield* refuseChurn(listed, source.source, options.recorded ?? NO_RECORD, problems);
    yield* eachInSteps(kept, (tool) => tools.push(tool));
  }
  const adopts = checked.sound.some(({ source }) => source.names === "canonical");
  const unique = adopts ? yield* withoutSharedCanonicals(tools, problems) : tools;
  // Sources are sorted, and so are the tools of each. Only tools of different sources can still be out of order.
  if (adopts || sharesIntegration(checked.sound)) yield* sortSteps(unique, compareTools);

  let positions: ReadonlyMap<ToolKey, number> | undefined;
  return {
    tools: unique,
    servers: checked.sound.map((source) => serverOf(source, labels.labelOf)),
    problems,
    toolWithKey(key) {
      positions ??= toolPositions(unique);
      return unique[positions.get(key) ?? -1];
    },
  };
}

const NO_RECORD: RecordedTools = new Map();

function* sourceTools(
  source: CheckedSource,
  labelOf: (integration: string) => string,
  problems: CatalogProblem[],
): Steps<readonly Tool[]> {
  const { server, toolbox } = source.source;
  const keyOf = toolKeysOf({ server, toolbox });
  const toTool = ({
    raw,
    integration,
    integrationVersion,
    tool,
    toolVersion,
    definition,
  }: ReadTool): Tool => ({
    key: keyOf(raw),
    server,
    toolbox,
    raw,
    canonical: formatCanonicalName({ toolbox, integration, integrationVersion, tool, toolVersion }),
    integration,
    integrationVersion,
    toolName: tool,
    toolVersion,
    label: labelOf(integration),
    definition,
  });
  const tools: Tool[] = [];
  yield* eachInSteps(yield* readListedTools(source, problems), (read) => tools.push(toTool(read)));
  yield* sortSteps(tools, compareTools);
  return tools;
}

/** Whether several toolboxes have the same integration and version, so that their tools must be interleaved. */
function sharesIntegration(sources: readonly CheckedSource[]): boolean {
  return sources.some(
    ({ integration, version }, index) =>
      sources[index + 1]?.integration === integration && sources[index + 1]?.version === version,
  );
}

/** An adopted canonical name may equal another server's. Then neither tool gets it. */
function* withoutSharedCanonicals(tools: readonly Tool[], problems: CatalogProblem[]): Steps<Tool[]> {
  const shared = new Set<Tool>();
  const groups = new Map<string, Tool[]>();
  yield* eachInSteps(tools, (tool) => {
    const group = groups.get(tool.canonical);
    if (group === undefined) groups.set(tool.canonical, [tool]);
    else group.push(tool);
  });
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const tool of group) shared.add(tool);
    const servers = group.map((tool) => tool.server).sort(compareText);
    problems.push(
      catalogProblem({
        code: "same-canonical",
        message: `The servers ${servers.map((id) => quoteText(id)).join(" and ")} both offer one canonical name.`,
        fix: 'List in "speaksFor" only the integrations that a server is the sole voice of.',
        tools: [...new Set(group.map((tool) => tool.canonical))],
        servers,
      }),
    );
  }
  return tools.filter((tool) => !shared.has(tool));
}

function serverOf(
  { source, integration, version }: CheckedSource,
  labelOf: (text: string) => string,
): CatalogServer {
  return {
    server: source.server,
    toolbox: source.toolbox,
    integration,
    version,
    serverVersion: source.serverVersion,
    label: labelOf(integration),
  };
}

/** The order in which names are assigned (NAME-3): text by code point, versions as numbers. */
export function compareTools(a: Tool, b: Tool): number {
  return (
    compareText(a.integration, b.integration) ||
    a.integrationVersion - b.integrationVersion ||
    compareText(a.toolName, b.toolName) ||
    a.toolVersion - b.toolVersion ||
    compareText(a.toolbox ?? "", b.toolbox ?? "") ||
    compareText(a.server, b.server) ||
    compareText(a.raw, b.raw)
  );
}

// Retired names are kept, so a server that keeps renaming its tools would grow the lock without bound. A server
// gets no new names once too many of its recorded tools are gone (NAME-4, NAME-8, SAFE-4).

/** The maximum number of recorded tools that a server no longer lists before it may not add new ones. */
const MAX_GONE = 10_000;
const MAX_SHOWN = 5;

/** The tools of a source, without new ones if too many of its former tools are gone. */
function* refuseChurn(
  tools: readonly Tool[],
  { server, toolbox }: ToolSource,
  recorded: RecordedTools,
  problems: CatalogProblem[],
): Steps<readonly Tool[]> {
  // Few locks are that long, and only those need counting.
  if (recorded.size <= MAX_GONE) return tools;
  const known: Tool[] = [];
  yield* eachInSteps(tools, (tool) => {
    if (recorded.has(tool.key)) known.push(tool);
  });
  if (known.length === tools.length) return tools;
  const owner = ownerTextOf(toolKeyOf({ server, toolbox, raw: "" }));
  const gone = ((yield* countByOwner(recorded)).get(owner) ?? 0) - known.length;
  if (gone <= MAX_GONE) return tools;
  const left = tools.filter(({ key }) => !recorded.has(key));
  problems.push(
    catalogProblem({
      code: "too-many-retired",
      message: `The server ${quoteText(server)} lists ${gone} tools no more that are on record, over the limit of ${MAX_GONE}, so its new tools are left out: ${left.length} in number.`,
      fix: "Let the server keep the names of its tools. Where old names may pass to other tools, take its retired tools out of the lock, or give the server another id.",
      tools: left.slice(0, MAX_SHOWN).map(({ canonical }) => canonical),
      servers: [server],
    }),
  );
  return known;
}

/** Records are immutable, so the counts can be cached. */
const counts = new WeakMap<RecordedTools, ReadonlyMap<string, number>>();

function* countByOwner(recorded: RecordedTools): Steps<ReadonlyMap<string, number>> {
  const counted = counts.get(recorded);
  if (counted !== undefined) return counted;
  const owners = new Map<string, number>();
  yield* eachPairInSteps(recorded, (key) => {
    const owner = ownerTextOf(key);
    owners.set(owner, (owners.get(owner) ?? 0) + 1);
  });
  counts.set(recorded, owners);
  return owners;
}
