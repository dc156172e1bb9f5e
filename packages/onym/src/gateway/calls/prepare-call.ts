// A tool and a call → what is decided about, and how it is sent: with the raw name, and with the headers that the tool
// wants its arguments repeated in.

import { escapeText, quoteText } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import { launchFingerprint } from "../../model/launch.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import { checkParamHeaders, formatParamHeaders } from "../http/requests/param-headers.js";
import { describeTool } from "../tracing/describe-request.js";
import type { Forward, GuardedCall } from "./guard.js";
import { recordedName } from "./sent-name.js";
import type { CallTarget, ToolCall } from "./tool-call.js";

export type PreparedCall =
  | { readonly kind: "ready"; readonly call: GuardedCall; readonly forward: Forward }
  | { readonly kind: "refused"; readonly reply: Reply };

export function prepareCall(
  { tool, view }: CallTarget,
  { params, argumentsText, caller, requestContext }: ToolCall,
  context: GatewayContext,
): PreparedCall {
  const { snapshot, guard } = view;
  const sent = recordedName(params["name"]);
  describeTool(requestContext.span, { tool, snapshot, caller, sent });
  const downstream = snapshot.ownerOf(tool);
  if (downstream === undefined)
    return refused(
      errorReply(
        CODES.internal,
        `The server ${quoteText(tool.server)} of ${escapeText(tool.canonical)} is not connected.`,
      ),
    );
  const declared = snapshot.offerOf(downstream)?.headerParamsOf(tool) ?? [];
  const args = isJsonObject(params["arguments"]) ? params["arguments"] : {};
  const mismatch =
    declared.length > 0 && caller.era === "modern" && requestContext.headers !== undefined
      ? checkParamHeaders(declared, args, requestContext.headers)
      : undefined;
  if (mismatch !== undefined)
    return refused(errorReply(CODES.headerMismatch, mismatch.message, mismatch.data));
  const headers = declared.length === 0 ? undefined : formatParamHeaders(declared, args);
  const forward: Forward = (call) =>
    forwardRequest(
      {
        downstream,
        method: "tools/call",
        params: withName(params, tool.raw),
        argumentsText: call.argumentsText,
        asSent: params,
        caller,
        requestContext: call.requestContext,
        headers,
      },
      context.forward,
    );
  return {
    kind: "ready",
    call: {
      params,
      // Where arguments are read here, they are sent on as they were read: a member that is there twice has one meaning
      // then.
      argumentsText: declared.length > 0 || guard.keepsArguments ? undefined : argumentsText,
      caller,
      requestContext,
      tool,
      lineage: snapshot.tools.lineageOf(tool),
      toolNow: () => context.view().snapshot.tools.catalog.toolWithKey(tool.key) ?? tool,
      launch: launchFingerprint(downstream.launch),
      sent,
    },
    forward: inToolbox(tool.toolbox, forward, context),
  };
}

function refused(reply: Reply): PreparedCall {
  return { kind: "refused", reply };
}

/** Nobody closes a toolbox under a call that runs in it. */
function inToolbox(toolbox: string | undefined, forward: Forward, { toolboxes }: GatewayContext): Forward {
  if (toolbox === undefined) return forward;
  return (call) => {
    const end = toolboxes.use(toolbox);
    return forward(call).finally(end);
  };
}

/** The usual shape first: to copy an object of any shape costs more than all else here. */
function withName(params: JsonObject, name: string): JsonObject {
  const { arguments: args } = params;
  return args !== undefined && Object.keys(params).length === 2
    ? { name, arguments: args }
    : { ...params, name };
}
