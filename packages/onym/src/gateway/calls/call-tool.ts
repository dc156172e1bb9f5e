// tools/call on one page, from name to reply. The order is the security model: view once → resolve → decide →
// record the intent → forward → record the outcome.

import { escapeText, quoteText } from "@onym/core";
import { isObjectMember } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { AllowDecision, CallDecision } from "../../policy/decide-call.js";
import { completeReply, forwardRequest } from "../forward/forward-request.js";
import { isStillAllowed } from "../forward/suspended-calls.js";
import type { GatewayContext } from "../gateway-context.js";
import { checkParamHeaders, formatParamHeaders } from "../http/requests/param-headers.js";
import type { RoutedRequest } from "../router.js";
import { describeTool } from "../tracing/describe-request.js";
import { recordedName } from "./call-audit.js";
import type {
  FinalDecision,
  Forward,
  Guard,
  GuardedCall,
  GuardedTarget,
  Recheck,
  RefusedDecision,
} from "./guard.js";
import { noteFormer } from "./note-former.js";
import { refuseCall } from "./refuse-name.js";
import { refusedResult } from "./refused-result.js";
import { findPassthrough, readToolName, resolveContextOf, resolveTool } from "./resolve-tool.js";
import { refuseUnreadable, type ToolInView } from "./sent-name.js";

export async function callTool(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  const { params, caller } = call;
  const name = readToolName(params["name"]);
  if (name === undefined) return errorReply(CODES.invalidParams, 'tools/call needs a "name".');
  if (!isJsonObject(params["arguments"] ?? {}))
    return errorReply(CODES.invalidParams, '"arguments" must be an object.');
  const contextIn = resolveContextOf(params);
  const found = await resolveTool({ name, contextIn, caller }, context); // in one view, whose names are on record
  call.requestContext.observed?.resolved(found, recordedName(params["name"]));
  if (found.kind === "found") {
    const reply = await runTool(found, call, context);
    return found.resolved.successor === undefined ? reply : noteFormer(reply, found, call, context);
  }
  const passthrough = await findPassthrough(found, call, context);
  return passthrough === undefined ? refuseCall(found, call) : runTool(passthrough, call, context);
}

/** Runs a resolved tool if policy allows it. */
export async function runTool(
  resolved: ToolInView,
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const prepared = prepareCall(resolved, call, context);
  if (prepared.kind === "refused") return prepared.reply;
  const reply = await runGuarded(prepared.call, resolved.view.guard, prepared.forward);
  return call.caller.era === "legacy" ? reply : completed(reply, call, context);
}

/** Decides on a tool call, or on a request for a prompt or resource, and runs it (POL-4, POL-9). */
export function runGuarded(requested: GuardedCall, guard: Guard, forward: Forward): Promise<Reply> {
  const resumed = guard.resume(requested); // this request answers one in an earlier reply
  if (resumed !== undefined) return resumed;
  const { call, decision } = guard.decide(requested); // rules → standing approvals
  return guard.asksByReply(call, decision)
    ? guard.suspend(call, (suspended) => runDecided(suspended, decision, guard, forward))
    : runDecided(call, decision, guard, forward);
}

/** Runs what is decided: asks where that was decided, and records before and after. */
export async function runDecided(
  call: GuardedCall,
  decided: CallDecision,
  guard: Guard,
  forward: Forward,
): Promise<Reply> {
  const { observed } = call.requestContext;
  observed?.decided(decided);
  const answered = decided.kind === "ask" ? await guard.ask(call, decided) : decided;
  const decision = isForOneCall(answered) ? await guard.useOnce(call, answered) : answered;
  if (decision !== decided || isForOneCall(decision)) observed?.concluded(decision);
  /** An approval for this one call still counts when the call is looked at again. */
  const before =
    decision.kind === "allow" && (decision.approval === "call" || decision.isOnce === true)
      ? guard.reconsider(call)
      : undefined;
  const intent = await guard.recordIntent(call, decision);
  if (intent.kind === "refused") {
    observed?.refused(decision);
    return intent.reply;
  }
  observed?.recorded(intent.entry?.call);
  let reply: Reply | undefined;
  let refused: RefusedDecision | undefined;
  /** It may be denied, or its approval revoked, while it waits for its record or for its turn at the server. */
  const recheck: Recheck = (now) => {
    if (isStillAllowed(before, now)) return undefined;
    const reason = now.kind === "deny" ? (now.reason ?? "policy") : "rejected";
    refused = { kind: "deny", rule: intent.decision.rule, reason };
    observed?.refused(refused);
    return refusedResult(call, refused);
  };
  try {
    reply = await forward(call, recheck);
    return reply;
  } finally {
    observed?.replied();
    guard.recordOutcome(intent, refused ?? reply);
  }
}

