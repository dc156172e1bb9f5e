// Calls of the gateway's own tools (GW-11). What goes wrong inside them is a result, so that the model can mend it (GW-6).

import type { Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../rpc/json.js";
import { CODES } from "../../rpc/protocol.js";
import { type Reply, resultReply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Desk } from "../desk.js";
import { completeResult } from "../forward/adapt-reply.js";
import { callResolved, type ToolCall } from "../requests/call-tool.js";
import { resolveTool } from "../requests/resolve-tool.js";
import type { GatewaySettings } from "../settings.js";
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
import { readFindToolsArguments, readToolboxArguments, readUseToolArguments } from "./read-meta-arguments.js";

/** The meta tool a name means for this caller, where its mode has that tool. */
export function findMetaTool(name: string, caller: Caller, settings: GatewaySettings): MetaTool | undefined {
  const alias = caller.as ?? settings.naming.as;
  const found = metaToolNamed(name, namesFor(caller, settings), alias);
  if (found === undefined) return undefined;
  const toolboxes = settings.toolboxes.map(({ id }) => id);
  return metaToolsFor({ mode: modeFor(caller, settings), toolboxes }).includes(found) ? found : undefined;
}

export async function callMetaTool(
  tool: MetaTool,
  args: JsonObject,
  call: ToolCall,
  desk: Desk,
): Promise<Reply> {
  switch (tool) {
    case "list_toolboxes":
      return own(listToolboxes(call.caller, desk), call, desk);
    case "open_toolbox":
      return own(await openToolbox(args, call.caller, desk), call, desk);
    case "close_toolbox":
      return own(closeToolbox(args, call.caller, desk), call, desk);
    case "find_tools":
      return own(await findTools(args, call.caller, desk), call, desk);
    case "use_tool":
      return useTool(args, call, desk);
  }
}

function own(result: JsonObject, { caller }: ToolCall, desk: Desk): Reply {
  return resultReply(
    caller.era === "modern" ? completeResult("tools/call", result, desk.serverInfo) : result,
  );
}

function listToolboxes({ session }: Caller, desk: Desk): JsonObject {
  const { view } = desk.sight();
  const { toolboxes, servers, mode } = desk.settings();
  return formatToolboxList(
    toolboxes.map(({ id, description }) => {
      const isOpen =
        mode === "static" || (session === undefined ? desk.toolboxes.isOpen(id) : session.toolboxes.has(id));
      const tools = toolsOf(id, desk).length;
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
      problem: `The toolbox could not be opened: ${opening.failed.map(reasonOf).join("; ")}`,
      toolbox,
      server: opening.failed[0]?.id.server,
    });
  const { session } = caller;
  if (session !== undefined) {
    session.toolboxes.add(toolbox);
    desk.changed(session);
  }
  return formatOpened(
    toolbox,
    toolsOf(toolbox, desk).map((tool) =>
      summary(tool, caller, desk, modeFor(caller, desk.settings()) === "proxy"),
    ),
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
  const { view, search } = desk.sight();
  const byKey = new Map<string, Tool>(view.tools.catalog.tools.map((tool) => [tool.key, tool]));
  const hits = search()(query, {
    limit,
    accepts: (key) => toolbox === undefined || byKey.get(key)?.toolbox === toolbox,
  });
  return formatFound(
    query,
    hits.flatMap(({ key }) => {
      const tool = byKey.get(key);
      return tool === undefined ? [] : [summary(tool, caller, desk, true)];
    }),
  );
}

async function useTool(args: JsonObject, call: ToolCall, desk: Desk): Promise<Reply> {
  const read = readUseToolArguments(args);
  if (!read.ok) return own(formatFailure({ problem: read.problem }), call, desk);
  const { name, server, toolbox } = read.value;
  const places = { toolbox, server, tool: name };
  const box = toolbox ?? boxOf(name, desk);
  if (box !== undefined && !desk.toolboxes.isOpen(box)) {
    const opening = await desk.toolboxes.open(box, call.caller.session?.id ?? ANYONE);
    if (opening.outcome === "unknown") return own(unknownToolbox(box, desk), call, desk);
    if (opening.outcome === "failed")
      return own(
        formatFailure({
          problem: `The toolbox could not be opened: ${opening.failed.map(reasonOf).join("; ")}`,
          ...places,
          toolbox: box,
        }),
        call,
        desk,
      );
  }
  const structured =
    server === undefined ? name : { server, name, ...(toolbox === undefined ? {} : { toolbox }) };
  const context = toolbox === undefined ? undefined : { toolbox };
  const found = await resolveTool(structured, context, call.caller, desk);
  if (found.kind === "refused") {
    const { refusal } = found;
    const problem = refusal.kind === "error" ? refusal.error.message : "Unknown tool.";
    const { suggestions = [] } = found.resolution.outcome === "unknown" ? found.resolution : {};
    return own(
      formatFailure({
        problem,
        ...places,
        ...(suggestions.length === 0 ? {} : { hint: `Did you mean ${suggestions.join(", ")}?` }),
      }),
      call,
      desk,
    );
  }
  const reply = await callResolved(
    found.tool,
    { ...call, params: { ...call.params, name, arguments: read.value.arguments } },
    desk,
  );
  if (reply.kind !== "error" || reply.error.code === CODES.headerMismatch) return reply;
  const { tool } = found;
  return own(
    formatFailure({
      problem: reply.error.message,
      toolbox: tool.toolbox,
      server: tool.server,
      tool: tool.raw,
    }),
    call,
    desk,
  );
}

/** The toolbox that a name speaks of, where its tools are not known yet: by its first part (BOX-1). */
function boxOf(name: string, desk: Desk): string | undefined {
  const known = desk.settings().toolboxes.find(({ id }) => name.startsWith(`${id}__`));
  return known?.id;
}

function toolsOf(toolbox: string, desk: Desk): readonly Tool[] {
  return desk.sight().view.tools.catalog.tools.filter((tool) => tool.toolbox === toolbox);
}

function summary(tool: Tool, caller: Caller, desk: Desk, withSchema: boolean): ToolSummary {
  const { description, inputSchema } = tool.definition;
  return {
    name: desk.sight().view.tableOf(caller).nameOf(tool) ?? tool.canonical,
    server: tool.server,
    toolbox: tool.toolbox,
    description,
    ...(withSchema && inputSchema !== undefined ? { inputSchema } : {}),
  };
}

function unknownToolbox(toolbox: string, desk: Desk): JsonObject {
  const names = desk.settings().toolboxes.map(({ id }) => id);
  return formatFailure({
    problem: "There is no such toolbox.",
    toolbox,
    hint: `There are: ${names.toSorted().join(", ")}.`,
  });
}

function reasonOf({ id, status }: Downstream): string {
  return status.kind === "failed" ? status.reason : `server ${id.server} is ${status.kind}`;
}
