// Results of the gateway's own tools: text for the model, and the same as structured content. Names and
// descriptions are untrusted, so each stays on its line (SAFE-1).

import { escapeText, quoteText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { Steps } from "../../model/run-slices.js";

export interface ToolboxSummary {
  readonly toolbox: string;
  readonly description: string | undefined;
  readonly servers: number;
  /** `undefined` before the first listing. */
  readonly tools: number | undefined;
  readonly isOpen: boolean;
}

export interface ToolSummary {
  /** As this caller sees it. */
  readonly name: string;
  readonly raw: string;
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations: unknown;
}

/** The tools that an answer describes, within its limit. */
export interface ShownTools {
  readonly tools: readonly ToolSummary[];
  /** How many are left out. */
  readonly more: number;
}

export interface OpenedToolbox extends ShownTools {
  readonly toolbox: string;
  readonly description: string | undefined;
  /** The number of servers that came up. */
  readonly connected: number;
  /** The caller's list contains the tools. */
  readonly areListed: boolean;
  /** The caller's name of `find_tools`. */
  readonly findTool: string;
  /** Servers that did not come up, and why, one line each. */
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
}

/** The results of the toolbox tools: the gateway's own, or those of mcp-workbench. */
export interface MetaResults {
  readonly list: (toolboxes: readonly ToolboxSummary[]) => JsonObject;
  /** In steps: there may be many tools. */
  readonly opened: (opened: OpenedToolbox) => Steps<JsonObject>;
  /** Whether tools that the caller's list contains have their schemas here, too. */
  readonly repeatsSchemas: boolean;
  /** `wasOpen: false`: there was nothing to do. */
  readonly closed: (toolbox: string, before: { readonly wasOpen: boolean }) => JsonObject;
}

/** A failure inside a meta tool (GW-6). */
export interface MetaFailure {
  /** One sentence. */
  readonly problem: string;
  readonly hint?: string;
  readonly toolbox?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
}

const MAX_LINE_LENGTH = 300;
const HALF_PAIR = /[\uD800-\uDBFF]$/;

function formatToolboxList(toolboxes: readonly ToolboxSummary[]): JsonObject {
  const lines = toolboxes.map(({ toolbox, description, servers, tools, isOpen }) => {
    const counts = [count(servers, "server"), ...(tools === undefined ? [] : [count(tools, "tool")])].join(
      ", ",
    );
    return `- ${oneLine(toolbox)} (${counts}, ${isOpen ? "open" : "closed"})${after(description)}`;
  });
  const text = lines.length === 0 ? "There are no toolboxes." : ["Toolboxes:", ...lines].join("\n");
  return result(text, {
    toolboxes: toolboxes.map(({ toolbox, description, servers, tools, isOpen }) => ({
      name: toolbox,
      ...(description === undefined ? {} : { description }),
      servers,
      ...(tools === undefined ? {} : { tools }),
      open: isOpen,
    })),
  });
}

function* formatOpened(opened: OpenedToolbox): Steps<JsonObject> {
  const { toolbox, tools, more, missing } = opened;
  const lines = [
    `Toolbox ${quoteText(toolbox)} is open: ${count(tools.length + more, "tool")}.`,
    ...(yield* describeSteps(tools)),
    ...moreLine(opened),
    ...missing.map(({ server, reason }) => `Server ${quoteText(server)} is missing: ${oneLine(reason)}`),
  ];
  return result(lines.join("\n"), {
    toolbox,
    open: true,
    tools: tools.map(toolFields),
    ...(more === 0 ? {} : { more }),
    ...(missing.length === 0 ? {} : { missing }),
  });
}

/** What to do about tools that are left out. */
export function moreLine({ more, findTool }: Pick<OpenedToolbox, "more" | "findTool">): readonly string[] {
  return more === 0 ? [] : [`… and ${more} more; use ${findTool} to find them.`];
}

function formatClosed(toolbox: string, { wasOpen }: { readonly wasOpen: boolean }): JsonObject {
  const text = `Toolbox ${quoteText(toolbox)} ${wasOpen ? "is closed" : "was not open"}.`;
  return result(text, { toolbox, open: false });
}

export const OWN_RESULTS: MetaResults = {
  list: formatToolboxList,
  opened: formatOpened,
  closed: formatClosed,
  repeatsSchemas: false,
};

/** In steps, as they may have long texts. */
export function* formatFound(
  query: string,
  { tools, more }: ShownTools,
  /** Toolboxes whose tools are unknown, because no session opened them. */
  unsearched: readonly string[] = [],
): Steps<JsonObject> {
  const about = query.trim() === "" ? "" : ` for ${quoteText(query)}`;
  const found = tools.length + more;
  const text = found === 0 ? `No tool found${about}.` : `${count(found, "tool")}${about}:`;
  const left = more === 0 ? [] : [`… and ${more} more, left out for length; use more words.`];
  const note =
    unsearched.length === 0
      ? []
      : [`Not searched, because they are not open: ${unsearched.map(oneLine).join(", ")}.`];
  return result([text, ...(yield* describeSteps(tools)), ...left, ...note].join("\n"), {
    tools: tools.map(toolFields),
    ...(more === 0 ? {} : { more }),
    ...(unsearched.length === 0 ? {} : { unsearched }),
  });
}

export function formatFailure({ problem, hint, toolbox, server, tool }: MetaFailure): JsonObject {
  const places = Object.entries({ toolbox, server, tool }).flatMap(([kind, name]) =>
    name === undefined ? [] : [`${kind} ${quoteText(name)}`],
  );
  const text = [
    problem,
    ...(places.length === 0 ? [] : [`(${places.join(", ")})`]),
    ...(hint === undefined ? [] : [hint]),
  ].join(" ");
  const named = Object.fromEntries(
    Object.entries({ toolbox, server, tool, hint }).filter(([, value]) => value !== undefined),
  );
  return { ...result(text, { error: { message: problem, ...named } }), isError: true };
}

function result(text: string, structuredContent: JsonObject): JsonObject {
  return { content: [{ type: "text", text }], structuredContent };
}

function* describeSteps(tools: readonly ToolSummary[]): Steps<readonly string[]> {
  const lines: string[] = [];
  for (const tool of tools) {
    yield;
    lines.push(...describeTool(tool));
  }
  return lines;
}

function describeTool({ name, description, inputSchema }: ToolSummary): readonly string[] {
  const line = `- ${escapeText(name)}${after(description)}`;
  return inputSchema === undefined ? [line] : [line, `  arguments: ${JSON.stringify(inputSchema)}`];
}

function toolFields({ name, server, toolbox, description, inputSchema }: ToolSummary): JsonObject {
  return {
    name,
    server,
    ...(toolbox === undefined ? {} : { toolbox }),
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
  };
}

function after(description: string | undefined): string {
  const shown = oneLine(description ?? "");
  return shown === "" ? "" : `: ${shown}`;
}

function oneLine(text: string): string {
  // Truncate first: descriptions may be huge.
  const head = escapeText(
    text
      .slice(0, 2 * MAX_LINE_LENGTH)
      .replace(/\s+/gu, " ")
      .trim(),
  );
  return head.length <= MAX_LINE_LENGTH ? head : `${head.slice(0, MAX_LINE_LENGTH).replace(HALF_PAIR, "")}…`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
