// Calls by former names: counted, logged, and answered with a notice that names the successor (LOCK-2).

import { extendMember } from "../../mcp/fast-path/unread-object.js";
import type { JsonObject } from "../../mcp/json.js";
import { changedReply, type Reply } from "../../mcp/message.js";
import type { GatewayContext } from "../gateway-context.js";
import { clientName } from "../observe/observation.js";
import type { RoutedRequest } from "../router.js";
import { recordedName } from "./call-audit.js";
import type { FoundTool } from "./sent-name.js";

/** Adds the notice to the reply if the name is deprecated. A former name that is still accepted is only counted. */
export function noteFormer(
  reply: Reply,
  found: FoundTool & { readonly kind: "found" },
  { params, caller, requestContext }: RoutedRequest,
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

function withNotice(reply: Reply, notice: JsonObject): Reply {
  if (reply.kind !== "result") return reply;
  const { result } = reply;
  return changedReply(result, { _meta: extendMember(result, "_meta", { "onym/deprecated": notice }) });
}
