// Calls by former names: counted, told of in the log, and answered with a notice that names the successor (LOCK-2).

import type { Resolution } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import { clientName } from "../client-name.js";
import type { GatewayContext } from "../gateway-context.js";
import type { FoundTool } from "./tool-call.js";

interface NamedCall {
  /** The name as it was sent. */
  readonly sent: string;
  readonly caller: Caller;
}

/** The reply to a call, with the notice where its name is on its way out. A name that is accepted is only counted. */
export function noteFormer(
  reply: Reply,
  found: FoundTool & { readonly kind: "found" },
  { sent, caller }: NamedCall,
  context: GatewayContext,
): Reply {
  const { tool, view, resolved } = found;
  if (resolved.successor === undefined) return reply;
  const { snapshot, guard } = view;
  const lineage = snapshot.tools.lineageOf(tool);
  guard.countFormer({ caller, sent, tool, lineage });
  const { warnings } = resolved;
  if (warnings.length === 0) return reply;
  context.log("warn", "a former name was called", {
    name: sent,
    canonical: tool.canonical,
    toolKey: lineage.key,
    client: clientName(caller),
  });
  return withNotice(reply, { warnings, successor: snapshot.tableOf(caller).nameOf(tool) });
}

/** Who calls a name after its window is still to be told of the new one. */
export function countRefused(
  resolution: Resolution,
  { sent, caller }: NamedCall,
  context: GatewayContext,
): void {
  if (resolution.outcome !== "retired" || resolution.successor === undefined) return;
  const { snapshot, guard } = context.view();
  const found = snapshot.tools.resolve(resolution.successor);
  if (found.outcome !== "resolved") return;
  guard.countFormer({ caller, sent, tool: found.tool, lineage: snapshot.tools.lineageOf(found.tool) });
}

function withNotice(reply: Reply, notice: JsonObject): Reply {
  if (reply.kind !== "result") return reply;
  const meta = isJsonObject(reply.result["_meta"]) ? reply.result["_meta"] : {};
  return { kind: "result", result: { ...reply.result, _meta: { ...meta, "onym/deprecated": notice } } };
}
