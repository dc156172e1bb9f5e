// tools/call on one page, from a name to its answer. The order is the security model.

import type { StructuredName } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import { completeResult } from "../forward/adapt-reply.js";
import type { GatewayContext } from "../gateway-context.js";
import { noteFormer } from "./former-calls.js";
import type { Forward, Guard, GuardedCall } from "./guard.js";
import { findPassthrough } from "./pass-through.js";
import { prepareCall } from "./prepare-call.js";
import { refuseCall } from "./refuse-name.js";
import { resolveTool } from "./resolve-tool.js";
import { contextOf, readToolName, recordedName } from "./sent-name.js";
import type { CallTarget, ToolCall } from "./tool-call.js";

export async function callTool(call: ToolCall, context: GatewayContext): Promise<Reply> {
  const { params, caller } = call;
  const { name, problem } = readCall(params);
  if (problem !== undefined) return errorReply(CODES.invalidParams, problem);
  const found = await resolveTool(name, (snapshot) => contextOf(params, snapshot), caller, context);
  if (found.kind === "found") {
    const reply = await runTool(found, call, context);
    return noteFormer(reply, found, { caller, sent: recordedName(params["name"]) }, context);
  }
  const passthrough = findPassthrough(found.resolution, call, context);
  return passthrough === undefined ? refuseCall(found, call, context) : runTool(passthrough, call, context);
}

/** Runs a tool that is known, if it may run. */
export async function runTool(target: CallTarget, call: ToolCall, context: GatewayContext): Promise<Reply> {
  const prepared = prepareCall(target, call, context);
  if (prepared.kind === "refused") return prepared.reply;
  const reply = await runGuarded(prepared.call, target.view.guard, prepared.forward);
  return call.caller.era === "legacy" ? reply : completed(reply, context);
}

/** Decide, ask where a rule says so, record, forward, record: for tools, prompts and resources alike (POL-4, POL-9). */
export function runGuarded(asked: GuardedCall, guard: Guard, forward: Forward): Promise<Reply> {
  return guard.attend(asked, async (call, decided) => {
    const decision = decided.kind === "ask" ? await guard.ask(call, decided) : decided;
    const intent = await guard.recordIntent(call, decision);
    if (intent.kind === "refused") return intent.reply;
    let reply: Reply | undefined;
    try {
      reply = await forward(call);
      return reply;
    } finally {
      guard.recordOutcome(intent, reply);
    }
  });
}

function readCall(
  params: JsonObject,
):
  | { readonly name: string | StructuredName; readonly problem?: never }
  | { readonly name?: never; readonly problem: string } {
  const name = readToolName(params["name"]);
  const { arguments: args = {} } = params;
  if (name === undefined) return { problem: 'tools/call needs a "name".' };
  return isJsonObject(args) ? { name } : { problem: '"arguments" must be an object.' };
}

/** A refusal of the guard is no downstream's, and says what it is here. */
function completed(reply: Reply, { serverInfo }: GatewayContext): Reply {
  if (reply.kind !== "result" || reply.result["resultType"] !== undefined) return reply;
  return resultReply(completeResult("tools/call", reply.result, serverInfo));
}
