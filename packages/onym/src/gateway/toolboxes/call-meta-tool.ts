// Calls of the gateway's own tools (GW-11). A failure inside them is a result, so that the model can fix it
// (GW-6).

import type { Tool } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import { resolveContextOf } from "../calls/resolve-tool.js";
import { refuseUnreadable } from "../calls/sent-name.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import type { RoutedRequest } from "../router.js";
import type { GatewaySettings } from "../settings.js";
import { describeOwnTool } from "../tracing/describe-request.js";
import { holderOf, openFor } from "./create-toolboxes.js";
import {
  formatFailure,
  formatFound,
  type MetaResults,
  type OpenedToolbox,
  OWN_RESULTS,
  type ToolboxSummary,
} from "./format-meta-results.js";
import { WORKBENCH_RESULTS } from "./format-workbench-results.js";
import { META_TOOLS, type MetaTool, metaToolNamed, workbenchToolNamed } from "./meta-tool-names.js";
import { metaToolsFor, modeFor, namesFor } from "./meta-tools.js";
import { explainFailed, ownReply, reasonOf, sharedReply, unknownToolbox } from "./own-reply.js";
import { readFindToolsArguments, readToolboxArguments } from "./read-meta-arguments.js";
import { summarySteps } from "./tool-summaries.js";
import { useTool } from "./use-tool.js";

interface OwnTool {
  readonly tool: MetaTool;
  /** Replies as mcp-workbench does: called by one of its names, or configured by one of its files (BOX-9). */
  readonly isWorkbench: boolean;
}

/** Answers a call of one of the gateway's own tools; `undefined` if it is none. */
export function callOwnTool(call: RoutedRequest, context: GatewayContext): Promise<Reply> | undefined {
  const { name, arguments: args = {} } = call.params;
  if (typeof name !== "string" || !isJsonObject(args)) return undefined;
  const settings = context.settings();
  const { snapshot } = context.latestView();
  // A call that names the server of a raw name does not mean a meta tool.
  if (resolveContextOf(call.params)(snapshot)?.server !== undefined) return undefined;
  const own = findMetaTool(name, call.caller, settings, snapshot);
  if (own === undefined) return undefined;
  describeOwnTool(call.requestContext.span, own.tool);
  call.requestContext.observed?.about(own.tool);
  const unreadable = refuseUnreadable(args);
  if (unreadable !== undefined) return Promise.resolve(unreadable);
  return callMetaTool(own, args, call, context);
}

/** The meta tool that a name means for this caller, if its mode has that tool. */
function findMetaTool(
  name: string,
  caller: Caller,
  settings: GatewaySettings,
  snapshot: Pick<GatewaySnapshot, "tools">,
): OwnTool | undefined {
  const mode = modeFor(caller, settings);
  const toolboxes = settings.toolboxes.map(({ id }) => id);
  // Later versions of mcp-workbench have no growing list: clients call use_tool in every mode.
  const offered = settings.isWorkbench ? META_TOOLS : metaToolsFor({ mode, toolboxes });
  if (offered.length === 0) return undefined;
  const own = metaToolNamed(name, namesFor(caller, snapshot, settings), caller.as ?? settings.naming.as);
  const alias = own === undefined ? workbenchToolNamed(name) : undefined;
  const tool = own ?? (isToolName(name, caller, snapshot) ? undefined : alias);
  if (tool === undefined || !offered.includes(tool)) return undefined;
  return { tool, isWorkbench: settings.isWorkbench || alias !== undefined };
}

function isToolName(
  name: string,
  { profile, as }: Caller,
  { tools }: Pick<GatewaySnapshot, "tools">,
): boolean {
  return tools.namesFor(profile, as === undefined ? {} : { as }).toolNamed(name) !== undefined;
}

async function callMetaTool(
  { tool, isWorkbench }: OwnTool,
  args: JsonObject,
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const results = isWorkbench ? WORKBENCH_RESULTS : OWN_RESULTS;
  switch (tool) {
    case "list_toolboxes":
      return ownReply(results.list(toolboxesFor(call.caller, context)), call, context);
    case "open_toolbox":
      return openToolbox(args, call, context, results);
    case "close_toolbox":
      return ownReply(await closeToolbox(args, call.caller, context, results), call, context);
    case "find_tools":
      return ownReply(await findTools(args, call, context), call, context);
    case "use_tool":
      return useTool(args, call, context);
  }
}

function toolboxesFor(caller: Caller, context: GatewayContext): readonly ToolboxSummary[] {
  const { session } = caller;
  const view = context.latestView();
  const { toolboxes, mode } = context.settings();
  return toolboxes.map(({ id, description }) => {
    const isOpen =
      mode === "static" || (session === undefined ? context.toolboxes.isOpen(id) : session.toolboxes.has(id));
    const isKnown = view.snapshot.present.some((downstream) => downstream.id.toolbox === id);
    return {
      toolbox: id,
      description,
      servers: serversOf(id, context),
      tools: isKnown ? toolsOf(id, caller, view).length : undefined,
      isOpen,
    };
  });
}

