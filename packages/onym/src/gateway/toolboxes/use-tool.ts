// use_tool: calls a tool that the caller cannot see in its list, and opens its toolbox for that (GW-10, GW-11).

import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import { callResolved, type ToolCall } from "../calls/call-tool.js";
import { countRefused, noteFormer } from "../calls/former-calls.js";
import { type FoundTool, resolveTool } from "../calls/resolve-tool.js";
import { recordedName } from "../calls/sent-name.js";
import type { Desk } from "../gateway-context.js";
import { isClosedTo, toolboxIn } from "./closed-toolbox.js";
import { openFor } from "./create-toolboxes.js";
import { formatFailure } from "./format-meta-results.js";
import { explainFailed, ownReply, unknownToolbox } from "./own-reply.js";
import { readUseToolArguments, type UseToolArguments } from "./read-meta-arguments.js";

export async function useTool(args: JsonObject, call: ToolCall, desk: Desk): Promise<Reply> {
  const read = readUseToolArguments(args);
  if (!read.ok) return ownReply(formatFailure({ problem: read.problem }), call, desk);
  const { name, server, toolbox } = read.value;
  const places = { toolbox, server, tool: name };
  const box = toolbox ?? boxOf(name, server, desk);
  if (box !== undefined && isClosedTo(call.caller, box, desk)) {
    const opening = await openFor(call.caller, box, desk);
    if (opening.outcome === "unknown") return ownReply(unknownToolbox(box, desk), call, desk);
    if (opening.outcome === "failed")
      return ownReply(
        formatFailure({
          problem: explainFailed(opening.failed),
          ...places,
          toolbox: box,
        }),
        call,
        desk,
      );
  }
  const found = await resolveTarget(read.value, call, desk);
  if (found.kind === "refused") {
    const { refusal } = found;
    const problem = refusal.kind === "error" ? refusal.error.message : "Unknown tool.";
    const refused = { caller: call.caller, sent: recordedName(name) };
    desk.sight().guard.refuse({ ...refused, outcome: found.resolution.outcome, denied: found.denied });
    countRefused(found.resolution, refused, desk);
    return ownReply(
      formatFailure({
        problem,
        ...places,
        ...hintFor(desk),
      }),
      call,
      desk,
    );
  }
  // The headers repeat the arguments of use_tool, not those of the tool it uses.
  const exchange = { ...call.exchange, headers: undefined };
  const params = { ...call.params, name, arguments: read.value.arguments };
  const reply = await callResolved(found, { ...call, exchange, params }, desk);
  if (reply.kind !== "error")
    return noteFormer(reply, found, { caller: call.caller, sent: recordedName(name) }, desk);
  const { tool } = found;
  return ownReply(
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

/** Where else it may be: the tools of a closed toolbox are not known. */
function hintFor(desk: Desk): { hint?: string } {
  const closed = desk
    .settings()
    .toolboxes.map(({ id }) => id)
    .filter((id) => !desk.toolboxes.isOpen(id));
  if (closed.length === 0) return {};
  const boxes = closed.toSorted().join(", ");
  return { hint: `If it is in a toolbox that is not open (${boxes}), give "toolbox" too.` };
}

/** A raw name with its server, or any name; beside a server, a listed name of that same server is as good (BOX-9). */
async function resolveTarget(
  { name, server, toolbox }: UseToolArguments,
  { caller }: ToolCall,
  desk: Desk,
): Promise<FoundTool> {
  const context = toolbox === undefined ? undefined : { toolbox };
  if (server === undefined) return resolveTool(name, () => context, caller, desk);
  const parts = { server, name, ...(toolbox === undefined ? {} : { toolbox }) };
  const byParts = await resolveTool(parts, () => context, caller, desk);
  if (byParts.kind === "found") return byParts;
  const byName = await resolveTool(name, () => context, caller, desk);
  const isMeant =
    byName.kind === "found" &&
    byName.tool.server === server &&
    (toolbox === undefined || byName.tool.toolbox === toolbox);
  return isMeant ? byName : byParts;
}

/**
 * The toolbox that is meant, where its tools are not known yet: by the first part of the name (BOX-1), or by the server
 * where only one toolbox has it.
 */
function boxOf(name: string, server: string | undefined, desk: Desk): string | undefined {
  const { toolboxes, servers } = desk.settings();
  const ids = toolboxes.map(({ id }) => id);
  const named = ids.find((id) => name.startsWith(`${id}__`)) ?? toolboxIn(name, ids);
  if (named !== undefined || server === undefined) return named;
  const [only, other] = servers.filter(({ source }) => source.server === server);
  return other === undefined ? only?.source.toolbox : undefined;
}
