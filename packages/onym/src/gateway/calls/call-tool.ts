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
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { completeResult } from "../forward/adapt-reply.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import { checkParamHeaders, formatParamHeaders } from "../http/requests/param-headers.js";
import type { RequestContext } from "../router.js";
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
  readonly requestContext: RequestContext;
}

export function callTool(call: ToolCall, context: GatewayContext): Promise<Reply> | Reply {
  const { params, caller } = call;
  const name = readToolName(params["name"]);
  if (name === undefined) return errorReply(CODES.invalidParams, 'tools/call needs a "name".');
  const args = params["arguments"];
  if (args !== undefined && !isJsonObject(args))
    return errorReply(CODES.invalidParams, '"arguments" must be an object.');
  const { snapshot } = context.view();
  // Who says whose tool it calls by its raw name does not mean one of ours.
  const isOwn = typeof name === "string" && contextOf(params, snapshot)?.server === undefined;
  const own = isOwn ? findMetaTool(name, caller, context.settings(), snapshot) : undefined;
  if (own !== undefined) {
    describeOwnTool(call.requestContext.span, own.tool);
    return callMetaTool(own, args ?? {}, call, context);
  }
  const contextIn = (seen: GatewaySnapshot) => contextOf(params, seen);
  const now = typeof name === "string" ? resolveNow(name, contextIn, caller, context) : undefined;
  const isPlain =
    now !== undefined && now.resolved.successor === undefined && now.resolved.warnings.length === 0;
  return isPlain ? callResolved(now, call, context) : callAnyhow(name, call, context);
}

async function callAnyhow(
  name: string | StructuredName,
  call: ToolCall,
  context: GatewayContext,
): Promise<Reply> {
  const { params, caller } = call;
  const found = await resolveTool(name, (seen) => contextOf(params, seen), caller, context);
  if (found.kind === "refused") {
    const passed =
      found.resolution.outcome === "unknown" && typeof name === "string"
        ? passedThrough(name, call, context)
        : undefined;
    if (passed !== undefined) return callResolved(passed, call, context);
    const refused = { caller, sent: recordedName(params["name"]) };
    const { outcome } = found.resolution;
    context.view().guard.refuse({ ...refused, outcome, denied: found.denied });
    countRefused(found.resolution, refused, context);
    const { snapshot } = context.view();
    describeRefused(call.requestContext.span, {
      sent: refused.sent,
      outcome,
      denied: found.denied?.tool,
      snapshot,
    });
    return found.refusal;
  }
  const reply = await callResolved(found, call, context);
  return noteFormer(reply, found, { caller, sent: recordedName(params["name"]) }, context);
}

/** Calls a tool that is known. */
export function callResolved(
  { tool, snapshot }: { readonly tool: Tool; readonly snapshot: GatewaySnapshot },
  call: ToolCall,
  context: GatewayContext,
): Promise<Reply> | Reply {
  const { params, caller } = call;
  const sent = recordedName(params["name"]);
  describeTool(call.requestContext.span, { tool, snapshot, caller, sent });
  const downstream = snapshot.ownerOf(tool);
  if (downstream === undefined)
    return errorReply(
      CODES.internal,
      `The server ${quoteText(tool.server)} of ${escapeText(tool.canonical)} is not connected.`,
    );
  const { guard } = context.view();
  const declared = snapshot.offerOf(downstream)?.headerParamsOf(tool) ?? [];
  // Where arguments are read here, they are sent on as they were read: a member that is there twice has one meaning then.
  const argumentsText = declared.length > 0 || guard.keepsArguments ? undefined : call.argumentsText;
  const guarded = {
    params,
    argumentsText,
    caller,
    requestContext: call.requestContext,
    tool,
    lineage: snapshot.tools.lineageOf(tool),
    toolNow: () => context.view().snapshot.tools.catalog.toolWithKey(tool.key) ?? tool,
    launch: launchFingerprint(downstream.launch),
    sent,
  };
  const run = (headers?: readonly (readonly [string, string])[]): Promise<Reply> => {
    const forward: Forward = (requestContext, how) =>
      forwardRequest(
        {
          downstream,
          method: "tools/call",
          params: withName(params, tool.raw),
          argumentsText: how === "as-read" ? undefined : argumentsText,
          asSent: params,
          caller,
          requestContext,
          headers,
        },
        context.forward,
      );
    const reply = guard.run(guarded, inToolbox(tool.toolbox, forward, context));
    return caller.era === "legacy" ? reply : reply.then((each) => completed(each, context));
  };
  if (declared.length === 0) return run();
  const args = isJsonObject(call.params["arguments"]) ? call.params["arguments"] : {};
  const { headers } = call.requestContext;
  const mismatch =
    call.caller.era === "modern" && headers !== undefined
      ? checkParamHeaders(declared, args, headers)
      : undefined;
  if (mismatch !== undefined) return errorReply(CODES.headerMismatch, mismatch.message, mismatch.data);
  return run(formatParamHeaders(declared, args));
}

/** Nobody closes a toolbox under a call that runs in it. */
function inToolbox(toolbox: string | undefined, forward: Forward, { toolboxes }: GatewayContext): Forward {
  if (toolbox === undefined) return forward;
  return (requestContext, how) => {
    const end = toolboxes.use(toolbox);
    return forward(requestContext, how).finally(end);
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
  context: GatewayContext,
): { readonly tool: Tool; readonly snapshot: GatewaySnapshot } | undefined {
  const { passthrough, servers } = context.settings();
  if (passthrough === undefined) return undefined;
  const { server, toolbox } = passthrough;
  const isMeant = (one: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    one.server === server && one.toolbox === toolbox;
  if (servers.find(({ source }) => isMeant(source))?.admits(name) !== true) return undefined;
  const { snapshot, known: knownOf } = context.view();
  const { profile, as } = caller;
  const isUnknown = [snapshot, knownOf()].every(
    (each) =>
      each.tools.resolverFor(profile, as === undefined ? {} : { as })(name, contextOf(params, each))
        .outcome === "unknown",
  );
  const known = snapshot.tools.catalog.servers.find(isMeant);
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
  return { tool, snapshot };
}

/** A refusal of the guard is no downstream's, and says what it is here. */
function completed(reply: Reply, { serverInfo }: GatewayContext): Reply {
  if (reply.kind !== "result" || reply.result["resultType"] !== undefined) return reply;
  return resultReply(completeResult("tools/call", reply.result, serverInfo));
}
