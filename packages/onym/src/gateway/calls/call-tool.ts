// tools/call: resolve, forward with the raw name, answer. The order is the security model.

import {
  escapeText,
  formatCanonicalName,
  quoteText,
  type StructuredName,
  type Tool,
  toolKeyOf,
} from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import { launchFingerprint } from "../../model/launch.js";
import type { Caller } from "../caller.js";
import type { View } from "../catalog/gateway-snapshot.js";
import { completeResult } from "../forward/adapt-reply.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { Desk } from "../gateway-context.js";
import { checkParamHeaders, formatParamHeaders } from "../http/requests/param-headers.js";
import type { Exchange } from "../router.js";
import { callMetaTool, findMetaTool } from "../toolboxes/call-meta-tool.js";
import { describeOwnTool, describeRefused, describeTool } from "../tracing/describe-request.js";
import { countRefused, noteFormer } from "./former-calls.js";
import type { Forward } from "./guard.js";
import { contextOf, readToolName, resolveNow, resolveTool } from "./resolve-tool.js";
import { recordedName } from "./sent-name.js";

export interface ToolCall {
  readonly params: JsonObject;
  /** The `arguments` among them as they came. */
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly exchange: Exchange;
}

export function callTool(call: ToolCall, desk: Desk): Promise<Reply> | Reply {
  const { params, caller } = call;
  const name = readToolName(params["name"]);
  if (name === undefined) return errorReply(CODES.invalidParams, 'tools/call needs a "name".');
  const args = params["arguments"];
  if (args !== undefined && !isJsonObject(args))
    return errorReply(CODES.invalidParams, '"arguments" must be an object.');
  const { view } = desk.sight();
  // Who says whose tool it calls by its raw name does not mean one of ours.
  const isOwn = typeof name === "string" && contextOf(params, view)?.server === undefined;
  const own = isOwn ? findMetaTool(name, caller, desk.settings(), view) : undefined;
  if (own !== undefined) {
    describeOwnTool(call.exchange.span, own.tool);
    return callMetaTool(own, args ?? {}, call, desk);
  }
  const contextIn = (seen: View) => contextOf(params, seen);
  const now = typeof name === "string" ? resolveNow(name, contextIn, caller, desk) : undefined;
  const isPlain =
    now !== undefined && now.resolved.successor === undefined && now.resolved.warnings.length === 0;
  return isPlain ? callResolved(now, call, desk) : callAnyhow(name, call, desk);
}

async function callAnyhow(name: string | StructuredName, call: ToolCall, desk: Desk): Promise<Reply> {
  const { params, caller } = call;
  const found = await resolveTool(name, (seen) => contextOf(params, seen), caller, desk);
  if (found.kind === "refused") {
    const passed =
      found.resolution.outcome === "unknown" && typeof name === "string"
        ? passedThrough(name, call, desk)
        : undefined;
    if (passed !== undefined) return callResolved(passed, call, desk);
    const refused = { caller, sent: recordedName(params["name"]) };
    const { outcome } = found.resolution;
    desk.sight().guard.refuse({ ...refused, outcome, denied: found.denied });
    countRefused(found.resolution, refused, desk);
    const { view } = desk.sight();
    describeRefused(call.exchange.span, { sent: refused.sent, outcome, denied: found.denied?.tool, view });
    return found.refusal;
  }
  const reply = await callResolved(found, call, desk);
  return noteFormer(reply, found, { caller, sent: recordedName(params["name"]) }, desk);
}

