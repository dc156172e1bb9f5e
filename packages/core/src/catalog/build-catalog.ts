// The catalog: every tool that exists, once, in one order, whatever order it arrived in. Immutable.

import { type ToolKey, toolKeysOf } from "../identity/tool-key.js";
import { formatCanonicalName } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import { type CheckedSource, checkSources } from "./check-sources.js";
import type { RecordedTools } from "./derive-integrations.js";
import { integrationLabels } from "./integration-labels.js";
import { readListedTools } from "./read-listed-tools.js";
import { refuseChurn } from "./refuse-churn.js";
import type { CatalogServer, ToolSource } from "./source.js";
import type { Tool } from "./tool.js";
import { toolPositions } from "./tool-positions.js";

export interface Catalog {
  /** In order of integration, version, tool name, tool version, toolbox, server: the order names are given in. */
  readonly tools: readonly Tool[];
  readonly servers: readonly CatalogServer[];
  readonly problems: readonly CatalogProblem[];
  readonly toolWithKey: (key: ToolKey) => Tool | undefined;
}

/**
 * Builds the catalog. What is wrong with one source or tool leaves only that one out, with a problem (NAME-5).
 *
 * @example
 * const catalog = buildCatalog([{ server: "salesforce", tools: ["get_leads"] }]);
 * catalog.tools[0]?.canonical; // "salesforce@1/get_leads@1"
 */
export function buildCatalog(
  sources: readonly ToolSource[],
  options: {
    /** Short forms of integrations for flat names. */
    readonly aliases?: Readonly<Record<string, string>>;
    /** What a lock holds of tools: servers whose ids are nearly alike keep the integrations that they have there. */
    readonly recorded?: RecordedTools;
  } = {},
): Catalog {
  const checked = checkSources(sources, options.recorded);
  const labels = integrationLabels(checked.sound, options.aliases ?? {});
  const problems = [...checked.problems, ...labels.problems];

  const tools: Tool[] = [];
  for (const source of checked.sound) {
    const listed = sourceTools(source, labels.labelOf, problems);
    for (const tool of refuseChurn(listed, source.source, options.recorded ?? NO_RECORD, problems))
      tools.push(tool);
  }
  const adopts = checked.sound.some(({ source }) => source.names === "canonical");
  const unique = adopts ? withoutSharedCanonicals(tools, problems) : tools;
  // Sources come in order and so do their tools; only names that meet across sources can still be out of it.
  if (adopts || sharesIntegration(checked.sound)) unique.sort(compareTools);

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

function sourceTools(
  source: CheckedSource,
  labelOf: (integration: string) => string,
  problems: CatalogProblem[],
): readonly Tool[] {
  const { server, toolbox } = source.source;
  const keyOf = toolKeysOf({ server, toolbox });
  return readListedTools(source, problems)
    .map(({ raw, integration, integrationVersion, tool, toolVersion, definition }): Tool => {
      return {
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
      };
    })
    .sort(compareTools);
}

/** The same integration and version in several toolboxes: their tools come one beside the other. */
function sharesIntegration(sources: readonly CheckedSource[]): boolean {
  return sources.some(
    ({ integration, version }, index) =>
      sources[index + 1]?.integration === integration && sources[index + 1]?.version === version,
  );
}

/** Adopted canonical names may meet those of another downstream; then neither owns the name. */
function withoutSharedCanonicals(tools: readonly Tool[], problems: CatalogProblem[]): Tool[] {
  const shared = new Set<Tool>();
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const group = groups.get(tool.canonical);
    if (group === undefined) groups.set(tool.canonical, [tool]);
    else group.push(tool);
  }
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

/** The order in which names are given (NAME-3): texts by code point, versions as numbers. */
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
