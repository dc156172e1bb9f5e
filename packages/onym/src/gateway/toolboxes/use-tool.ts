// use_tool: calls a tool that is not in the caller's list, and opens its toolbox for that (GW-10, GW-11).

import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { recordedName } from "../calls/call-audit.js";
import { runTool } from "../calls/call-tool.js";
import { noteFormer } from "../calls/note-former.js";
import { recordRefusedName } from "../calls/refuse-name.js";
import { resolveTool } from "../calls/resolve-tool.js";
import type { FoundTool } from "../calls/sent-name.js";
import type { GatewayContext } from "../gateway-context.js";
import type { RoutedRequest } from "../router.js";
import { isClosedTo, toolboxIn } from "./closed-toolbox.js";
import { openFor } from "./create-toolboxes.js";
import { formatFailure } from "./format-meta-results.js";
import { explainFailed, ownReply, unknownToolbox } from "./own-reply.js";
import { readUseToolArguments, type UseToolArguments } from "./read-meta-arguments.js";

export async function useTool(
  args: JsonObject,
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const read = readUseToolArguments(args);
  if (!read.ok) return ownReply(formatFailure({ problem: read.problem }), call, context);
  const { name, server, toolbox } = read.value;
  const places = { toolbox, server, tool: name };
  const box = toolbox ?? boxOf(name, server, context);
  if (box !== undefined && isClosedTo(call.caller, box, context)) {
    const opening = await openFor(call.caller, box, context);
    if (opening.outcome === "unknown") return ownReply(unknownToolbox(box, context), call, context);
    if (opening.outcome === "failed")
      return ownReply(
        formatFailure({
          problem: explainFailed(opening.failed),
          ...places,
          toolbox: box,
        }),
        call,
        context,
      );
  }
  const found = await resolveTarget(read.value, call, context);
  call.requestContext.observed?.resolved(found, recordedName(name));
  if (found.kind === "refused") {
    const { refusal } = found;
    const problem = refusal.kind === "error" ? refusal.error.message : "Unknown tool.";
    recordRefusedName(found, { caller: call.caller, sent: recordedName(name) });
    return ownReply(
      formatFailure({
        problem,
        ...places,
        ...hintFor(context),
      }),
      call,
      context,
    );
  }
  // The headers repeat the arguments of use_tool, not those of the called tool.
  const requestContext = { ...call.requestContext, headers: undefined };
  const params = { ...call.params, name, arguments: read.value.arguments };
  const used = { ...call, requestContext, params };
  const reply = await runTool(found, used, context);
  if (reply.kind !== "error") return noteFormer(reply, found, used, context);
  const { tool } = found;
  return ownReply(
    formatFailure({
      problem: reply.error.message,
      toolbox: tool.toolbox,
      server: tool.server,
      tool: tool.raw,
    }),
    call,
    context,
  );
}

/** A hint to closed toolboxes: their tools are unknown. */
function hintFor(context: GatewayContext): { hint?: string } {
  const closed = context
    .settings()
    .toolboxes.map(({ id }) => id)
    .filter((id) => !context.toolboxes.isOpen(id));
  if (closed.length === 0) return {};
  const boxes = closed.toSorted().join(", ");
  return { hint: `If it is in a toolbox that is not open (${boxes}), give "toolbox" too.` };
}

/**
 * A raw name with its server, or any name; beside a server, a listed name of that server also works (BOX-9).
 */
async function resolveTarget(
  { name, server, toolbox }: UseToolArguments,
  { caller }: RoutedRequest,
  context: GatewayContext,
): Promise<FoundTool> {
  const resolveContext = toolbox === undefined ? undefined : { toolbox };
  const contextIn = () => resolveContext;
  if (server === undefined) return resolveTool({ name, contextIn, caller }, context);
  const parts = { server, name, ...(toolbox === undefined ? {} : { toolbox }) };
  const byParts = await resolveTool({ name: parts, contextIn, caller }, context);
  if (byParts.kind === "found") return byParts;
  const byName = await resolveTool({ name, contextIn, caller }, context);
  const isMeant =
    byName.kind === "found" &&
    byName.tool.server === server &&
    (toolbox === undefined || byName.tool.toolbox === toolbox);
  return isMeant ? byName : byParts;
}

/**
 * The toolbox of a target whose tools are not known yet: by the first part of the name (BOX-1), or by the
 * server if only one toolbox has it.
 */
function boxOf(name: string, server: string | undefined, context: GatewayContext): string | undefined {
  const { toolboxes, servers } = context.settings();
  const ids = toolboxes.map(({ id }) => id);
  const named = ids.find((id) => name.startsWith(`${id}__`)) ?? toolboxIn(name, ids);
  if (named !== undefined || server === undefined) return named;
  const [only, other] = servers.filter(({ source }) => source.server === server);
  return other === undefined ? only?.source.toolbox : undefined;
}
