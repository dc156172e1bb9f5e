// Calls of the gateway's own tools (GW-11). What goes wrong inside them is a result, so that the model can mend it (GW-6).

import type { Tool } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { ToolCall } from "../calls/call-tool.js";
import type { View } from "../catalog/gateway-snapshot.js";
import type { Desk } from "../gateway-context.js";
import { createNameFinder } from "../listing/name-finder.js";
import { renderJson } from "../listing/schema-text.js";
import { renderReferences } from "../references/render-references.js";
import type { GatewaySettings } from "../settings.js";
import { holderOf, openFor } from "./create-toolboxes.js";
import {
  formatFailure,
  formatFound,
  type MetaResults,
  OWN_RESULTS,
  type ToolboxSummary,
  type ToolSummary,
} from "./format-meta-results.js";
import { modeFor, namesFor } from "./format-meta-tools.js";
import { WORKBENCH_RESULTS } from "./format-workbench-results.js";
import { META_TOOLS, type MetaTool, metaToolNamed, workbenchToolNamed } from "./meta-tool-names.js";
import { metaToolsFor } from "./meta-tools.js";
import { explainFailed, ownReply, reasonOf, unknownToolbox } from "./own-reply.js";
import { readFindToolsArguments, readToolboxArguments } from "./read-meta-arguments.js";
import { useTool } from "./use-tool.js";

export interface OwnTool {
  readonly tool: MetaTool;
  /** It answers as in mcp-workbench: called by a name from there, or configured by a file from there (BOX-9). */
  readonly isWorkbench: boolean;
}

/** The meta tool a name means for this caller, where its mode has that tool. */
export function findMetaTool(
  name: string,
  caller: Caller,
  settings: GatewaySettings,
  view: Pick<View, "tools">,
): OwnTool | undefined {
  const mode = modeFor(caller, settings);
  // The usual case, for every call: there are none.
  if (mode === "static" && settings.toolboxes.length === 0) return undefined;
  const toolboxes = settings.toolboxes.map(({ id }) => id);
  // Later versions of mcp-workbench have no list that grows: there, use_tool is called whatever the mode.
  const offered = settings.isWorkbench ? META_TOOLS : metaToolsFor({ mode, toolboxes });
  if (offered.length === 0) return undefined;
  const own = metaToolNamed(name, namesFor(caller, view, settings), caller.as ?? settings.naming.as);
  const alias = own === undefined ? workbenchToolNamed(name) : undefined;
  const tool = own ?? (isToolName(name, caller, view) ? undefined : alias);
  if (tool === undefined || !offered.includes(tool)) return undefined;
  return { tool, isWorkbench: settings.isWorkbench || alias !== undefined };
}

function isToolName(name: string, { profile, as }: Caller, { tools }: Pick<View, "tools">): boolean {
  return tools.namesFor(profile, as === undefined ? {} : { as }).toolNamed(name) !== undefined;
}

export async function callMetaTool(
  { tool, isWorkbench }: OwnTool,
  args: JsonObject,
  call: ToolCall,
  desk: Desk,
): Promise<Reply> {
  const results = isWorkbench ? WORKBENCH_RESULTS : OWN_RESULTS;
  switch (tool) {
    case "list_toolboxes":
      return ownReply(results.list(toolboxesFor(call.caller, desk)), call, desk);
    case "open_toolbox":
      return ownReply(await openToolbox(args, call.caller, desk, results), call, desk);
    case "close_toolbox":
      return ownReply(closeToolbox(args, call.caller, desk, results), call, desk);
    case "find_tools":
      return ownReply(await findTools(args, call.caller, desk), call, desk);
    case "use_tool":
      return useTool(args, call, desk);
  }
}

function toolboxesFor(caller: Caller, desk: Desk): readonly ToolboxSummary[] {
  const { session } = caller;
  const { view } = desk.sight();
  const { toolboxes, mode } = desk.settings();
  return toolboxes.map(({ id, description }) => {
    const isOpen =
      mode === "static" || (session === undefined ? desk.toolboxes.isOpen(id) : session.toolboxes.has(id));
    const isKnown = view.present.some((downstream) => downstream.id.toolbox === id);
    return {
      toolbox: id,
      description,
      servers: serversOf(id, desk),
      tools: isKnown ? toolsOf(id, caller, desk).length : undefined,
      isOpen,
    };
  });
}

