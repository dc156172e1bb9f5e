// tools/call on one page, from a name to its answer. The order is the security model.

import type { StructuredName } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import { completeResult } from "../forward/adapt-reply.js";
import type { GatewayContext } from "../gateway-context.js";
import type { RequestContext } from "../router.js";
import { callMetaTool, findMetaTool } from "../toolboxes/call-meta-tool.js";
import { describeOwnTool } from "../tracing/describe-request.js";
import { noteFormer } from "./former-calls.js";
import type { Forward, Guard, GuardedCall } from "./guard.js";
import { findPassthrough } from "./pass-through.js";
import { prepareCall } from "./prepare-call.js";
import { refuseCall } from "./refuse-name.js";
import { type FoundTool, resolveTool } from "./resolve-tool.js";
import { contextOf, readToolName, recordedName } from "./sent-name.js";

export interface ToolCall {
  readonly params: JsonObject;
  /** The `arguments` among them as they came. */
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
}

/** A tool, and the view in which it was found and is called. */
export type CallTarget = Pick<Extract<FoundTool, { readonly kind: "found" }>, "tool" | "view">;

export async function callTool(call: ToolCall, context: GatewayContext): Promise<Reply> {
  const { params, caller } = call;
  const { name, args, problem } = readCall(params);
  if (problem !== undefined) return errorReply(CODES.invalidParams, problem);
  const own = findOwnTool(name, call, context);
  if (own !== undefined) return callMetaTool(own, args, call, context);
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

type ReadCall =
  | { readonly name: string | StructuredName; readonly args: JsonObject; readonly problem?: never }
  | { readonly name?: never; readonly args?: never; readonly problem: string };

function readCall(params: JsonObject): ReadCall {
  const name = readToolName(params["name"]);
  const { arguments: args = {} } = params;
  if (name === undefined) return { problem: 'tools/call needs a "name".' };
  return isJsonObject(args) ? { name, args } : { problem: '"arguments" must be an object.' };
}

/** A tool of the gateway itself. Who says whose tool it calls by its raw name does not mean one of ours. */
function findOwnTool(name: string | StructuredName, call: ToolCall, context: GatewayContext) {
  if (typeof name !== "string") return undefined;
  const { snapshot } = context.view();
  if (contextOf(call.params, snapshot)?.server !== undefined) return undefined;
  const own = findMetaTool(name, call.caller, context.settings(), snapshot);
  if (own !== undefined) describeOwnTool(call.requestContext.span, own.tool);
  return own;
}

/** A refusal of the guard is no downstream's, and says what it is here. */
function completed(reply: Reply, { serverInfo }: GatewayContext): Reply {
  if (reply.kind !== "result" || reply.result["resultType"] !== undefined) return reply;
  return resultReply(completeResult("tools/call", reply.result, serverInfo));
}
