// Which sources may enter the catalog: checks ids, integrations and versions, and finds clashes (CANON-1, BOX-4).

import { isIntegration } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import type { Steps } from "../names/steps.js";
import { isToolboxId } from "../names/toolbox-name.js";
import { isVersion } from "../names/version.js";
import { type CatalogProblem, catalogProblem } from "./catalog-problem.js";
import { deriveIntegrations, type RecordedTools } from "./derive-integrations.js";
import { integrationFromServerId } from "./integration-of.js";
import type { ToolSource } from "./source.js";

/** A source with a valid, unique identity. */
export interface CheckedSource {
  readonly source: ToolSource;
  readonly integration: string;
  readonly version: number;
}

/**
 * Returns the valid sources, in an order that does not depend on the input order. Each of the others gets a
 * problem.
 */
export function* checkSources(
  sources: readonly ToolSource[],
  recorded: RecordedTools = new Map(),
): Steps<{
  readonly sound: readonly CheckedSource[];
  readonly problems: readonly CatalogProblem[];
}> {
  const problems: CatalogProblem[] = [];
  const single: Identified[] = [];
  for (const source of sources) {
    const problem = checkSource(source);
    if (problem !== undefined) problems.push(problem);
    else single.push({ source });
  }
  const distinct = withoutClashes(single, (s) => [s.source.server], duplicateServer, problems);
  const derived = yield* deriveIntegrations(
    distinct.map(({ source }) => source),
    recorded,
  );
  problems.push(...derived.problems);
  const sound = withoutClashes(
    distinct.map(({ source }): CheckedSource => {
      return { source, integration: derived.integrationOf(source), version: source.version ?? 1 };
    }),
    // A server with canonical names chooses its integrations, so its tools are checked one by one.
    (s) => (s.source.names === "canonical" ? undefined : [s.integration, s.version]),
    sameIntegration,
    problems,
  );
  return { sound: [...sound].sort(compareSources), problems };
}

function checkSource({
  server,
  toolbox,
  integration,
  version,
  tools,
}: ToolSource): CatalogProblem | undefined {
  for (const [id, what] of toolbox === undefined
    ? []
    : [[toolbox, "toolbox"] as const, [server, "server"] as const]) {
    if (isToolboxId(id)) continue;
    return catalogProblem({
      code: "bad-toolbox-id",
      message: `The ${what} id ${quoteText(id)} cannot be used in toolbox names.`,
      fix: "Use letters, digits, - and _, without __ and without _ at either end.",
      servers: [server],
    });
  }
  if (integration !== undefined && !isIntegration(integration)) {
    return catalogProblem({
      code: "bad-integration",
      message: `The integration ${quoteText(integration)} of server ${quoteText(server)} is not lower-case kebab.`,
      fix: `Write it as words of a-z and 0-9 joined by single hyphens, for example ${integrationFromServerId(integration)}.`,
      servers: [server],
    });
  }
  if (version !== undefined && !isVersion(version)) {
    return catalogProblem({
      code: "bad-version",
      message: `The version ${String(version)} of server ${quoteText(server)} is not a whole number from 1 up.`,
      fix: "Write an integer from 1 up, or leave it out for 1.",
      servers: [server],
    });
  }
  if (!Array.isArray(tools)) {
    return catalogProblem({
      code: "bad-source",
      message: `The server ${quoteText(server)} has no list of tools.`,
      fix: 'Give each source a list "tools", which may be empty.',
      servers: [server],
    });
  }
  return undefined;
}

/** A source with legal ids. */
type Identified = Pick<CheckedSource, "source">;

/** Removes every source of a clash, because keeping the first one would be a guess. */
function withoutClashes<T extends Identified>(
  checked: readonly T[],
  keyOf: (source: T) => readonly (string | number)[] | undefined,
  explain: (clash: readonly T[]) => CatalogProblem,
  problems: CatalogProblem[],
): readonly T[] {
  const groups = new Map<string, T[]>();
  const kept: T[] = [];
  for (const member of checked) {
    const key = keyOf(member);
    if (key === undefined) {
      kept.push(member);
      continue;
    }
    const text = JSON.stringify([member.source.toolbox ?? null, ...key]);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [member]);
    else group.push(member);
  }
  for (const group of groups.values()) {
    const [only] = group;
    if (group.length === 1 && only !== undefined) kept.push(only);
    else problems.push(explain(group));
  }
  return kept;
}

function duplicateServer(clash: readonly Identified[]): CatalogProblem {
  const server = clash[0]?.source.server ?? "";
  return catalogProblem({
    code: "duplicate-server",
    message: `The server id ${quoteText(server)} is given ${clash.length} times.`,
    fix: "Give each downstream an id of its own.",
    servers: [server],
  });
}

function sameIntegration(clash: readonly CheckedSource[]): CatalogProblem {
  const servers = clash.map((member) => member.source.server).sort(compareText);
  const { integration = "", version = 1 } = clash[0] ?? {};
  return catalogProblem({
    code: "same-integration",
    message: `The servers ${servers.map((id) => quoteText(id)).join(" and ")} both give the integration ${integration}@${version}.`,
    fix: 'Set "integration" or "version" on one of them, so that their tools have names of their own.',
    servers,
  });
}

function compareSources(a: CheckedSource, b: CheckedSource): number {
  return (
    compareText(a.integration, b.integration) ||
    a.version - b.version ||
    compareText(a.source.toolbox ?? "", b.source.toolbox ?? "") ||
    compareText(a.source.server, b.source.server)
  );
}
