// tools/call: resolve, forward with the raw name, answer. The order is the security model.

import { escapeText, type Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../rpc/json.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Desk } from "../desk.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { Exchange } from "../front.js";
import { checkParamHeaders, formatParamHeaders } from "../param-headers.js";
import { callMetaTool, findMetaTool } from "../toolboxes/call-meta-tool.js";
import { contextOf, readToolName, resolveTool } from "./resolve-tool.js";

export interface ToolCall {
  readonly params: JsonObject;
  readonly caller: Caller;
  readonly exchange: Exchange;
}

export async function callTool(call: ToolCall, desk: Desk): Promise<Reply> {
  const { params, caller } = call;
  const name = readToolName(params["name"]);
  if (name === undefined) return errorReply(CODES.invalidParams, 'tools/call needs a "name".');
  const args = params["arguments"];
  if (args !== undefined && !isJsonObject(args))
    return errorReply(CODES.invalidParams, '"arguments" must be an object.');
  const own = typeof name === "string" ? findMetaTool(name, caller, desk.settings()) : undefined;
  if (own !== undefined) return callMetaTool(own, args ?? {}, call, desk);
  const found = await resolveTool(name, contextOf(params, desk.sight().view), caller, desk);
  if (found.kind === "refused") {
    const fallback = found.resolution.outcome === "unknown" ? passthroughTo(desk) : undefined;
    return fallback === undefined || typeof name !== "string"
      ? found.refusal
      : forwardCall({ ...call, downstream: fallback, raw: name }, desk);
  }
  const { tool, resolved } = found;
  const reply = await callResolved(tool, call, desk);
  const { successor } = resolved;
  if (successor === undefined && resolved.warnings.length === 0) return reply;
  desk.log("warn", "a former name was called", {
    name: typeof name === "string" ? name : name.name,
    canonical: tool.canonical,
    client: String(caller.clientInfo?.["name"] ?? "unknown"),
  });
  return withNotice(reply, {
    warnings: resolved.warnings,
    successor: desk.sight().view.tableOf(caller).nameOf(tool),
  });
}

/** Calls a tool that is known. */
export function callResolved(tool: Tool, call: ToolCall, desk: Desk): Promise<Reply> | Reply {
  const { view } = desk.sight();
  const downstream = view.ownerOf(tool);
  if (downstream === undefined)
    return errorReply(CODES.internal, `The server of ${escapeText(tool.canonical)} is not connected.`);
  const declared = view.offerOf(downstream)?.headerParams.get(tool.raw) ?? [];
  const args = isJsonObject(call.params["arguments"]) ? call.params["arguments"] : {};
  if (declared.length === 0) return forwardCall({ ...call, downstream, raw: tool.raw }, desk);
  const { headers } = call.exchange;
  const mismatch =
    call.caller.era === "modern" && headers !== undefined
      ? checkParamHeaders(declared, args, headers)
      : undefined;
  if (mismatch !== undefined) return errorReply(CODES.headerMismatch, mismatch.message, mismatch.data);
  return forwardCall(
    { ...call, downstream, raw: tool.raw, headers: formatParamHeaders(declared, args) },
    desk,
  );
}

function forwardCall(
  call: ToolCall & {
    readonly downstream: Downstream;
    readonly raw: string;
    readonly headers?: readonly (readonly [string, string])[];
  },
  desk: Desk,
): Promise<Reply> {
  const { downstream, raw, params, caller, exchange, headers } = call;
  return forwardRequest(
    {
      downstream,
      method: "tools/call",
      params: { ...params, name: raw },
      asSent: params,
      caller,
      exchange,
      ...(headers === undefined ? {} : { headers }),
    },
    desk.forward,
  );
}

function passthroughTo(desk: Desk): Downstream | undefined {
  const { passthrough } = desk.settings();
  if (passthrough === undefined) return undefined;
  return desk
    .sight()
    .view.present.find(({ id }) => id.server === passthrough.server && id.toolbox === passthrough.toolbox);
}

/** Says in the result that the name is on its way out, and what to call instead (LOCK-2). */
function withNotice(reply: Reply, notice: JsonObject): Reply {
  if (reply.kind !== "result") return reply;
  const meta = isJsonObject(reply.result["_meta"]) ? reply.result["_meta"] : {};
  return { kind: "result", result: { ...reply.result, _meta: { ...meta, "onym/deprecated": notice } } };
}
