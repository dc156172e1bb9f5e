// A name in a call → the tool it means for this caller, or the refusal that says what it might have meant (GW-6).

import type { Resolution, ResolveContext, Resolved, StructuredName } from "@onym/core";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { prepareIndex } from "../catalog/snapshot-tables.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { hideClosed } from "../toolboxes/closed-toolbox.js";
import type { DeniedTool } from "./guard.js";
import { explainAbsent, explainRefused, refuseUnrecorded } from "./refuse-name.js";
import { refuseLongName } from "./sent-name.js";
import type { FoundTool } from "./tool-call.js";

/** Where a raw name comes from, as the sender says; it may take the snapshot to tell. */
type ContextIn = (snapshot: GatewaySnapshot) => ResolveContext | undefined;

/**
 * Resolves a name in the view whose names are on record. A name that is not found may belong to a server that is still
 * starting, or have been given out by another replica: then it is looked for again.
 */
export async function resolveTool(
  name: string | StructuredName,
  contextIn: ContextIn,
  caller: Caller,
  context: GatewayContext,
): Promise<FoundTool> {
  const recorded = context.names.viewWithNames(caller);
  let view = recorded instanceof Promise ? await recorded : recorded;
  if (lacksIndex(name, view, caller)) {
    await prepareIndex(view.snapshot.tools);
    view = await context.names.viewWithNames(caller);
  }
  let { resolution, denied } = resolveIn(view, name, contextIn, caller, context);
  const again = async (wait: Promise<void>): Promise<void> => {
    await wait;
    view = await context.names.viewWithNames(caller);
    ({ resolution, denied } = resolveIn(view, name, contextIn, caller, context));
  };
  if (resolution.outcome !== "resolved") await again(context.settle());
  if (context.names.isShared && !isSettled(resolution)) await again(context.names.reload());
  const { snapshot } = view;
  if (resolution.outcome === "resolved")
    return isOnRecord(name, resolution, snapshot, caller)
      ? { kind: "found", tool: resolution.tool, resolved: resolution, view }
      : { kind: "refused", refusal: refuseUnrecorded(name), resolution };
  if (resolution.outcome === "unknown" && !snapshot.recording.isDone(caller)) {
    const shown = snapshot.tableOf(caller);
    const suggestions = resolution.suggestions.filter((each) => shown.toolNamed(each) !== undefined);
    resolution = { ...resolution, suggestions };
  }
  // Looked for whether the name is hidden or not: what it takes must not tell one from the other (GW-6).
  const absent = explainAbsent(name, contextIn, caller, context);
  const down = denied === undefined ? absent : undefined;
  const refusal = down ?? explainRefused(name, resolution, { snapshot, caller, context });
  return { kind: "refused", refusal, resolution, denied };
}

/** Public names are found in the caller's table; others in an index, which for many tools is made in slices first. */
function lacksIndex(name: string | StructuredName, { snapshot, guard }: View, caller: Caller): boolean {
  const tool = typeof name === "string" ? snapshot.tableOf(caller).toolNamed(name) : undefined;
  const isFound = tool !== undefined && guard.visibility(snapshot, caller)?.sees(tool) !== false;
  return !isFound && prepareIndex(snapshot.tools) !== undefined;
}

function resolveIn(
  { snapshot, guard }: View,
  name: string | StructuredName,
  contextIn: ContextIn,
  caller: Caller,
  context: GatewayContext,
): { readonly resolution: Resolution; readonly denied: DeniedTool | undefined } {
  const tooLong = refuseLongName(name);
  if (tooLong !== undefined) return { resolution: tooLong, denied: undefined };
  const { profile, as } = caller;
  const resolve = snapshot.tools.resolverFor(profile, as === undefined ? {} : { as });
  const from = contextIn(snapshot);
  const found = resolve(name, from);
  const resolution = guard.visibility(snapshot, caller)?.hide(name, found) ?? found;
  const isHidden = found.outcome === "resolved" && resolution.outcome !== "resolved";
  // A name that nobody has goes through every step: a hidden one must take as long (GW-6).
  if (isHidden && typeof name === "string") resolve(`${name} `, from);
  const denied = isHidden ? { tool: found.tool, launch: snapshot.ownerOf(found.tool)?.launch } : undefined;
  return { resolution: hideClosed(resolution, caller, context), denied };
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
function isOnRecord(
  name: string | StructuredName,
  { step, tool }: Resolved,
  { recording }: GatewaySnapshot,
  caller: Caller,
): boolean {
  return (
    step !== "public" ||
    typeof name !== "string" ||
    recording.isDone(caller) ||
    recording.knows(caller, name, tool)
  );
}
