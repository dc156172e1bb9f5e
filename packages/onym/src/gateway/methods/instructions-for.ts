// The instructions for a connecting client: the toolboxes, and each server's own instructions, with the
// caller's names.

import { escapeText } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext } from "../gateway-context.js";
import { createNameFinder, renderReferences, STEP_LENGTH } from "../references/find-references.js";
import type { ToolboxMode } from "../settings.js";
import { modeFor, namesFor } from "../toolboxes/meta-tools.js";
import type { Visibility } from "../visibility/visibility.js";

/**
 * How long an introduction waits for servers that are starting. Clients give up on a gateway that does not
 * introduce itself; for tools they wait longer.
 */
const INTRODUCTION_MS = 1_000;

/**
 * While a server is still starting, these are the instructions of the others, and nothing is recorded: names
 * must not depend on which server was first (NAME-4).
 */
export async function instructionsFor(caller: Caller, context: GatewayContext): Promise<string> {
  const hasAll = await untilServers(context);
  const { snapshot, guard, texts } = hasAll ? await context.names.recordNames(caller) : context.latestView();
  await snapshot.confinement?.prepareItems();
  const visibility = guard.visibility(snapshot, caller);
  const settings = context.settings();
  const table = hasAll ? snapshot.tableOf(caller) : snapshot.recording.recordedTable(caller);
  const own = namesFor(caller, snapshot, settings);
  const about = {
    mode: modeFor(caller, settings),
    toolboxes: settings.toolboxes.map(({ id, description }) => ({ toolbox: id, description })),
    openTool: own.get("open_toolbox") ?? "open_toolbox",
    useTool: own.get("use_tool") ?? "use_tool",
  };
  const steps = function* (): Steps<Buffer> {
    const seesServer = createServerCheck(snapshot, visibility);
    const names = createNameFinder(table, visibility);
    const downstreams = yield* renameSteps(snapshot.present.filter(seesServer), snapshot, names);
    return Buffer.from(formatInstructions({ ...about, downstreams }));
  };
  // Clients that connect again and again share them.
  const key = ["instructions", snapshot, table, visibility?.key, JSON.stringify(about)];
  return (await texts.take(key, steps, caller)).toString();
}

/** Whether all servers are there and in the view; `false` at the latest when their time is over. */
async function untilServers(context: GatewayContext): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, INTRODUCTION_MS, false);
  });
  try {
    return await Promise.race([context.waitForServers(INTRODUCTION_MS), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The instructions of these servers, with the names that a caller sees, in steps: there may be many (SAFE-4). */
function* renameSteps(
  downstreams: readonly Downstream[],
  snapshot: GatewaySnapshot,
  names: ReturnType<typeof createNameFinder>,
): Steps<readonly DownstreamInstructions[]> {
  const renamed: DownstreamInstructions[] = [];
  let length = 0;
  for (const downstream of downstreams) {
    if (length >= STEP_LENGTH) {
      length = 0;
      yield;
    }
    const { id, inventory } = downstream;
    const text = inventory?.instructions ?? "";
    length += text.length;
    const parts = snapshot.offerOf(downstream)?.findReferences(text) ?? [];
    renamed.push({ ...id, text: renderReferences(parts, (raw) => names(id, raw)) });
  }
  return renamed;
}

/**
 * Whether a caller sees anything that a server lists; a server that lists nothing is visible if policy lets
 * the caller reach it (POL-9).
 */
function createServerCheck(
  snapshot: GatewaySnapshot,
  visibility: Visibility | undefined,
): (downstream: Downstream) => boolean {
  if (visibility === undefined && snapshot.confinement === undefined) return () => true;
  const seen = new Set<Downstream | undefined>();
  const listing = new Set<Downstream | undefined>();
  for (const tool of snapshot.tools.catalog.tools) {
    const owner = snapshot.ownerOf(tool);
    listing.add(owner);
    if (visibility?.sees(tool) !== false) seen.add(owner);
  }
  const { whole } = snapshot.confinement ?? { whole: snapshot };
  const listsItems = (of: GatewaySnapshot, owner: Downstream): boolean =>
    [of.promptsOf, of.resourcesOf, of.templatesOf].some((entriesOf) => entriesOf(owner).length > 0);
  return (owner) =>
    seen.has(owner) || listsItems(snapshot, owner) || !(listing.has(owner) || listsItems(whole, owner));
}

// The gateway's `instructions`: what it is, its toolboxes (GW-12), and each server's own instructions. The
// latter are untrusted: kept under their heading, within limits, without characters that hide or reorder text
// (SAFE-1).

export interface InstructionsInput {
  readonly toolboxes: readonly { readonly toolbox: string; readonly description: string | undefined }[];
  readonly mode: ToolboxMode;
  /** This caller's names for the meta tools that open toolboxes and call their tools. */
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

const MAX_SECTION_LENGTH = 4_000;
const MAX_TOTAL_LENGTH = 24_000;
const MAX_TITLE_LENGTH = 120;
const MAX_DESCRIPTION_LENGTH = 300;
const MAX_TOOLBOXES = 200;

const OPENING = "Onym gives access to the tools of several MCP servers through one connection.";

// Controls except newline and tab, bidi controls, invisible characters, tags, noncharacters, lone surrogates.
// Joiners and variation selectors stay: emoji and some scripts need them.
const UNSEEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uD800-\uDFFF\u{E0000}-\u{E007F}\p{Noncharacter_Code_Point}]/gu;

/**
 * Independent of the order of the input.
 * @example
 * formatInstructions({ toolboxes: [], mode: "static", openTool: "open_toolbox", useTool: "use_tool",
 *   downstreams: [{ server: "fs", toolbox: undefined, text: "Use absolute paths." }] });
 */
export function formatInstructions(input: InstructionsInput): string {
  const sections = [OPENING, ...formatToolboxes(input)];
  const left: string[] = [];
  let room = MAX_TOTAL_LENGTH;
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
      const about = oneLine(description ?? "", MAX_DESCRIPTION_LENGTH);
      return `- ${oneLine(toolbox, MAX_TITLE_LENGTH)}${about === "" ? "" : `: ${about}`}`;
    })
    .sort(compare);
  const more = lines.length - MAX_TOOLBOXES;
  const shown = more > 0 ? [...lines.slice(0, MAX_TOOLBOXES), `- and ${more} more`] : lines;
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
  const shown = oneLine(server, MAX_TITLE_LENGTH);
  return toolbox === undefined
    ? `Server ${shown}`
    : `Server ${shown} (toolbox ${oneLine(toolbox, MAX_TITLE_LENGTH)})`;
}

function formatBody(text: string): string {
  // Truncate first, so that a huge text costs no more than a long one.
  const head = text
    .slice(0, 2 * MAX_SECTION_LENGTH)
    .replace(/\r\n?/g, "\n")
    .replace(UNSEEN, "")
    .trim();
  const kept = head.length > MAX_SECTION_LENGTH ? cut(head, MAX_SECTION_LENGTH) : head;
  const isCut = head.length > MAX_SECTION_LENGTH || text.length > 2 * MAX_SECTION_LENGTH;
  // Headings of the first two levels belong to the gateway. A server's headings move down, so that none can
  // pose as a section.
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

/** The start of a text, without a lone surrogate at its end. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
