// The gateway's `instructions`: what it is, its toolboxes (GW-12), and what each downstream says of itself. The last
// is a stranger's text: kept under its heading, within bounds, without characters that hide or reorder (SAFE-1).

import { escapeText } from "@onym/core";
import type { ToolboxMode } from "../toolboxes/meta-tools.js";

export interface InstructionsInput {
  readonly toolboxes: readonly { readonly toolbox: string; readonly description: string | undefined }[];
  readonly mode: ToolboxMode;
  /** What this caller calls the meta tools that open toolboxes and call their tools. */
  readonly openTool: string;
  readonly useTool: string;
  readonly downstreams: readonly DownstreamInstructions[];
}

interface DownstreamInstructions {
  readonly server: string;
  readonly toolbox: string | undefined;
  /** With the names this caller sees. */
  readonly text: string | undefined;
}

const LONGEST_SECTION = 4_000;
const LONGEST_SECTIONS = 24_000;
const LONGEST_TITLE = 120;
const LONGEST_DESCRIPTION = 300;
const MOST_TOOLBOXES = 200;

const OPENING = "Onym gives access to the tools of several MCP servers through one connection.";

// Controls but newline and tab, bidi controls, what is drawn as nothing, tags, noncharacters, half surrogate pairs.
// Joiners and variation selectors stay: emoji and some scripts need them.
const UNSEEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uD800-\uDFFF\u{E0000}-\u{E007F}\p{Noncharacter_Code_Point}]/gu;

/**
 * The whole text. The same input in any order gives the same text.
 *
 * @example
 * formatInstructions({ toolboxes: [], mode: "static", openTool: "open_toolbox", useTool: "use_tool",
 *   downstreams: [{ server: "fs", toolbox: undefined, text: "Use absolute paths." }] });
 */
export function formatInstructions(input: InstructionsInput): string {
  const sections = [OPENING, ...formatToolboxes(input)];
  const left: string[] = [];
  let room = LONGEST_SECTIONS;
  const sorted = input.downstreams
    .map((downstream) => ({ title: titleOf(downstream), text: downstream.text }))
    .sort((a, b) => compare(a.title, b.title) || compare(a.text ?? "", b.text ?? ""));
  for (const { title, text } of sorted) {
    const body = formatBody(text ?? "");
    if (body === "") continue;
    const section = `## ${title}\n\n${body}`;
    if (section.length <= room) {
      room -= section.length;
      sections.push(section);
    } else left.push(title);
  }
  if (left.length > 0) sections.push(`Instructions left out for length: ${formatLeft(left)}.`);
  return sections.join("\n\n");
}

function formatToolboxes({ toolboxes, mode, openTool, useTool }: InstructionsInput): readonly string[] {
  if (toolboxes.length === 0) return [];
  const lines = toolboxes
    .map(({ toolbox, description }) => {
      const about = oneLine(description ?? "", LONGEST_DESCRIPTION);
      return `- ${oneLine(toolbox, LONGEST_TITLE)}${about === "" ? "" : `: ${about}`}`;
    })
    .sort(compare);
  const more = lines.length - MOST_TOOLBOXES;
  const shown = more > 0 ? [...lines.slice(0, MOST_TOOLBOXES), `- and ${more} more`] : lines;
  return [["## Toolboxes", "", howToOpen(mode, openTool, useTool), "", ...shown].join("\n")];
}

function howToOpen(mode: ToolboxMode, openTool: string, useTool: string): string {
  switch (mode) {
    case "static":
      return "All toolboxes are open; their tools are in the list of tools.";
    case "dynamic":
      return `Open one with ${openTool}, then its tools join the list of tools.`;
    case "proxy":
      return `Open one with ${openTool}, then call its tools with ${useTool}.`;
  }
}

function titleOf({ server, toolbox }: DownstreamInstructions): string {
  const shown = oneLine(server, LONGEST_TITLE);
  return toolbox === undefined
    ? `Server ${shown}`
    : `Server ${shown} (toolbox ${oneLine(toolbox, LONGEST_TITLE)})`;
}

function formatBody(text: string): string {
  // Cut first, so that a huge text costs no more than a long one.
  const head = text
    .slice(0, 2 * LONGEST_SECTION)
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, "")
    .trim();
  const kept = head.length > LONGEST_SECTION ? cut(head, LONGEST_SECTION) : head;
  const isCut = head.length > LONGEST_SECTION || text.length > 2 * LONGEST_SECTION;
  // Headings of the first two levels are the gateway's own: a stranger's move down, so none can pass for a section.
  const body = kept.replace(/^( {0,3})(#{1,2})(?=[ \t]|$)/gm, "$1##$2");
  return isCut ? `${body}\n[Cut here: the text is too long.]` : body;
}

function formatLeft(titles: readonly string[]): string {
  const shown = titles.slice(0, 20).join(", ");
  return titles.length > 20 ? `${shown} and ${titles.length - 20} more` : shown;
}

function oneLine(text: string, max: number): string {
  const shown = escapeText(
    text
      .slice(0, 2 * max)
      .replace(/\s+/gu, " ")
      .trim(),
  );
  return shown.length > max ? `${cut(shown, max)}…` : shown;
}

/** The start of a text, without half a surrogate pair at its end. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