async function openToolbox(
  args: JsonObject,
  caller: Caller,
  desk: Desk,
  results: MetaResults,
): Promise<JsonObject> {
  const read = readToolboxArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { toolbox } = read.value;
  const opening = await openFor(caller, toolbox, desk);
  if (opening.outcome === "unknown") return unknownToolbox(toolbox, desk);
  if (opening.outcome === "failed")
    return formatFailure({
      problem: explainFailed(opening.failed),
      toolbox,
      server: opening.failed[0]?.id.server,
    });
  const { view } = await desk.names.secure(caller);
  const missing = opening.failed.map((each) => ({ server: each.id.server, reason: reasonOf(each) }));
  return results.opened({
    toolbox,
    description: desk.settings().toolboxes.find(({ id }) => id === toolbox)?.description,
    connected: serversOf(toolbox, desk) - missing.length,
    areListed: modeFor(caller, desk.settings()) !== "proxy",
    tools: summariesOf(toolsOf(toolbox, caller, desk), caller, view),
    missing,
  });
}

function closeToolbox(args: JsonObject, caller: Caller, desk: Desk, results: MetaResults): JsonObject {
  const { session } = caller;
  const read = readToolboxArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { toolbox } = read.value;
  if (!desk.settings().toolboxes.some(({ id }) => id === toolbox)) return unknownToolbox(toolbox, desk);
  const wasOpen = desk.toolboxes.close(toolbox, holderOf(caller));
  if (session !== undefined) {
    session.toolboxes.delete(toolbox);
    desk.changed(session);
  }
  return results.closed(toolbox, { wasOpen });
}

async function findTools(args: JsonObject, caller: Caller, desk: Desk): Promise<JsonObject> {
  const read = readFindToolsArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { query, toolbox, limit } = read.value;
  if (toolbox !== undefined && !desk.settings().toolboxes.some(({ id }) => id === toolbox))
    return unknownToolbox(toolbox, desk);
  await desk.settle();
  const { view, search, guard } = await desk.names.secure(caller);
  const sight = guard.sight(view, caller);
  const byKey = new Map<string, Tool>(view.tools.catalog.tools.map((tool) => [tool.key, tool]));
  const hits = search()(query, {
    limit,
    accepts: (key) => {
      const tool = byKey.get(key);
      if (tool === undefined || sight?.sees(tool) === false) return false;
      return toolbox === undefined || tool.toolbox === toolbox;
    },
  });
  return formatFound(
    query,
    summariesOf(
      hits.flatMap(({ key }) => byKey.get(key) ?? []),
      caller,
      view,
    ),
    desk
      .settings()
      .toolboxes.map(({ id }) => id)
      .filter((id) => (toolbox === undefined || toolbox === id) && !desk.toolboxes.isOpen(id))
      .toSorted(),
  );
}

function serversOf(toolbox: string, desk: Desk): number {
  return desk.settings().servers.filter(({ source }) => source.toolbox === toolbox).length;
}

function toolsOf(toolbox: string, caller: Caller, desk: Desk): readonly Tool[] {
  const { view, guard } = desk.sight();
  const sight = guard.sight(view, caller);
  return view.tools.catalog.tools.filter((tool) => tool.toolbox === toolbox && sight?.sees(tool) !== false);
}

/** With the names of this caller, also where one tool's texts mention another (GW-9). */
function summariesOf(tools: readonly Tool[], caller: Caller, view: View): readonly ToolSummary[] {
  const table = view.tableOf(caller);
  const find = createNameFinder(table);
  return tools.map((tool) => {
    const { description, inputSchema } = textsOf(tool, view, (raw) => find(tool, raw));
    const { title, annotations } = tool.definition;
    return {
      name: table.nameOf(tool) ?? tool.canonical,
      raw: tool.raw,
      server: tool.server,
      toolbox: tool.toolbox,
      title,
      description,
      inputSchema,
      annotations,
    };
  });
}

function textsOf(
  tool: Tool,
  view: View,
  nameOf: (raw: string) => string,
): Pick<ToolSummary, "description" | "inputSchema"> {
  const owner = view.ownerOf(tool);
  const body = owner === undefined ? undefined : view.offerOf(owner)?.bodyOf(tool);
  const { description, inputSchema } = tool.definition;
  if (body === undefined) return { description, inputSchema };
  const { description: parts, members } = body;
  return {
    description: parts === undefined ? undefined : renderReferences(parts, nameOf),
    inputSchema:
      members.mentions.length === 0
        ? inputSchema
        : JSON.parse(`{${renderJson(members, nameOf)}}`)["inputSchema"],
  };
}