async function openToolbox(
  args: JsonObject,
  call: RoutedRequest,
  context: GatewayContext,
  results: MetaResults,
): Promise<Reply> {
  const { caller } = call;
  const read = readToolboxArguments(args);
  if (!read.ok) return ownReply(formatFailure({ problem: read.problem }), call, context);
  const { toolbox } = read.value;
  const opening = await openFor(caller, toolbox, context);
  if (opening.outcome === "unknown") return ownReply(unknownToolbox(toolbox, context), call, context);
  if (opening.outcome === "failed") {
    const problem = explainFailed(opening.failed);
    const failure = formatFailure({ problem, toolbox, server: opening.failed[0]?.id.server });
    return ownReply(failure, call, context);
  }
  const view = await context.names.recordNames(caller);
  const missing = opening.failed.map((each) => ({ server: each.id.server, reason: reasonOf(each) }));
  return sendOpened({ toolbox, missing, results, view }, call, context);
}

interface Opened {
  readonly toolbox: string;
  readonly missing: OpenedToolbox["missing"];
  readonly results: MetaResults;
  readonly view: View;
}

/** Callers with the same names that see the same tools share the answer (SAFE-4). */
function sendOpened(
  { toolbox, missing, results, view }: Opened,
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const { caller } = call;
  const { snapshot, guard, texts } = view;
  const settings = context.settings();
  const table = snapshot.tableOf(caller);
  const visibility = guard.visibility(snapshot, caller);
  const about = {
    toolbox,
    description: settings.toolboxes.find(({ id }) => id === toolbox)?.description,
    connected: serversOf(toolbox, context) - missing.length,
    areListed: modeFor(caller, settings) !== "proxy",
    findTool: namesFor(caller, snapshot, settings).get("find_tools") ?? "find_tools",
    missing,
  };
  const hasSchemas = !about.areListed || results.repeatsSchemas;
  const steps = function* (): Steps<JsonObject> {
    const tools = toolsOf(toolbox, caller, view);
    const shown = yield* summarySteps(tools, { snapshot, table, visibility, hasSchemas });
    return yield* results.opened({ ...about, ...shown });
  };
  const key = ["opened", snapshot, table, visibility?.key, results, JSON.stringify(about)];
  return sharedReply({ key, steps, texts }, call, context);
}

async function closeToolbox(
  args: JsonObject,
  caller: Caller,
  context: GatewayContext,
  results: MetaResults,
): Promise<JsonObject> {
  const { session } = caller;
  const read = readToolboxArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { toolbox } = read.value;
  if (!context.settings().toolboxes.some(({ id }) => id === toolbox)) return unknownToolbox(toolbox, context);
  const wasOpen = context.toolboxes.close(toolbox, holderOf(caller));
  if (session !== undefined) {
    session.toolboxes.delete(toolbox);
    await context.changed(session);
  }
  return results.closed(toolbox, { wasOpen });
}

async function findTools(
  args: JsonObject,
  { caller, requestContext: { signal } }: RoutedRequest,
  context: GatewayContext,
): Promise<JsonObject> {
  const read = readFindToolsArguments(args);
  if (!read.ok) return formatFailure({ problem: read.problem });
  const { query, toolbox, limit } = read.value;
  if (toolbox !== undefined && !context.settings().toolboxes.some(({ id }) => id === toolbox))
    return unknownToolbox(toolbox, context);
  await context.waitForServers();
  const view = await context.names.recordNames(caller);
  const visibility = view.guard.visibility(view.snapshot, caller);
  const whom = { callerKey: caller.callerKey, signal };
  const found = await view.search(query, {
    limit,
    whom,
    accepts: (tool) =>
      visibility?.sees(tool) !== false && (toolbox === undefined || tool.toolbox === toolbox),
  });
  const unsearched = context
    .settings()
    .toolboxes.map(({ id }) => id)
    .filter((id) => (toolbox === undefined || toolbox === id) && !context.toolboxes.isOpen(id))
    .toSorted();
  const { snapshot } = view;
  const steps = function* (): Steps<JsonObject> {
    const options = { snapshot, table: snapshot.tableOf(caller), visibility, hasSchemas: true };
    return yield* formatFound(query, yield* summarySteps(found, options), unsearched);
  };
  return runInSlices(steps(), whom);
}

function serversOf(toolbox: string, context: GatewayContext): number {
  return context.settings().servers.filter(({ source }) => source.toolbox === toolbox).length;
}

function toolsOf(toolbox: string, caller: Caller, { snapshot, guard }: View): readonly Tool[] {
  const visibility = guard.visibility(snapshot, caller);
  return snapshot.tools.catalog.tools.filter(
    (tool) => tool.toolbox === toolbox && visibility?.sees(tool) !== false,
  );
}
