// Calls of the gateway's own tools (GW-11). What goes wrong inside them is a result, so that the model can mend it (GW-6).

import type { Tool } from "@onym/core";
import type { JsonObject } from "../../rpc/json.js";
import type { Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Desk } from "../desk.js";
import { renderReferences } from "../references/render-references.js";
import type { ToolCall } from "../requests/call-tool.js";
import type { GatewaySettings } from "../settings.js";
import { createNameFinder } from "../tools/name-finder.js";
import { renderJson } from "../tools/schema-text.js";
import type { View } from "../view/view.js";
import { ANYONE } from "./create-toolboxes.js";
import {
  formatClosed,
  formatFailure,
  formatFound,
  formatOpened,
  formatToolboxList,
  type ToolSummary,
} from "./format-meta-results.js";
import { modeFor, namesFor } from "./format-meta-tools.js";
import { type MetaTool, metaToolNamed } from "./meta-tool-names.js";
import { metaToolsFor } from "./meta-tools.js";
import { explainFailed, ownReply, reasonOf, unknownToolbox } from "./own-reply.js";
import { readFindToolsArguments, readToolboxArguments } from "./read-meta-arguments.js";
import { useTool } from "./use-tool.js";

/** The meta tool a name means for this caller, where its mode has that tool. */
export function findMetaTool(
  name: string,
  caller: Caller,
  settings: GatewaySettings,
  view: Pick<View, "tools">,
): MetaTool | undefined {
  const mode = modeFor(caller, settings);
  // The usual case, for every call: there are none.
  if (mode === "static" && settings.toolboxes.length === 0) return undefined;
  const offered = metaToolsFor({ mode, toolboxes: settings.toolboxes.map(({ id }) => id) });
  if (offered.length === 0) return undefined;
  const found = metaToolNamed(name, namesFor(caller, view), caller.as ?? settings.naming.as);
  return found !== undefined && offered.includes(found) ? found : undefined;
}

export async function callMetaTool(
  tool: MetaTool,
  args: JsonObject,
  call: ToolCall,
  desk: Desk,
): Promise<Reply> {
  switch (tool) {
    case "list_toolboxes":
      return ownReply(listToolboxes(call.caller, desk), call, desk);
    case "open_toolbox":
      return ownReply(await openToolbox(args, call.caller, desk), call, desk);
    case "close_toolbox":
      return ownReply(closeToolbox(args, call.caller, desk), call, desk);
    case "find_tools":
      return ownReply(await findTools(args, call.caller, desk), call, desk);
    case "use_tool":
      return useTool(args, call, desk);
  }
}

function listToolboxes(caller: Caller, desk: Desk): JsonObject {
  const { session } = caller;
  const { view } = desk.sight();
  const { toolboxes, servers, mode } = desk.settings();
  return formatToolboxList(
    toolboxes.map(({ id, description }) => {
      const isOpen =
        mode === "static" || (session === undefined ? desk.toolboxes.isOpen(id) : session.toolboxes.has(id));
      const tools = toolsOf(id, caller, desk).length;
      const isKnown = view.present.some((downstream) => downstream.id.toolbox === id);
      return {
        toolbox: id,
        description,
        servers: servers.filter(({ source }) => source.toolbox === id).length,
        tools: isKnown ? tools : undefined,
        isOpen,
      };
    }),
  );
}

async function openToolbox(args: JsonObject, caller: Caller, desk: Desk): Promise<JsonObject> {
  const read = readToolboxArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { toolbox } = read.value;
  const opening = await desk.toolboxes.open(toolbox, caller.session?.id ?? ANYONE);
  if (opening.outcome === "unknown") return unknownToolbox(toolbox, desk);
  if (opening.outcome === "failed")
    return formatFailure({
      problem: explainFailed(opening.failed),
      toolbox,
      server: opening.failed[0]?.id.server,
    });
  // What it lists for the first time is not new.
  await desk.sight().guard.settled();
  const { view } = await desk.names.secure(caller);
  const { session } = caller;
  if (session !== undefined) {
    session.toolboxes.add(toolbox);
    desk.changed(session);
  }
  const isHidden = modeFor(caller, desk.settings()) === "proxy";
  return formatOpened(
    toolbox,
    summariesOf(toolsOf(toolbox, caller, desk), caller, view, isHidden),
    opening.failed.map((downstream) => ({ server: downstream.id.server, reason: reasonOf(downstream) })),
  );
}

function closeToolbox(args: JsonObject, { session }: Caller, desk: Desk): JsonObject {
  const read = readToolboxArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { toolbox } = read.value;
  if (!desk.settings().toolboxes.some(({ id }) => id === toolbox)) return unknownToolbox(toolbox, desk);
  const wasOpen = desk.toolboxes.close(toolbox, session?.id ?? ANYONE);
  if (session !== undefined) {
    session.toolboxes.delete(toolbox);
    desk.changed(session);
  }
  return formatClosed(toolbox, { wasOpen });
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
      true,
    ),
    desk
      .settings()
      .toolboxes.map(({ id }) => id)
      .filter((id) => (toolbox === undefined || toolbox === id) && !desk.toolboxes.isOpen(id))
      .toSorted(),
  );
}

function toolsOf(toolbox: string, caller: Caller, desk: Desk): readonly Tool[] {
  const { view, guard } = desk.sight();
  const sight = guard.sight(view, caller);
  return view.tools.catalog.tools.filter((tool) => tool.toolbox === toolbox && sight?.sees(tool) !== false);
}

/** With the names of this caller, also where one tool's texts mention another (GW-9). */
function summariesOf(
  tools: readonly Tool[],
  caller: Caller,
  view: View,
  withSchema: boolean,
): readonly ToolSummary[] {
  const table = view.tableOf(caller);
  const find = createNameFinder(table);
  return tools.map((tool) => {
    const { description, inputSchema } = textsOf(tool, view, (raw) => find(tool, raw));
    return {
      name: table.nameOf(tool) ?? tool.canonical,
      server: tool.server,
      toolbox: tool.toolbox,
      description,
      ...(withSchema && inputSchema !== undefined ? { inputSchema } : {}),
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
