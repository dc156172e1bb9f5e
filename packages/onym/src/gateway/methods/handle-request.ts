// Method → handler, for both eras. A method of the other era gets "method not found".

import { escapeText } from "@onym/core";
import type { RpcRequest } from "../../mcp/message.js";
import { CODES, isLogLevel } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import { callTool } from "../calls/call-tool.js";
import type { GatewayContext } from "../gateway-context.js";
import type { RequestContext } from "../router.js";
import { callOwnTool } from "../toolboxes/call-meta-tool.js";
import { listTools } from "./list-tools.js";
import { getPrompt, listPrompts } from "./prompts.js";
import { askResource, completeArgument, listResources, listTemplates } from "./resources.js";

export function handleRequest(
  { method, params = {}, argumentsText }: RpcRequest,
  { caller, requestContext }: { readonly caller: Caller; readonly requestContext: RequestContext },
  context: GatewayContext,
): Promise<Reply> | Reply {
  const call = { params, argumentsText, caller, requestContext };
  switch (method) {
    case "tools/call":
      return (hasOwnTools(context) ? callOwnTool(call, context) : undefined) ?? callTool(call, context);
    case "tools/list":
      return listTools(params, caller, context);
    case "prompts/list":
      return listPrompts(params, caller, context);
    case "prompts/get":
      return getPrompt(call, context);
    case "resources/list":
      return listResources(params, caller, context);
    case "resources/templates/list":
      return listTemplates(params, caller, context);
    case "resources/read":
      return askResource(method, call, context);
    case "completion/complete":
      return completeArgument(call, context);
  }
  const { session } = caller;
  if (session === undefined) return notFound(method);
  switch (method) {
    case "ping":
      return resultReply({});
    case "resources/subscribe":
    case "resources/unsubscribe":
      return askResource(method, call, context);
    case "logging/setLevel": {
      const { level } = params;
      if (!isLogLevel(level))
        return errorReply(CODES.invalidParams, 'logging/setLevel needs a known "level".');
      session.logLevel = level;
      return resultReply({});
    }
    default:
      return notFound(method);
  }
}

function notFound(method: string): Reply {
  return errorReply(CODES.methodNotFound, `Method not found: ${escapeText(method.slice(0, 200))}`);
}

/** Most gateways have none: no toolboxes, and a list that does not grow. */
function hasOwnTools(context: GatewayContext): boolean {
  const { toolboxes, mode } = context.settings();
  return toolboxes.length > 0 || mode !== "static";
}
