// The approval request for a call, which the client shows to its user by elicitation (POL-3).

import { escapeText, quoteText } from "@onym/core";
import { explainDefinitionDiff } from "@onym/core/approvals";
import type { ServerRequest } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import type { CallDecision } from "../../policy/decide-call.js";
import type { TargetIdentity } from "../calls/guard.js";

export type ApprovalAnswer = "once" | "always" | "deny" | "dismissed";

const MAX_TEXT_LENGTH = 600;
const MAX_NAME = 200;
/** Limits the listed changes, so that the request itself stays visible. */
const MAX_CHANGES = 20;

/** Text from the server is untrusted, so it is escaped and truncated. */
export function buildApprovalRequest(
  { canonical, server, definition }: Pick<TargetIdentity, "canonical" | "server" | "definition">,
  decision: CallDecision & { readonly kind: "ask" },
  { digest, sent, args }: { readonly digest: string; readonly sent: string; readonly args: unknown },
): ServerRequest {
  const { description = "" } = definition;
  const message = [
    `Allow ${quoteText(canonical, MAX_NAME)} on server ${quoteText(server, MAX_NAME)}? It was called as ${quoteText(sent, MAX_NAME)}.`,
    ...(args === undefined ? [] : [`With ${escapeText(cut(JSON.stringify(args)))}`]),
    ...(decision.what.length > 0 ? ["It is no longer what was approved:", ...explainChanges(decision)] : []),
    ...(decision.reason === "expired" ? ["Its approval has expired."] : []),
    ...(decision.rule === "newTools"
      ? ["It was not there when its server, as configured now, was first seen."]
      : []),
    ...(description === ""
      ? []
      : [`It says of itself: ${escapeText(description.slice(0, MAX_TEXT_LENGTH))}`]),
    `Definition ${digest.slice(0, 12)}.`,
  ].join("\n");
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: {
        type: "object",
        properties: {
          decision: {
            type: "string",
            title: "Decision",
            enum: ["once", "always", "deny"],
            enumNames: ["This call only", "Always, while the tool stays as it is", "No"],
          },
        },
        required: ["decision"],
      },
    },
  };
}

function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)} …` : text;
}

function explainChanges({ what, diff }: CallDecision & { readonly kind: "ask" }): readonly string[] {
  const lines = diff === undefined ? [] : explainDefinitionDiff(diff);
  const left = lines.length - MAX_CHANGES;
  return [
    ...(what.includes("launch") ? ["its server is started or reached in another way"] : []),
    ...lines.slice(0, MAX_CHANGES),
    ...(left > 0 ? [`and ${left} more`] : []),
  ];
}

/** Only an explicit yes approves. */
export function readApprovalAnswer(reply: Reply): ApprovalAnswer {
  if (reply.kind !== "result") return "dismissed";
  const { action, content } = reply.result;
  if (action === "decline") return "deny";
  if (action !== "accept" || !isJsonObject(content)) return "dismissed";
  const { decision } = content;
  return decision === "once" || decision === "always" || decision === "deny" ? decision : "dismissed";
}

/** Whether the client supports form elicitation; an empty declaration means forms. */
export function canBeAsked(capabilities: JsonObject): boolean {
  const { elicitation } = capabilities;
  if (!isJsonObject(elicitation)) return false;
  return elicitation["form"] !== undefined || elicitation["url"] === undefined;
}