function isForOneCall(decision: FinalDecision): decision is AllowDecision {
  return decision.kind === "allow" && decision.isOnce === true;
}

/** The guard's refusals do not come from a server, so this adds the members that a modern result needs. */
function completed(reply: Reply, { method }: RoutedRequest, { serverInfo }: GatewayContext): Reply {
  if (reply.kind !== "result" || isObjectMember(reply.result, "resultType") !== undefined) return reply;
  return completeReply(method, reply.result, serverInfo);
}

// Prepares a call of a tool: what the guard decides on, and how to forward it (raw tool name, argument
// headers that the tool declares).

type PreparedCall =
  | { readonly kind: "ready"; readonly call: GuardedCall; readonly forward: Forward }
  | { readonly kind: "refused"; readonly reply: Reply };

function prepareCall(
  { tool, view }: ToolInView,
  { method, params, argumentsText, epoch, caller, requestContext }: RoutedRequest,
  context: GatewayContext,
): PreparedCall {
  const { snapshot, guard } = view;
  const sent = recordedName(params["name"]);
  const { span } = requestContext;
  if (span !== undefined) describeTool(span, { tool, snapshot, caller, sent });
  const downstream = snapshot.ownerOf(tool);
  if (downstream === undefined)
    return refused(
      errorReply(
        CODES.internal,
        `The server ${quoteText(tool.server)} of ${escapeText(tool.canonical)} is not connected.`,
      ),
    );
  const declared = snapshot.offerOf(downstream)?.headerParams.get(tool.definition) ?? [];
  const args = isJsonObject(params["arguments"]) ? params["arguments"] : {};
  const isRead = declared.length > 0 || guard.keepsArguments;
  const unreadable = isRead ? refuseUnreadable(args) : undefined;
  if (unreadable !== undefined) return refused(unreadable);
  const mismatch =
    declared.length > 0 && caller.era === "modern" && requestContext.headers !== undefined
      ? checkParamHeaders(declared, args, requestContext.headers)
      : undefined;
  if (mismatch !== undefined)
    return refused(errorReply(CODES.headerMismatch, mismatch.message, mismatch.data));
  const headers = declared.length === 0 ? undefined : formatParamHeaders(declared, args);
  const forward: Forward = (call, recheck) =>
    forwardRequest(
      { downstream, params: withName(params, tool.raw), call, recheck, headers },
      context.forward,
    );
  const target: GuardedTarget = { kind: "tool", identity: tool };
  return {
    kind: "ready",
    call: {
      method,
      params,
      // When the gateway reads the arguments, it forwards what it parsed, so that a duplicate member has only
      // one meaning.
      argumentsText: isRead ? undefined : argumentsText,
      caller,
      requestContext,
      target,
      targetNow: () => {
        const now = context.latestView().snapshot;
        const listed = now.tools.catalog.toolWithKey(tool.key);
        if (listed !== undefined) return { kind: "tool", identity: listed };
        // A server that is down answers for itself; a name that is passed through was never listed.
        const isWithdrawn =
          now.present.includes(downstream) && snapshot.tools.catalog.toolWithKey(tool.key) !== undefined;
        return isWithdrawn ? undefined : target;
      },
      launch: downstream.fingerprint,
      epoch,
      sent,
    },
    forward: inToolbox(tool.toolbox, forward, context),
  };
}

function refused(reply: Reply): PreparedCall {
  return { kind: "refused", reply };
}

/** Keeps the toolbox open while a call runs in it. */
function inToolbox(toolbox: string | undefined, forward: Forward, { toolboxes }: GatewayContext): Forward {
  if (toolbox === undefined) return forward;
  return (call, recheck) => {
    const end = toolboxes.use(toolbox);
    return forward(call, recheck).finally(end);
  };
}

/** Handles the usual shape first: copying an object of unknown shape dominates the cost here. */
function withName(params: JsonObject, name: string): JsonObject {
  const { arguments: args } = params;
  return args !== undefined && Object.keys(params).length === 2
    ? { name, arguments: args }
    : { ...params, name };
}
