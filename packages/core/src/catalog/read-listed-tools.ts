// Reads the tools that one source lists. Duplicates and unusable entries are left out with a problem.

import { canonicalJson } from "../identity/canonical-json.js";
import { parseToolName } from "../names/canonical-name.js";
import { compareText } from "../names/compare-text.js";
import { quoteText } from "../names/escape-text.js";
import { eachInSteps, type Steps } from "../names/steps.js";
import { isVersion } from "../names/version.js";
import { type CatalogProblem, catalogProblem, listedToolText } from "./catalog-problem.js";
import type { CheckedSource } from "./check-sources.js";
import { ANY_INTEGRATION, type ListedTool } from "./source.js";
import type { ToolDefinition } from "./tool.js";

/** One usable entry: its raw name and its parts in the canonical grammar. */
export interface ReadTool {
  readonly raw: string;
  readonly integration: string;
  readonly integrationVersion: number;
  readonly tool: string;
  readonly toolVersion: number;
  readonly definition: ToolDefinition;
}

/** The maximum length of a raw name in UTF-8 bytes (SAFE-4). */
const MAX_NAME_BYTES = 1_024;

const NOTHING: ToolDefinition = Object.freeze({});

/** Reads the tools of a source. Adds to `problems`. */
export function* readListedTools(source: CheckedSource, problems: CatalogProblem[]): Steps<ReadTool[]> {
  const byRaw = new Map<string, ReadTool>();
  const twice = new Map<string, number>();
  const { server } = source.source;
  const long: string[] = [];
  const add = (entry: unknown): void => {
    const read = readEntry(entry, source);
    if ("code" in read) {
      problems.push(read);
      return;
    }
    if (isLongName(read.raw)) {
      long.push(read.raw);
      return;
    }
    const before = byRaw.get(read.raw);
    if (before === undefined) {
      byRaw.set(read.raw, read);
      return;
    }
    twice.set(read.raw, (twice.get(read.raw) ?? 1) + 1);
    // Which duplicate stays must not depend on the input order.
    if (compareText(canonicalJson(read.definition), canonicalJson(before.definition)) < 0)
      byRaw.set(read.raw, read);
  };
  yield* eachInSteps(source.source.tools as readonly unknown[], add);
  if (long.length > 0) problems.push(longNames(long, source));
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

/** Whether a raw name exceeds `MAX_NAME_BYTES`. */
export function isLongName(raw: string): boolean {
  if (raw.length > MAX_NAME_BYTES) return true;
  if (raw.length * 3 <= MAX_NAME_BYTES) return false;
  let bytes = 0;
  // A character outside the basic plane has two UTF-16 units and four UTF-8 bytes.
  for (const character of raw) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes > MAX_NAME_BYTES;
}

/** One problem for all of them, because a list may contain many. */
function longNames(names: readonly string[], { source }: CheckedSource): CatalogProblem {
  const { server } = source;
  const which = names.length === 1 ? "a tool whose name has" : `${names.length} tools whose names have`;
  return catalogProblem({
    code: "name-too-long",
    message: `The server ${quoteText(server)} lists ${which} more than ${MAX_NAME_BYTES} bytes; left out. The first starts with ${quoteText((names[0] ?? "").slice(0, 60))}.`,
    fix: "Give the tool a shorter name on that server.",
    tools: names.slice(0, MAX_SHOWN).map((raw) => listedToolText(source, `${raw.slice(0, 60)}…`)),
    servers: [server],
  });
}

const MAX_SHOWN = 5;

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

/** CANON-6: the raw name is a canonical name of an integration that the server may declare. */
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
