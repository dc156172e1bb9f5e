// A name that leads to no tool: the answer that helps the model, and the record of what it meant (GW-6, RES-6, POL-7).

import {
  escapeText,
  type NamingTable,
  type Problem,
  quoteText,
  type Resolution,
  type ResolveContext,
  type StructuredName,
} from "@onym/core";
import { explainDown } from "../../downstream/explain-down.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext } from "../gateway-context.js";
import { explainToolboxName, hideClosed, type RefusalReason } from "../toolboxes/closed-toolbox.js";
import { describeRefused } from "../tracing/describe-request.js";
import { didYouMean, oneOf, showName } from "./did-you-mean.js";
import { countRefused } from "./former-calls.js";
import { recordedName, refuseLongName } from "./sent-name.js";
import type { RefusedName, ToolCall } from "./tool-call.js";

/** Answers a call whose name leads to no tool, with a record of it. */
export function refuseCall(
  found: RefusedName,
  { params, caller, requestContext }: ToolCall,
  context: GatewayContext,
): Reply {
  const { resolution, denied } = found;
  const sent = recordedName(params["name"]);
  recordRefused(found, { caller, sent }, context);
  describeRefused(requestContext.span, {
    sent,
    outcome: resolution.outcome,
    denied: denied?.tool,
    snapshot: context.view().snapshot,
  });
  return found.refusal;
}

export function recordRefused(
  { resolution, denied }: RefusedName,
  refused: { readonly caller: Caller; readonly sent: string },
  context: GatewayContext,
): void {
  context.view().guard.refuse({ ...refused, outcome: resolution.outcome, denied });
  countRefused(resolution, refused, context);
}

/** A name of a server that is down is not unknown: it is said since when, and why. Only to who may see the tool. */
export function explainAbsent(
  name: string | StructuredName,
  contextIn: (snapshot: GatewaySnapshot) => ResolveContext | undefined,
  caller: Caller,
  context: GatewayContext,
): Reply | undefined {
  const { snapshot, known, guard } = context.view();
  if (snapshot.missing.length === 0 || refuseLongName(name) !== undefined) return undefined;
  const all = known();
  const { profile, as } = caller;
  const found = all.tools.resolverFor(profile, as === undefined ? {} : { as })(name, contextIn(all));
  const open = hideClosed(found, caller, context);
  if (open.outcome !== "resolved" || guard.visibility(all, caller)?.sees(open.tool) === false)
    return undefined;
  const owner = all.ownerOf(open.tool);
  if (owner === undefined || !snapshot.missing.includes(owner)) return undefined;
  const { id, status, launch, down } = owner;
  return explainDown({ id, status, launch, down, label: `server ${quoteText(id.server)}`, now: Date.now() });
}

export function refuseUnrecorded(name: string | StructuredName): Reply {
  const shown = typeof name === "string" ? name : name.name;
  return errorReply(
    CODES.internal,
    `The name ${escapeText(shown.slice(0, 300))} is not on record yet, because the store cannot be reached. Try again.`,
  );
}

const MAX_CANDIDATES = 20;
/** Of what is wrong with a text, in characters. */
const MAX_WHY = 500;

/** The message holds what helps the model, the data the same as fields (RES-6). */
export function explainRefused(
  name: string | StructuredName,
  resolution: Resolution,
  {
    snapshot,
    caller,
    context,
  }: { readonly snapshot: GatewaySnapshot; readonly caller: Caller; readonly context: GatewayContext },
): Reply {
  const shown = escapeText(typeof name === "string" ? name.slice(0, 300) : name.name.slice(0, 300));
  // The names in the refusal are given out with it, so they go on record.
  const table = snapshot.tableOf(caller);
  switch (resolution.outcome) {
    case "ambiguous": {
      const candidates = resolution.candidates
        .slice(0, MAX_CANDIDATES)
        .map((tool) => table.nameOf(tool) ?? tool.canonical);
      return errorReply(CODES.invalidParams, `Ambiguous tool: ${shown}. It could be ${oneOf(candidates)}.`, {
        candidates,
      });
    }
    case "retired": {
      const { successor } = resolution;
      const next = successor === undefined ? undefined : publicName(successor, snapshot, table);
      return errorReply(
        CODES.invalidParams,
        `Unknown tool: ${shown} (retired${next === undefined ? "" : `; call ${showName(next)} instead`})`,
        { retired: resolution.canonical, ...(next === undefined ? {} : { successor: next }) },
      );
    }
    default: {
      const { suggestions = [], problem } = resolution.outcome === "unknown" ? resolution : {};
      const reason = explainToolboxName(name, caller, snapshot, context) ?? reasonOf(problem);
      const why = reason === undefined ? "" : ` ${reason.text}`.slice(0, MAX_WHY);
      const help = why + didYouMean(typeof name === "string" ? name : name.name, suggestions);
      return errorReply(CODES.invalidParams, `Unknown tool: ${shown}${help === "" ? "" : `.${help}`}`, {
        suggestions,
        ...reason?.data,
      });
    }
  }
}

function reasonOf(problem: Problem | undefined): RefusalReason | undefined {
  if (problem === undefined) return undefined;
  const { message, fix } = problem;
  return { text: `${message} ${fix}`, data: { problem: message, fix } };
}

/** The name this caller has for a canonical one, where the tool is there. */
function publicName(canonical: string, snapshot: GatewaySnapshot, table: NamingTable): string {
  const found = snapshot.tools.resolve(canonical);
  return (found.outcome === "resolved" ? table.nameOf(found.tool) : undefined) ?? canonical;
}
