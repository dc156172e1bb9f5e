// What each caller sees of a view, worked out once for each kind of caller.

import { createSuggest, type StructuredName } from "@onym/core";
import type { IsNew, Policy } from "../../policy/build-policy.js";
import { buildVisibleTools, type VisibleTools } from "../../policy/visible-tools.js";
import type { Caller } from "../caller.js";
import type { Guard, Visibility } from "../calls/guard.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { subjectOf } from "./caller-access.js";

export interface VisibilityRules {
  readonly policy: Policy;
  /** Which tools of a view are new; absent where that changes nothing. */
  readonly isNewIn?: ((snapshot: GatewaySnapshot) => IsNew) | undefined;
  /** What is gone may have been hidden. */
  readonly hidesNew: boolean;
}

/** What is worked out once for a view. */
interface SnapshotVisibility {
  /** By what decides what is visible. Names do not. */
  readonly visible: Map<string, VisibleTools>;
  readonly visibilities: Map<string, Visibility | undefined>;
}

export function createCallerVisibility(rules: VisibilityRules): Guard["visibility"] {
  const known = new WeakMap<GatewaySnapshot, SnapshotVisibility>();
  /** The last view of each session: it calls more often than the view changes. */
  const last = new WeakMap<
    Caller,
    { readonly snapshot: GatewaySnapshot; readonly visibility: Visibility | undefined }
  >();
  const viewOf: Guard["visibility"] = (snapshot, caller) => {
    const made = known.get(snapshot) ?? { visible: new Map(), visibilities: new Map() };
    known.set(snapshot, made);
    const { principal, profile, as = null, confinedTo = null } = caller;
    const key = JSON.stringify([principal, confinedTo]);
    const named = JSON.stringify([key, profile.id, as]);
    if (made.visibilities.has(named)) return made.visibilities.get(named);
    const visible = made.visible.get(key) ?? visibleTo(rules, snapshot, caller);
    made.visible.set(key, visible);
    const visibility = buildVisibility(rules, { snapshot, caller, key, visible });
    made.visibilities.set(named, visibility);
    return visibility;
  };
  return (snapshot, caller) => {
    if (caller.session === undefined) return viewOf(snapshot, caller);
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.visibility;
    const visibility = viewOf(snapshot, caller);
    last.set(caller, { snapshot, visibility });
    return visibility;
  };
}

function visibleTo(
  { policy, isNewIn }: VisibilityRules,
  snapshot: GatewaySnapshot,
  caller: Caller,
): VisibleTools {
  return buildVisibleTools(policy, snapshot.tools.catalog.tools, subjectOf(caller), isNewIn?.(snapshot));
}

interface VisibilityInput {
  readonly snapshot: GatewaySnapshot;
  readonly caller: Caller;
  readonly key: string;
  readonly visible: VisibleTools;
}

function buildVisibility(
  { hidesNew }: VisibilityRules,
  { snapshot, caller, key, visible }: VisibilityInput,
): Visibility | undefined {
  const isAll = visible.tools.length === snapshot.tools.catalog.tools.length;
  // Where nothing is hidden there is nothing to keep quiet about.
  if (isAll && !hidesNew) return undefined;
  const names = {
    toolNamed: (name: string) => snapshot.tableOf(caller).toolNamed(name),
    suggest: createVisibleSuggest(snapshot, caller, visible),
  };
  return {
    // Who sees everything is shown the same list.
    key: isAll ? "everything" : key,
    sees: visible.isVisible,
    hide: (input, resolution) => visible.hide(input, resolution, names),
  };
}

/** From what is visible alone, so that neither a name nor the lack of one tells of what is hidden (RES-3). */
function createVisibleSuggest(
  snapshot: GatewaySnapshot,
  caller: Caller,
  { isVisible }: VisibleTools,
): (input: string | StructuredName) => readonly string[] {
  let suggest: ReturnType<typeof createSuggest> | undefined;
  return (input) => {
    suggest ??= createSuggest({
      tools: snapshot.tableOf(caller).tools.filter(({ tool }) => isVisible(tool)),
    });
    return suggest(typeof input === "string" ? input : `${input.server}_${input.name}`);
  };
}
