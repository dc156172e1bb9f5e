// A refused call as a tool result that tells the model what to do next.

import { escapeText } from "@onym/core";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { Caller } from "../caller.js";
import type { GuardedCall, GuardedItem, RefusedDecision } from "./guard.js";

/** @param config What to add to a command so that it is about this gateway's config, where that is not the usual one. */
export function refusedResult(call: GuardedCall, refusal: RefusedDecision, config?: string): Reply {
  const { target, sent } = call;
  // Only callers on this machine can use a path of it.
  const named = config !== undefined && call.caller.principal === LOCAL_PRINCIPAL ? ` ${config}` : "";
  if (target.kind !== "tool") return refusedItem(call, target, refusal, named);
  // A denied tool looks like an unknown one, wherever the denial is found (GW-6).
  if (refusal.kind === "deny" && refusal.reason === "policy")
    return errorReply(CODES.invalidParams, `Unknown tool: ${escapeText(sent.slice(0, 300))}`, {
      suggestions: [],
    });
  const text = `${escapeText(target.identity.canonical)} was not called: ${explainRefusal(refusal, named)}`;
  return resultReply({
    content: [{ type: "text", text }],
    isError: true,
    _meta: {
      "onym/decision": refusal.kind,
      "onym/rule": refusal.rule,
      ...(refusal.full && { "onym/limit": refusal.full.limit, "onym/max": refusal.full.max }),
    },
  });
}

/** resources/read and prompts/get have no error result like tools/call, so these are JSON-RPC errors. */
function refusedItem(
  { sent, caller }: GuardedCall,
  { kind, identity }: GuardedItem,
  refusal: RefusedDecision,
  named: string,
): Reply {
  if (refusal.kind === "deny" && refusal.reason === "policy")
    return kind === "prompt" ? unknownPrompt(sent, []) : resourceNotFound(sent, caller);
  const data = { decision: refusal.kind, rule: refusal.rule, ...refusal.full };
  return errorReply(
    CODES.invalidRequest,
    `${escapeText(identity.canonical.slice(0, 300))} was not opened: ${explainRefusal(refusal, named)}`,
    data,
  );
}

/** The same reply for an unknown prompt and for a hidden one (GW-6). */
export function unknownPrompt(sent: string, suggestions: readonly string[]): Reply {
  return errorReply(CODES.invalidParams, `Unknown prompt: ${escapeText(sent.slice(0, 300))}`, {
    suggestions,
  });
}

export function resourceNotFound(uri: string, { era }: Pick<Caller, "era">): Reply {
  const code = era === "modern" ? CODES.invalidParams : CODES.resourceNotFound;
  return errorReply(code, `Resource not found: ${escapeText(uri.slice(0, 300))}`, { uri });
}

function explainRefusal(refusal: RefusedDecision, named: string): string {
  if (refusal.kind === "deny")
    return refusal.reason === "gone"
      ? "its server no longer offers it. List what there is again."
      : "it is not allowed here.";
  if (refusal.full !== undefined) {
    const { limit, max } = refusal.full;
    const whose = limit === "callerApprovals" ? " of this caller" : "";
    return `it needs approval (${explainReason(refusal)}), and ${max} requests${whose} wait for approval already. An operator has to decide some of them first: onym approvals${named}.`;
  }
  const how = refusal.pending === undefined ? "onym approve" : `onym approve ${refusal.pending}`;
  return `it needs approval (${explainReason(refusal)}). An operator can give it: onym approvals${named}, then ${how}${named}.`;
}

function explainReason({ reason, what, rule }: RefusedDecision & { readonly kind: "ask" }): string {
  if (reason === "undecided" && rule === "newTools")
    return "new: it was not there when its server, as configured now, was first seen";
  if (reason !== "changed") return reason;
  return `changed since it was approved: ${what.map((part) => (part === "launch" ? "how its server is started" : "its definition")).join(" and ")}`;
}