/** Calls a tool that is known. */
export function callResolved(
  { tool, view }: { readonly tool: Tool; readonly view: View },
  call: ToolCall,
  desk: Desk,
): Promise<Reply> | Reply {
  const { params, caller } = call;
  const sent = recordedName(params["name"]);
  describeTool(call.exchange.span, { tool, view, caller, sent });
  const downstream = view.ownerOf(tool);
  if (downstream === undefined)
    return errorReply(
      CODES.internal,
      `The server ${quoteText(tool.server)} of ${escapeText(tool.canonical)} is not connected.`,
    );
  const { guard } = desk.sight();
  const declared = view.offerOf(downstream)?.headerParamsOf(tool) ?? [];
  // Where arguments are read here, they are sent on as they were read: a member that is there twice has one meaning then.
  const argumentsText = declared.length > 0 || guard.keepsArguments ? undefined : call.argumentsText;
  const guarded = {
    params,
    argumentsText,
    caller,
    exchange: call.exchange,
    tool,
    lineage: view.tools.lineageOf(tool),
    toolNow: () => desk.sight().view.tools.catalog.toolWithKey(tool.key) ?? tool,
    launch: launchFingerprint(downstream.launch),
    sent,
  };
  const run = (headers?: readonly (readonly [string, string])[]): Promise<Reply> => {
    const forward: Forward = (exchange, how) =>
      forwardRequest(
        {
          downstream,
          method: "tools/call",
          params: withName(params, tool.raw),
          argumentsText: how === "as-read" ? undefined : argumentsText,
          asSent: params,
          caller,
          exchange,
          headers,
        },
        desk.forward,
      );
    const reply = guard.run(guarded, inToolbox(tool.toolbox, forward, desk));
    return caller.era === "legacy" ? reply : reply.then((each) => completed(each, desk));
  };
  if (declared.length === 0) return run();
  const args = isJsonObject(call.params["arguments"]) ? call.params["arguments"] : {};
  const { headers } = call.exchange;
  const mismatch =
    call.caller.era === "modern" && headers !== undefined
      ? checkParamHeaders(declared, args, headers)
      : undefined;
  if (mismatch !== undefined) return errorReply(CODES.headerMismatch, mismatch.message, mismatch.data);
  return run(formatParamHeaders(declared, args));
}

/** Nobody closes a toolbox under a call that runs in it. */
function inToolbox(toolbox: string | undefined, forward: Forward, { toolboxes }: Desk): Forward {
  if (toolbox === undefined) return forward;
  return (exchange, how) => {
    const end = toolboxes.use(toolbox);
    return forward(exchange, how).finally(end);
  };
}

/** The usual shape first: to copy an object of any shape costs more than all else here. */
function withName(params: JsonObject, name: string): JsonObject {
  const { arguments: args } = params;
  return args !== undefined && Object.keys(params).length === 2
    ? { name, arguments: args }
    : { ...params, name };
}

/**
 * A name that no tool has, as a tool of the one downstream that gets such calls (RES-3). It is decided and recorded as
 * any. The name of a tool that is denied, closed, down or filtered out is known, and is not passed on.
 */
function passedThrough(
  name: string,
  { params, caller }: ToolCall,
  desk: Desk,
): { readonly tool: Tool; readonly view: View } | undefined {
  const { passthrough, servers } = desk.settings();
  if (passthrough === undefined) return undefined;
  const { server, toolbox } = passthrough;
  const isMeant = (one: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    one.server === server && one.toolbox === toolbox;
  if (servers.find(({ source }) => isMeant(source))?.admits(name) !== true) return undefined;
  const { view, known: knownOf } = desk.sight();
  const { profile, as } = caller;
  const isUnknown = [view, knownOf()].every(
    (each) =>
      each.tools.resolverFor(profile, as === undefined ? {} : { as })(name, contextOf(params, each))
        .outcome === "unknown",
  );
  const known = view.tools.catalog.servers.find(isMeant);
  if (!isUnknown || known === undefined) return undefined;
  const { integration, version, label } = known;
  const parts = { toolbox, integration, integrationVersion: version, tool: name, toolVersion: 1 };
  const tool: Tool = {
    key: toolKeyOf({ server, toolbox, raw: name }),
    server,
    toolbox,
    raw: name,
    canonical: formatCanonicalName(parts),
    integration,
    integrationVersion: version,
    toolName: name,
    toolVersion: 1,
    label,
    definition: {},
  };
  return { tool, view };
}

/** A refusal of the guard is no downstream's, and says what it is here. */
function completed(reply: Reply, { serverInfo }: Desk): Reply {
  if (reply.kind !== "result" || reply.result["resultType"] !== undefined) return reply;
  return resultReply(completeResult("tools/call", reply.result, serverInfo));
}
