// A call that was not allowed to run, told to the model as a result that says what can be done.

import { escapeText, type Tool } from "@onym/core";
import type { CallDecision } from "../../policy/decide-call.js";
import { type Reply, resultReply } from "../../rpc/reply.js";

export function refusedResult(tool: Tool, decision: CallDecision & { readonly kind: "ask" | "deny" }): Reply {
  const name = escapeText(tool.canonical);
  const text =
    decision.kind === "deny"
      ? `${name} was not called: it is not allowed here.`
      : `${name} was not called: it needs approval (${decision.reason}). An operator can give it: onym approvals, then onym approve.`;
  return resultReply({
    content: [{ type: "text", text }],
    isError: true,
    _meta: { "onym/decision": decision.kind, "onym/rule": decision.rule },
  });
}
