// What one source lists: each entry read, duplicates and unusable entries set apart with a problem.

import { canonicalJson } from "../identity/canonical-json.js";
import { parseToolName } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { isVersion } from "../names/version.js";
import { type CatalogProblem, catalogProblem, listedToolText } from "./catalog-problem.js";
import type { CheckedSource } from "./check-sources.js";
import { ANY_INTEGRATION, type ListedTool } from "./source.js";
import type { ToolDefinition } from "./tool.js";

/** One usable entry: its raw name and its place in the canonical grammar. */
export interface ReadTool {
  readonly raw: string;
  readonly integration: string;
  readonly integrationVersion: number;
  readonly tool: string;
  readonly toolVersion: number;
  readonly definition: ToolDefinition;
}

const NOTHING: ToolDefinition = Object.freeze({});

/** Reads the tools of a source. Problems are added to `problems`. */
export function readListedTools(source: CheckedSource, problems: CatalogProblem[]): ReadTool[] {
  const byRaw = new Map<string, ReadTool>();
  const twice = new Map<string, number>();
  const { server } = source.source;
  for (const entry of source.source.tools as readonly unknown[]) {
    const read = readEntry(entry, source);
    if ("code" in read) {
      problems.push(read);
      continue;
    }
    const before = byRaw.get(read.raw);
    if (before === undefined) {
      byRaw.set(read.raw, read);
      continue;
    }
    twice.set(read.raw, (twice.get(read.raw) ?? 1) + 1);
    // Which of two stays must not depend on the order they came in.
    if (compareText(canonicalJson(read.definition), canonicalJson(before.definition)) < 0)
      byRaw.set(read.raw, read);
  }
  for (const [raw, times] of twice) {
    problems.push(
      catalogProblem({
        code: "duplicate-tool",
        severity: "warning",
        message: `The server ${quoteText(server)} lists ${quoteText(raw)} ${times} times; it is shown once.`,
        fix: "Give each tool of a server a name of its own: a call can only carry the name.",
        tools: [listedToolText(source.source, raw)],
        servers: [server],
      }),
    );
  }
  return [...byRaw.values()];
}

function readEntry(entry: unknown, source: CheckedSource): ReadTool | CatalogProblem {
  const { server } = source.source;
  const listed = (typeof entry === "string" ? { name: entry } : entry) as ListedTool | null | undefined;
  if (typeof listed?.name !== "string") {
    return catalogProblem({
      code: "bad-tool",
      message: `An entry in the tool list of ${quoteText(server)} has no name.`,
      fix: 'Write each tool as a text, or as an object with a text "name".',
      servers: [server],
    });
  }
  const raw = listed.name;
  if (listed.version !== undefined && !isVersion(listed.version)) {
    return catalogProblem({
      code: "bad-version",
      message: `The version ${String(listed.version)} of ${quoteText(raw)} on ${quoteText(server)} is not a whole number from 1 up.`,
      fix: "Write an integer from 1 up, or leave it out for 1.",
      tools: [listedToolText(source.source, raw)],
      servers: [server],
    });
  }
  const definition = typeof entry === "string" ? NOTHING : listed;
  if (source.source.names === "canonical") return adopt(raw, source, definition);
  return {
    raw,
    integration: source.integration,
    integrationVersion: source.version,
    tool: raw,
    toolVersion: listed.version ?? 1,
    definition,
  };
}

/** CANON-6: the raw name is a canonical name, of an integration the server may speak for. */
function adopt(raw: string, source: CheckedSource, definition: ToolDefinition): ReadTool | CatalogProblem {
  const { server, speaksFor } = source.source;
  const parsed = parseToolName(raw);
  if (
    !parsed.ok ||
    typeof parsed.value.integrationVersion === "string" ||
    typeof parsed.value.toolVersion === "string"
  ) {
    return catalogProblem({
      code: "not-canonical",
      message: `${quoteText(raw)} on ${quoteText(server)} is not a canonical name, though its names are declared to be.`,
      fix: parsed.ok ? "Write version numbers instead of latest." : parsed.problem.fix,
      tools: [listedToolText(source.source, raw)],
      servers: [server],
    });
  }
  const { toolbox, integration, integrationVersion, tool, toolVersion } = parsed.value;
  if (toolbox !== undefined) {
    return catalogProblem({
      code: "not-canonical",
      message: `${quoteText(raw)} on ${quoteText(server)} names a toolbox, which only the config of this gateway can give.`,
      fix: 'Take "names": "canonical" away from that server, or let it list its tools without toolboxes.',
      tools: [listedToolText(source.source, raw)],
      servers: [server],
    });
  }
  const spoken = speaksFor ?? [source.integration];
  if (!spoken.includes(integration) && !spoken.includes(ANY_INTEGRATION)) {
    return catalogProblem({
      code: "not-its-integration",
      message: `The server ${quoteText(server)} offers ${quoteText(raw)} but may not speak for ${quoteText(integration)}.`,
      fix: `Add "${integration}" to "speaksFor" of that server if it is to be trusted with it, or "*" for every integration.`,
      tools: [listedToolText(source.source, raw)],
      servers: [server],
    });
  }
  return { raw, integration, integrationVersion, tool, toolVersion, definition };
}
