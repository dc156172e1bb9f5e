// Calls by former names: counted, logged, and answered with a notice that names the successor (LOCK-2).

import type { Resolution } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import { type Caller, clientName } from "../caller.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { type FoundTool, recordedName, type ToolCall } from "./tool-call.js";

/** Adds the notice to the reply if the name is deprecated. An accepted former name is only counted. */
export function noteFormer(
  reply: Reply,
  found: FoundTool & { readonly kind: "found" },
  { params, caller, requestContext }: ToolCall,
  context: GatewayContext,
): Reply {
  const { tool, view, resolved } = found;
  if (resolved.successor === undefined) return reply;
  const { snapshot, guard } = view;
  const sent = recordedName(params["name"]);
  const lineage = snapshot.tools.lineageOf(tool);
  guard.countFormer({ caller, sent, tool, lineage });
  const { warnings } = resolved;
  if (warnings.length === 0) return reply;
  context.log("warn", "a former name was called", {
    name: sent,
    canonical: tool.canonical,
    toolKey: lineage.key,
    client: clientName(caller),
    ...requestContext.observed?.facts,
  });
  return withNotice(reply, { warnings, successor: snapshot.tableOf(caller).nameOf(tool) });
}

/** Counts a call by a retired name: its users still need the new one. */
export function countRefused(
  resolution: Resolution,
  { sent, caller }: { readonly sent: string; readonly caller: Caller },
  { snapshot, guard }: View,
): void {
  if (resolution.outcome !== "retired" || resolution.successor === undefined) return;
  const found = snapshot.tools.resolve(resolution.successor);
  if (found.outcome !== "resolved") return;
  guard.countFormer({ caller, sent, tool: found.tool, lineage: snapshot.tools.lineageOf(found.tool) });
}

function withNotice(reply: Reply, notice: JsonObject): Reply {
  if (reply.kind !== "result") return reply;
  const meta = isJsonObject(reply.result["_meta"]) ? reply.result["_meta"] : {};
  return { kind: "result", result: { ...reply.result, _meta: { ...meta, "onym/deprecated": notice } } };
}
