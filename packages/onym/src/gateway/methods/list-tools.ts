// tools/list: a table plus prebuilt bytes.

import type { Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import type { Caller } from "../caller.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { problemsFor } from "../listing/list-problems.js";
import type { ListChoice, ToolPage } from "../listing/tool-lists.js";
import type { GatewaySettings } from "../settings.js";
import { formatMetaTools } from "../toolboxes/meta-tools.js";
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
  // Told on the first page.
  const made = read.cursor === undefined ? problemsFor(caller, view) : "";
  const problems = typeof made === "string" ? made : await made;
  const page = view.lists.page(listChoiceOf(caller, view, settings), read.cursor);
  if (page === undefined) return badCursor();
  if (caller.session !== undefined) caller.session.shown = shownDigest(caller, view, settings);
  const own = read.cursor === undefined ? formatMetaTools(caller, settings, view.snapshot) : "";
  const { missing } = view.snapshot;
  const { serverInfo } = context;
  const unrecorded = unrecordedFor(caller, view);
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
  const { profile, as, era, callerKey } = caller;
  const names = { profile, as, era, callerKey, visibility: guard.visibility(snapshot, caller) };
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

/** The same for `shownDigest`, in the turn of this caller, if any. */
export function prepareDigest(
  caller: Caller,
  view: View,
  settings: GatewaySettings,
  callerKey: string | undefined,
): Promise<void> | undefined {
  return view.lists.prepareDigest({ ...listChoiceOf(caller, view, settings), callerKey });
}

/** Digest of the list that this caller would get now, including the gateway's own tools (GW-7). */
export function shownDigest(caller: Caller, view: View, settings: GatewaySettings): string {
  const { lists, snapshot } = view;
  return `${lists.digest(listChoiceOf(caller, view, settings))} ${formatMetaTools(caller, settings, snapshot)}`;
}
