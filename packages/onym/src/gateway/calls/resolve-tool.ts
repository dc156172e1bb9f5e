// Resolves the name in a call to this caller's tool, or to a refusal with suggestions (GW-6).

import { formatCanonicalName, type Resolution, type Resolved, type Tool } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import type { Caller } from "../caller.js";
import { prepareIndex } from "../catalog/snapshot-tables.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { hideClosed } from "../toolboxes/closed-toolbox.js";
import type { DeniedTool } from "./guard.js";
import { explainAbsent, explainRefused, refuseUnrecorded } from "./refuse-name.js";
import {
  type CallTarget,
  contextOf,
  type FoundTool,
  type RefusedName,
  refuseLongName,
  type SentName,
  type ToolCall,
} from "./tool-call.js";

/** The result of a lookup in one view. */
interface LookedUp {
  readonly view: View;
  readonly resolution: Resolution;
  readonly denied: DeniedTool | undefined;
}

export async function resolveTool(sent: SentName, context: GatewayContext): Promise<FoundTool> {
  let found = await lookUp(sent, context);
  if (found.resolution.outcome !== "resolved") {
    await context.settle(); // a server that is still starting may have it
    found = await lookUp(sent, context);
  }
  if (context.names.isShared && !isSettled(found.resolution)) {
    await context.names.reload(); // another replica may have published it
    found = await lookUp(sent, context);
  }
  const { resolution, view } = found;
  if (resolution.outcome !== "resolved") return refuse(sent, found, context);
  return isOnRecord(sent, resolution, view)
    ? { kind: "found", tool: resolution.tool, resolved: resolution, view }
    : { kind: "refused", refusal: refuseUnrecorded(sent.name), resolution, view };
}

/** Looks a name up in the view in force, after that view's names are recorded. */
async function lookUp(sent: SentName, context: GatewayContext): Promise<LookedUp> {
  let view = await context.names.recordNames(sent.caller);
  if (lacksIndex(sent, view)) {
    await prepareIndex(view.snapshot.tools, sent.caller);
    await view.guard.visibility(view.snapshot, sent.caller)?.prepareSuggestions();
    view = await context.names.recordNames(sent.caller);
  }
  return resolveIn(view, sent, context);
}

/**
 * Public names are in the caller's table. Other names need an index, which is built in slices for large
 * catalogs.
 */
function lacksIndex({ name, caller }: SentName, { snapshot, guard }: View): boolean {
  const tool = typeof name === "string" ? snapshot.tableOf(caller).toolNamed(name) : undefined;
  const visibility = guard.visibility(snapshot, caller);
  if (tool !== undefined && visibility?.sees(tool) !== false) return false;
  return prepareIndex(snapshot.tools, caller) !== undefined || visibility?.prepareSuggestions() !== undefined;
}

function resolveIn(view: View, { name, contextIn, caller }: SentName, context: GatewayContext): LookedUp {
  const tooLong = refuseLongName(name);
  if (tooLong !== undefined) return { view, resolution: tooLong, denied: undefined };
  const { snapshot, guard } = view;
  const { profile, as } = caller;
  const resolve = snapshot.tools.resolverFor(profile, as === undefined ? {} : { as });
  const from = contextIn(snapshot);
  const found = resolve(name, from);
  const resolution = guard.visibility(snapshot, caller)?.hide(name, found) ?? found;
  const isHidden = found.outcome === "resolved" && resolution.outcome !== "resolved";
  // An unknown name goes through every step, so a hidden name must take as long (GW-6).
  if (isHidden && typeof name === "string") resolve(`${name} `, from);
  const denied = isHidden ? { tool: found.tool, launch: snapshot.ownerOf(found.tool)?.launch } : undefined;
  const isInToolbox = resolution.outcome === "resolved" && resolution.tool.toolbox !== undefined;
  return { view, resolution: isInToolbox ? hideClosed(resolution, caller, context) : resolution, denied };
}

function refuse(sent: SentName, found: LookedUp, context: GatewayContext): FoundTool {
  const { view, denied } = found;
  const resolution = withRecordedSuggestions(found.resolution, sent.caller, view);
  // Runs for hidden and unknown names alike, so that timing does not tell them apart (GW-6).
  const absent = explainAbsent(sent, view, context);
  const down = denied === undefined ? absent : undefined;
  const refusal = down ?? explainRefused(sent, resolution, view, context);
  return { kind: "refused", refusal, resolution, denied, view };
}

/** When the store rejects names, unrecorded names are not suggested. */
function withRecordedSuggestions(resolution: Resolution, caller: Caller, { snapshot }: View): Resolution {
  if (resolution.outcome !== "unknown" || snapshot.recording.isDone(caller)) return resolution;
  const shown = snapshot.tableOf(caller);
  const suggestions = resolution.suggestions.filter((each) => shown.toolNamed(each) !== undefined);
  return { ...resolution, suggestions };
}

/**
 * A recorded name keeps its owner, and a canonical name states its owner. Another replica may just have
 * published any other text as a name.
 */
function isSettled(resolution: Resolution): boolean {
  return (
    resolution.outcome === "resolved" && (resolution.step === "public" || resolution.step === "canonical")
  );
}

/** A name resolves only after it is recorded: until then another replica may give it to another tool. */
function isOnRecord({ name, caller }: SentName, { step, tool }: Resolved, { snapshot }: View): boolean {
  const { recording } = snapshot;
  return (
    step !== "public" ||
    typeof name !== "string" ||
    recording.isDone(caller) ||
    recording.knows(caller, name, tool)
  );
}

/**
 * Treats an unknown name as a tool of the passthrough server; it is decided and recorded like any call. Names
 * of tools that are denied, closed, down or filtered out are known, so they are not passed through.
 */
export function findPassthrough(
  { resolution, view }: RefusedName,
  { params, caller }: ToolCall,
  context: GatewayContext,
): CallTarget | undefined {
  const { name } = params;
  if (resolution.outcome !== "unknown" || typeof name !== "string") return undefined;
  const { passthrough, servers } = context.settings();
  if (passthrough === undefined) return undefined;
  const { server, toolbox } = passthrough;
  const isMeant = (one: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    one.server === server && one.toolbox === toolbox;
  if (servers.find(({ source }) => isMeant(source))?.admits(name) !== true) return undefined;
  const { snapshot, known: knownOf } = view;
  const { profile, as } = caller;
  const contextIn = contextOf(params);
  const isUnknown = [snapshot, knownOf()].every(
    (each) =>
      each.tools.resolverFor(profile, as === undefined ? {} : { as })(name, contextIn(each)).outcome ===
      "unknown",
  );
  const known = snapshot.tools.catalog.servers.find(isMeant);
  if (!isUnknown || known === undefined) return undefined;
  const { integration, version, label } = known;
  const parts = { toolbox, integration, integrationVersion: version, tool: name, toolVersion: 1 };
  const tool: Tool = {
    key: toolKeyOf({ server, toolbox, raw: name }),
    server,
    toolbox,
    raw: name,
    canonical: formatCanonicalName(parts),
    integration,
    integrationVersion: version,
    toolName: name,
    toolVersion: 1,
    label,
    definition: {},
  };
  return { tool, view };
}
