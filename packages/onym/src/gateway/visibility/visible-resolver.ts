// What a name means to a caller from whom tools are hidden: what it would mean if these had never been there (POL-1, GW-6). Only a
// name that was given to a hidden tool means nothing, whoever else would have it.

import type { Resolution, ResolveContext, Snapshot, StructuredName } from "@onym/core";
import type { NamesOfCaller, VisibleTools } from "../../policy/visible-tools.js";
import type { GatewaySnapshot, NamesChoice } from "../catalog/gateway-snapshot.js";
import type { Visibility } from "./visibility.js";

export function createVisibleResolver({
  snapshot: { tools },
  choice: { profile, as },
  visible,
  names,
}: {
  readonly snapshot: Pick<GatewaySnapshot, "tools">;
  readonly choice: NamesChoice;
  readonly visible: VisibleTools;
  readonly names: NamesOfCaller;
}): Visibility["resolve"] {
  const alias = as === undefined ? {} : { as };
  let withoutHidden: ReturnType<Snapshot["resolverFor"]> | undefined;
  return (name: string | StructuredName, from?: ResolveContext) => {
    const resolveAll = tools.resolverFor(profile, alias);
    const found = resolveAll(name, from);
    if (isFreeOfHidden(found, visible)) return { resolution: visible.hide(name, found, names) };
    withoutHidden ??= tools.resolverFor(profile, { ...alias, sees: visible.isVisible });
    const rest = withoutHidden(name, from);
    const resolution = visible.hide(name, rest, names);
    if (resolution.outcome !== "unknown") return { resolution };
    // An unknown name goes through every step, so one that was given to a hidden tool must take as long (GW-6).
    if (rest.outcome !== "unknown" && typeof name === "string") resolveAll(`${name} `, from);
    return { resolution, denied: found.outcome === "resolved" ? found.tool : undefined };
  };
}

/** Whether no step can have found a hidden tool, so that the same is found without them. */
function isFreeOfHidden(found: Resolution, { isVisible }: VisibleTools): boolean {
  switch (found.outcome) {
    case "resolved":
      return isVisible(found.tool);
    case "ambiguous":
      return found.candidates.every(isVisible);
    case "retired":
      return false;
    case "unknown":
      return found.problem?.code !== "server-absent";
  }
}
