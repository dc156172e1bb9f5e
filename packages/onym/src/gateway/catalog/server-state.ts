// A server as a view is built from it, and whether it is in that view.

import type { Downstream } from "../../downstream/downstream.js";

/** As it was when the view began to be built: what it lists meanwhile is for the next one. */
export interface ServerState extends Pick<Downstream, "launch" | "status" | "inventory"> {
  readonly downstream: Downstream;
}

export function serverState(downstream: Downstream): ServerState {
  const { launch, status, inventory } = downstream;
  return { downstream, launch, status, inventory };
}

/**
 * A server is in the view while it is up, and after a crash until its first reconnect fails. Lists should not
 * flicker on a restart, nor on every later attempt.
 */
export function isPresent({
  status,
  inventory,
  launch,
}: Pick<Downstream, "launch" | "status" | "inventory">): boolean {
  if (launch.kind === "static") return true;
  if (inventory === undefined) return false;
  switch (status.kind) {
    case "ready":
      return true;
    case "starting":
      return status.attempt <= 1;
    case "failed":
      return status.attempt === 0;
    default:
      return false;
  }
}

export function isListed({ inventory, launch }: ServerState): boolean {
  return inventory !== undefined || launch.kind === "static";
}
