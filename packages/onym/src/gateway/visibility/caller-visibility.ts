// What each caller sees of a view, worked out once for each kind of caller.

import { createSuggest, type StructuredName } from "@onym/core";
import type { IsNew, Policy } from "../../policy/build-policy.js";
import type { PolicySubject } from "../../policy/policy-input.js";
import { buildVisibleTools, type VisibleTools } from "../../policy/visible-tools.js";
import type { Caller } from "../caller.js";
import type { CallerSight, Guard } from "../calls/guard.js";
import type { View } from "../catalog/gateway-snapshot.js";

export interface SightRules {
  readonly policy: Policy;
  /** Which tools of a view are new; absent where that changes nothing. */
  readonly isNewIn?: ((view: View) => IsNew) | undefined;
  /** What is gone may have been hidden. */
  readonly hidesNew: boolean;
}

/** What is worked out once for a view. */
interface ViewSights {
  /** By what decides what is visible. Names do not. */
  readonly visible: Map<string, VisibleTools>;
  readonly sights: Map<string, CallerSight | undefined>;
}

export function createCallerSights(rules: SightRules): Guard["sight"] {
  const known = new WeakMap<View, ViewSights>();
  /** The last view of each session: it calls more often than the view changes. */
  const last = new WeakMap<Caller, { readonly view: View; readonly sight: CallerSight | undefined }>();
  const sightOf: Guard["sight"] = (view, caller) => {
    const made = known.get(view) ?? { visible: new Map(), sights: new Map() };
    known.set(view, made);
    const { principal, profile, as = null, confinedTo = null } = caller;
    const key = JSON.stringify([principal, confinedTo]);
    const named = JSON.stringify([key, profile.id, as]);
    if (made.sights.has(named)) return made.sights.get(named);
    const visible = made.visible.get(key) ?? visibleTo(rules, view, caller);
    made.visible.set(key, visible);
    const sight = buildSight(rules, { view, caller, key, visible });
    made.sights.set(named, sight);
    return sight;
  };
  return (view, caller) => {
    if (caller.session === undefined) return sightOf(view, caller);
    const seen = last.get(caller);
    if (seen?.view === view) return seen.sight;
    const sight = sightOf(view, caller);
    last.set(caller, { view, sight });
    return sight;
  };
}

export function subjectOf({ principal, confinedTo }: Caller): PolicySubject {
  return { principal, toolboxes: confinedTo };
}

function visibleTo({ policy, isNewIn }: SightRules, view: View, caller: Caller): VisibleTools {
  return buildVisibleTools(policy, view.tools.catalog.tools, subjectOf(caller), isNewIn?.(view));
}

interface SightFacts {
  readonly view: View;
  readonly caller: Caller;
  readonly key: string;
  readonly visible: VisibleTools;
}

function buildSight(
  { hidesNew }: SightRules,
  { view, caller, key, visible }: SightFacts,
): CallerSight | undefined {
  const isAll = visible.tools.length === view.tools.catalog.tools.length;
  // Where nothing is hidden there is nothing to keep quiet about.
  if (isAll && !hidesNew) return undefined;
  const names = {
    toolNamed: (name: string) => view.tableOf(caller).toolNamed(name),
    suggest: createVisibleSuggest(view, caller, visible),
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
  view: View,
  caller: Caller,
  { isVisible }: VisibleTools,
): (input: string | StructuredName) => readonly string[] {
  let suggest: ReturnType<typeof createSuggest> | undefined;
  return (input) => {
    suggest ??= createSuggest({
      tools: view.tableOf(caller).tools.filter(({ tool }) => isVisible(tool)),
    });
    return suggest(typeof input === "string" ? input : `${input.server}_${input.name}`);
  };
}
