// The records of a call: what is known of it before it runs, and what it came to (POL-4).

import { createHash } from "node:crypto";
import { canonicalJson, definitionDigest } from "@onym/core";
import { isJsonObject } from "../../rpc/json.js";
import type { Reply } from "../../rpc/reply.js";
import type { AuditRecord } from "../../store/store.js";
import type { Caller } from "../caller.js";
import type { GuardedCall } from "./guard.js";

/** A record with nothing decided yet. */
export function blankRecord(input: {
  readonly call: string;
  readonly caller: Caller;
  readonly sent: string;
  readonly at: number;
}): AuditRecord {
  const { call, caller, sent, at } = input;
  return {
    kind: "refusal",
    at,
    call,
    caller: caller.principal,
    profile: caller.profile.id,
    sent,
    tool: undefined,
    canonical: undefined,
    rule: undefined,
    decision: undefined,
    definition: undefined,
    argumentsDigest: undefined,
    arguments: undefined,
    outcome: undefined,
    ms: undefined,
  };
}

/** What the call is about. Arguments are a digest unless they are to be kept. */
export function callFacts(
  { tool, params }: GuardedCall,
  keepArguments: boolean,
): Pick<AuditRecord, "tool" | "canonical" | "definition" | "argumentsDigest" | "arguments"> {
  const args = params["arguments"] ?? {};
  return {
    tool: tool.key,
    canonical: tool.canonical,
    definition: definitionDigest(tool.definition),
    argumentsDigest: createHash("sha256").update(canonicalJson(args)).digest("hex"),
    arguments: keepArguments ? args : undefined,
  };
}

export function outcomeOf(reply: Reply): string {
  if (reply.kind === "error") return `error ${reply.error.code}`;
  if (reply.kind === "json") return "result";
  if (reply.result["isError"] === true) return "tool error";
  return reply.result["resultType"] === "input_required" ? "input required" : "result";
}

/** The state of a call that asks back, where it does. */
export function askedBackState(reply: Reply): string | undefined {
  if (reply.kind !== "result" || reply.result["resultType"] !== "input_required") return undefined;
  const { requestState: state } = reply.result;
  return typeof state === "string" ? state : undefined;
}

/** The same for the same call by the same caller: what a grant is good for. */
export function grantKey({ caller, tool, launch, params }: GuardedCall): string {
  const args = isJsonObject(params["arguments"]) ? params["arguments"] : {};
  return canonicalJson([caller.principal, tool.key, launch, definitionDigest(tool.definition), args]);
}
