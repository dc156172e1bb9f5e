// tools/list: a table plus prebuilt bytes.

import { type CatalogProblem, escapeText, type NamingTable, type Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { setBounded } from "../../model/set-bounded.js";
import type { Caller } from "../caller.js";
import type { GatewayContext, View } from "../gateway-context.js";
import type { ListChoice, ToolPage } from "../listing/tool-lists.js";
import type { GatewaySettings } from "../settings.js";
import { formatMetaTools } from "../toolboxes/format-meta-tools.js";
import type { Visibility } from "../visibility/visibility.js";
import { badCursor, formatList, readCursor } from "./list-reply.js";

export async function listTools(
  params: JsonObject | undefined,
  caller: Caller,
  context: GatewayContext,
): Promise<Reply> {
  const read = readCursor(params);
  if ("refusal" in read) return read.refusal;
  await context.waitForServers();
  const view = await context.names.recordNames(caller);
  const settings = context.settings();
  await prepareList(caller, view, settings);
  const page = view.lists.page(listChoiceOf(caller, view, settings), read.cursor);
  if (page === undefined) return badCursor();
  if (caller.session !== undefined) caller.session.shown = shownDigest(caller, view, settings);
  const own = read.cursor === undefined ? formatMetaTools(caller, settings, view.snapshot) : "";
  const { missing } = view.snapshot;
  const { serverInfo } = context;
  const unrecorded = unrecordedFor(caller, view);
  const problems = read.cursor === undefined ? problemsFor(caller, view) : "";
  context.logProblems(view.snapshot.tableOf(caller).problems);
  const known = ready.get(page);
  if (
    known?.own === own &&
    known.missing === missing &&
    known.problems === problems &&
    known.serverInfo === serverInfo &&
    unrecorded.length === 0
  )
    return known.reply;
  const reply = formatList({
    member: "tools",
    own,
    entries: page.entries,
    nextCursor: page.nextCursor,
    caller,
    missing,
    unrecorded,
    problems,
    serverInfo,
  });
  if (missing.length === 0 && unrecorded.length === 0)
    ready.set(page, { own, missing, problems, serverInfo, reply });
  return reply;
}

/** Complete replies, kept as long as their pages: every caller gets the same bytes. */
const ready = new WeakMap<
  ToolPage,
  {
    readonly own: string;
    readonly missing: readonly Downstream[];
    readonly problems: string;
    readonly serverInfo: JsonObject;
    readonly reply: Reply;
  }
>();

/** Tools that are present and callable by canonical name, but have no listed name yet. */
function unrecordedFor(caller: Caller, { snapshot, guard }: View): readonly Tool[] {
  if (snapshot.recording.isDone(caller)) return [];
  const visibility = guard.visibility(snapshot, caller);
  return snapshot.recording.unrecorded(caller).filter((tool) => visibility?.sees(tool) !== false);
}

/** What a caller is shown, by mode (GW-10): everything, what it opened, or only the meta tools. */
function listChoiceOf(
  caller: Caller,
  { guard, snapshot }: View,
  { mode, toolboxes }: GatewaySettings,
): ListChoice {
  const { profile, as, era } = caller;
  const names = { profile, as, era, visibility: guard.visibility(snapshot, caller) };
  if (mode === "proxy") return { ...names, toolboxes: "none" };
  if (mode === "static" || toolboxes.length === 0) return { ...names, toolboxes: undefined };
  return { ...names, toolboxes: [...(caller.session?.toolboxes ?? [])].sort() };
}

/** Builds a large list in slices; `undefined` if there is nothing to wait for. */
export function prepareList(
  caller: Caller,
  view: View,
  settings: GatewaySettings,
): Promise<void> | undefined {
  return view.lists.prepare(listChoiceOf(caller, view, settings));
}

/** The same for `shownDigest`. */
export function prepareDigest(
  caller: Caller,
  view: View,
  settings: GatewaySettings,
): Promise<void> | undefined {
  return view.lists.prepareDigest(listChoiceOf(caller, view, settings));
}

/** Digest of the list that this caller would get now, including the gateway's own tools (GW-7). */
export function shownDigest(caller: Caller, view: View, settings: GatewaySettings): string {
  const { lists, snapshot } = view;
  return `${lists.digest(listChoiceOf(caller, view, settings))} ${formatMetaTools(caller, settings, snapshot)}`;
}

// Reports in a list's `_meta` what it leaves out or renames (NAME-8): a count and the first few, limited to
// what the caller may see.

const MAX_PROBLEMS = 5;
const MAX_TOOLS = 5;
const MAX_TEXT = 500;
/** Kinds of callers for each table. */
const MAX_KEPT = 1_000;

/** By table and kind of caller: clients list more often than lists change. */
const problemTexts = new WeakMap<NamingTable, Map<string, string>>();

/** As JSON; empty without problems. */
function problemsFor(caller: Caller, { snapshot, guard }: View): string {
  const table = snapshot.tableOf(caller);
  const problems = [...snapshot.problems, ...table.problems];
  if (problems.length === 0) return "";
  const visibility = guard.visibility(snapshot, caller);
  const { confinedTo = null } = caller;
  const key = JSON.stringify([visibility?.key ?? null, confinedTo, snapshot.confinement?.key ?? null]);
  const made = problemTexts.get(table) ?? new Map<string, string>();
  problemTexts.set(table, made);
  const ready = made.get(key);
  if (ready !== undefined) return ready;
  const json = formatProblems(
    visibleProblems(problems, { confinedTo, visibility, tools: snapshot.tools.catalog.tools }),
  );
  setBounded(made, key, json, MAX_KEPT);
  return json;
}

function visibleProblems(
  problems: readonly CatalogProblem[],
  {
    confinedTo,
    visibility,
    tools,
  }: {
    readonly confinedTo: readonly string[] | null;
    readonly visibility: Visibility | undefined;
    readonly tools: readonly Tool[];
  },
): readonly CatalogProblem[] {
  const grave = problems.filter(({ severity }) => severity !== "info");
  if (visibility === undefined && confinedTo === null) return grave;
  // Rules restrict this caller. It is told of tools that it sees, and of nothing else: a problem with a tool that is left out,
  // or its absence, would tell of hidden ones (GW-6).
  const isSeen = new Map<string, boolean>();
  const servers = new Set<string>();
  for (const tool of tools) {
    const { canonical, toolbox, server, raw } = tool;
    const isAdmitted = confinedTo === null || (toolbox !== undefined && confinedTo.includes(toolbox));
    const sees = isAdmitted && visibility?.sees(tool) !== false;
    if (sees) servers.add(server);
    for (const name of [canonical, `${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`])
      isSeen.set(escapeText(name), (isSeen.get(escapeText(name)) ?? true) && sees);
  }
  return grave.filter(
    (problem) =>
      problem.tools.length > 0 &&
      problem.tools.every((name) => isSeen.get(name) ?? isSeen.get(escapeText(name)) ?? false) &&
      problem.servers.every((server) => servers.has(server)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorted, independent of the order in which servers list their tools (GW-4). */
function formatProblems(problems: readonly CatalogProblem[]): string {
  if (problems.length === 0) return "";
  const sorted = problems.toSorted((a, b) => compare(a.code, b.code) || compare(a.message, b.message));
  const first = sorted.slice(0, MAX_PROBLEMS).map(({ code, severity, message, fix, tools, servers }) => ({
    code,
    severity,
    message: message.slice(0, MAX_TEXT),
    fix: fix.slice(0, MAX_TEXT),
    tools: tools.slice(0, MAX_TOOLS),
    servers: servers.slice(0, MAX_TOOLS),
  }));
  return JSON.stringify({ count: problems.length, first });
}
