// tools/list: a table plus bytes made ready beforehand.

import type { Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import { problemsFor } from "../catalog/list-problems.js";
import type { Desk, Sight } from "../gateway-context.js";
import type { ListChoice, ToolPage } from "../listing/tool-lists.js";
import type { GatewaySettings } from "../settings.js";
import { formatMetaTools } from "../toolboxes/format-meta-tools.js";
import { badCursor, formatList, readCursor } from "./list-reply.js";

export async function listTools(params: JsonObject | undefined, caller: Caller, desk: Desk): Promise<Reply> {
  const read = readCursor(params);
  if ("refusal" in read) return read.refusal;
  await desk.settle();
  const sight = await desk.names.secure(caller);
  const settings = desk.settings();
  await prepareList(caller, sight, settings);
  const page = sight.lists.page(listChoiceOf(caller, sight, settings), read.cursor);
  if (page === undefined) return badCursor();
  if (caller.session !== undefined) caller.session.shown = shownDigest(caller, sight, settings);
  const own = read.cursor === undefined ? formatMetaTools(caller, settings, sight.view) : "";
  const { missing } = sight.view;
  const { serverInfo } = desk;
  const unrecorded = unrecordedFor(caller, sight);
  const problems = read.cursor === undefined ? problemsFor(caller, sight) : "";
  desk.tellProblems(sight.view.tableOf(caller).problems);
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

/** Whole answers, for as long as their pages are kept: whoever asks gets the same bytes. */
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

/** Tools that are there and may be called by their canonical names, and have no name in the list yet. */
function unrecordedFor(caller: Caller, { view, guard }: Sight): readonly Tool[] {
  if (view.recording.isDone(caller)) return [];
  const sight = guard.sight(view, caller);
  return view.recording.unrecorded(caller).filter((tool) => sight?.sees(tool) !== false);
}

/** What a caller is shown, by mode (GW-10): everything, what it opened, or only the way to reach the rest. */
function listChoiceOf(
  caller: Caller,
  { guard, view }: Sight,
  { mode, toolboxes }: GatewaySettings,
): ListChoice {
  const { profile, as, era } = caller;
  const names = { profile, as, era, sight: guard.sight(view, caller) };
  if (mode === "proxy") return { ...names, toolboxes: "none" };
  if (mode === "static" || toolboxes.length === 0) return { ...names, toolboxes: undefined };
  return { ...names, toolboxes: [...(caller.session?.toolboxes ?? [])].sort() };
}

/** Makes a large list in slices; `undefined` where there is nothing to wait for. */
export function prepareList(
  caller: Caller,
  sight: Sight,
  settings: GatewaySettings,
): Promise<void> | undefined {
  return sight.lists.prepare(listChoiceOf(caller, sight, settings));
}

/** What a list would show this caller now, the gateway's own tools included; unequal when it changed (GW-7). */
export function shownDigest(caller: Caller, sight: Sight, settings: GatewaySettings): string {
  const { lists, view } = sight;
  return `${lists.digest(listChoiceOf(caller, sight, settings))} ${formatMetaTools(caller, settings, view)}`;
}
