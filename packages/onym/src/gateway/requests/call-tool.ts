// tools/call: resolve, forward with the raw name, answer. The order is the security model.

import { escapeText, quoteText, type Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../rpc/json.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import { clientName } from "../client-name.js";
import type { Desk } from "../desk.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { Exchange } from "../front.js";
import { checkParamHeaders, formatParamHeaders } from "../param-headers.js";
import { callMetaTool, findMetaTool } from "../toolboxes/call-meta-tool.js";
import type { View } from "../view/view.js";
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
  const { view } = desk.sight();
  // Who says whose tool it calls by its raw name does not mean one of ours.
  const isOwn = typeof name === "string" && contextOf(params, view)?.server === undefined;
  const own = isOwn ? findMetaTool(name, caller, desk.settings(), view) : undefined;
  if (own !== undefined) return callMetaTool(own, args ?? {}, call, desk);
  const found = await resolveTool(name, (seen) => contextOf(params, seen), caller, desk);
  if (found.kind === "refused") {
    const fallback = found.resolution.outcome === "unknown" ? passthroughTo(desk) : undefined;
    return fallback === undefined || typeof name !== "string"
      ? found.refusal
      : forwardCall({ ...call, downstream: fallback, raw: name }, desk);
  }
  const reply = await callResolved(found, call, desk);
  const { tool, resolved } = found;
  if (resolved.successor === undefined && resolved.warnings.length === 0) return reply;
  desk.log("warn", "a former name was called", {
    name: typeof name === "string" ? name : name.name,
    canonical: tool.canonical,
    client: clientName(caller),
  });
  return withNotice(reply, {
    warnings: resolved.warnings,
    successor: found.view.tableOf(caller).nameOf(tool),
  });
}

/** Calls a tool that is known. */
export function callResolved(
  { tool, view }: { readonly tool: Tool; readonly view: View },
  call: ToolCall,
  desk: Desk,
): Promise<Reply> | Reply {
  const downstream = view.ownerOf(tool);
  if (downstream === undefined)
    return errorReply(
      CODES.internal,
      `The server ${quoteText(tool.server)} of ${escapeText(tool.canonical)} is not connected.`,
    );
  const declared = view.offerOf(downstream)?.headerParamsOf(tool) ?? [];
  if (declared.length === 0) return forwardCall({ ...call, downstream, raw: tool.raw }, desk);
  const args = isJsonObject(call.params["arguments"]) ? call.params["arguments"] : {};
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
