// A name in a call → the tool it means for this caller, or the refusal that says what it might have meant (GW-6).

import {
  escapeText,
  type NamingTable,
  type Problem,
  quoteText,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type StructuredName,
  type Tool,
} from "@onym/core";
import { explainDown } from "../../downstream/explain-down.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { explainToolboxName, hideClosed, type RefusalReason } from "../toolboxes/closed-toolbox.js";
import { didYouMean, oneOf, showName } from "./did-you-mean.js";
import type { DeniedTool } from "./guard.js";
import { refuseLongName } from "./sent-name.js";

export type FoundTool =
  | {
      readonly kind: "found";
      readonly tool: Tool;
      readonly resolved: Resolved;
      /** In which it was found, and in which it is called. */
      readonly snapshot: GatewaySnapshot;
    }
  | {
      readonly kind: "refused";
      readonly refusal: Reply;
      readonly resolution: Resolution;
      /** The tool that the name means, though the caller must not hear of it: for the record alone (POL-7). */
      readonly denied?: DeniedTool | undefined;
    };

/** The plain case, in which there is nothing to wait for: a name on record. `undefined` where it takes `resolveTool`. */
export function resolveNow(
  name: string,
  contextIn: (snapshot: GatewaySnapshot) => ResolveContext | undefined,
  caller: Caller,
  context: GatewayContext,
): Extract<FoundTool, { readonly kind: "found" }> | undefined {
  const recorded = context.names.viewWithNames(caller);
  if (recorded instanceof Promise) {
    // `resolveTool` waits for it, and tells of what goes wrong.
    recorded.catch(() => {});
    return undefined;
  }
  const { snapshot, guard } = recorded;
  if (!snapshot.recording.isDone(caller)) return undefined;
  const { resolution } = resolveIn({ snapshot, guard }, name, contextIn(snapshot), caller, context);
  return resolution.outcome === "resolved" && resolution.step === "public"
    ? { kind: "found", tool: resolution.tool, resolved: resolution, snapshot }
    : undefined;
}

/** Resolves a name; where it may belong to a downstream that is still starting, waits for that first. */
export async function resolveTool(
  name: string | StructuredName,
  contextIn: (snapshot: GatewaySnapshot) => ResolveContext | undefined,
  caller: Caller,
  context: GatewayContext,
): Promise<FoundTool> {
  const recorded = context.names.viewWithNames(caller);
  let { snapshot, guard } = recorded instanceof Promise ? await recorded : recorded;
  let { resolution, denied } = resolveIn({ snapshot, guard }, name, contextIn(snapshot), caller, context);
  const again = async (wait: Promise<void>): Promise<void> => {
    await wait;
    ({ snapshot, guard } = await context.names.viewWithNames(caller));
    ({ resolution, denied } = resolveIn({ snapshot, guard }, name, contextIn(snapshot), caller, context));
  };
  if (resolution.outcome !== "resolved") await again(context.settle());
  if (context.names.isShared && !isSettled(resolution)) await again(context.names.reload());
  if (resolution.outcome === "resolved") {
    const isKnown =
      resolution.step !== "public" ||
      typeof name !== "string" ||
      snapshot.recording.isDone(caller) ||
      snapshot.recording.knows(caller, name, resolution.tool);
    return isKnown
      ? { kind: "found", tool: resolution.tool, resolved: resolution, snapshot }
      : { kind: "refused", refusal: unrecorded(name), resolution };
  }
  if (resolution.outcome === "unknown" && !snapshot.recording.isDone(caller)) {
    const shown = snapshot.tableOf(caller);
    const suggestions = resolution.suggestions.filter((each) => shown.toolNamed(each) !== undefined);
    resolution = { ...resolution, suggestions };
  }
  // Looked for whether the name is hidden or not: what it takes must not tell one from the other (GW-6).
  const absent = explainAbsent(name, contextIn, caller, context);
  const down = denied === undefined ? absent : undefined;
  return {
    kind: "refused",
    refusal: down ?? refuse(name, resolution, { snapshot, caller, context }),
    resolution,
    denied,
  };
}

/** A name of a server that is down is not unknown: it is said since when, and why. Only to who may see the tool. */
function explainAbsent(
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

/**
 * A name on record stays whose it is, and a canonical one says whose it is. Any other text may have become a name on
 * another replica a moment ago.
 */
function isSettled(resolution: Resolution): boolean {
  return (
    resolution.outcome === "resolved" && (resolution.step === "public" || resolution.step === "canonical")
  );
}

/** Another replica may give the same name to another tool, so it leads nowhere before it is on record. */
function unrecorded(name: string): Reply {
  return errorReply(
    CODES.internal,
    `The name ${escapeText(name.slice(0, 300))} is not on record yet, because the store cannot be reached. Try again.`,
  );
}

function resolveIn(
  { snapshot, guard }: Pick<View, "snapshot" | "guard">,
  name: string | StructuredName,
  contextIn: ResolveContext | undefined,
  caller: Caller,
  context: GatewayContext,
): { readonly resolution: Resolution; readonly denied: DeniedTool | undefined } {
  const tooLong = refuseLongName(name);
  if (tooLong !== undefined) return { resolution: tooLong, denied: undefined };
  const { profile, as } = caller;
  const resolve = snapshot.tools.resolverFor(profile, as === undefined ? {} : { as });
  const found = resolve(name, contextIn);
  const resolution = guard.visibility(snapshot, caller)?.hide(name, found) ?? found;
  const isHidden = found.outcome === "resolved" && resolution.outcome !== "resolved";
  // A name that nobody has goes through every step: a hidden one must take as long (GW-6).
  if (isHidden && typeof name === "string") resolve(`${name} `, contextIn);
  const denied = isHidden ? { tool: found.tool, launch: snapshot.ownerOf(found.tool)?.launch } : undefined;
  return { resolution: hideClosed(resolution, caller, context), denied };
}

const MAX_CANDIDATES = 20;
/** Of what is wrong with a text, in characters. */
const MAX_WHY = 500;

/** The message holds what helps the model, the data the same as fields (RES-6). */
function refuse(
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

/** The name of a call: a text, or its parts (BOX-6). */
export function readToolName(value: unknown): string | StructuredName | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const { toolbox, server, name } = value;
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  return typeof toolbox === "string" ? { toolbox, server, name } : { server, name };
}

/**
 * Whose raw name a call may hold: an MCP App, or any other context, says where it comes from in `_meta`, with the keys
 * that its tool was listed with or with the address of its page.
 */
export function contextOf(params: JsonObject, snapshot: GatewaySnapshot): ResolveContext | undefined {
  const meta = params["_meta"];
  if (!isJsonObject(meta)) return undefined;
  const { source_server: server, toolbox_name: toolbox } = meta;
  if (typeof server === "string") return typeof toolbox === "string" ? { server, toolbox } : { server };
  const page = isJsonObject(meta["ui"]) ? meta["ui"]["resourceUri"] : meta["ui/resourceUri"];
  if (typeof page !== "string") return typeof toolbox === "string" ? { toolbox } : undefined;
  const owner = snapshot.resources.resolve(page);
  if (owner.outcome !== "resolved") return undefined;
  const { id } = owner.owner;
  return id.toolbox === undefined ? { server: id.server } : { server: id.server, toolbox: id.toolbox };
}
