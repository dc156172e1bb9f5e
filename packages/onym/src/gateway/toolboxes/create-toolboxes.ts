// Which toolboxes are open, and for whom (GW-10, GW-14). Opening connects their downstreams, closing the last holder's
// ends them; no toolbox touches another's connections (BOX-7).

import type { Downstream } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { GatewayContext } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import type { Toolboxes, ToolboxOpening } from "./toolboxes.js";

export interface ToolboxPorts {
  readonly settings: () => Pick<GatewaySettings, "toolboxes" | "mode">;
  /** Makes and starts the downstreams of a toolbox, where they are not there yet. */
  readonly connect: (toolbox: string) => readonly Downstream[];
  readonly disconnect: (toolbox: string) => void;
}

/** Who holds a toolbox open: a session, else all requests of one caller together. */
export function holderOf({ session, callerKey }: Caller): string {
  return session?.id ?? JSON.stringify(["caller", callerKey]);
}

/** Opens a toolbox for a caller, and tells it where its list has changed by that. */
export async function openFor(
  caller: Caller,
  toolbox: string,
  context: Pick<GatewayContext, "toolboxes" | "view" | "names" | "changed">,
): Promise<ToolboxOpening> {
  const { session } = caller;
  const opening = await context.toolboxes.open(toolbox, holderOf(caller));
  if (opening.outcome !== "opened") return opening;
  // What it lists for the first time is not new.
  await context.view().guard.settled();
  if (session !== undefined) {
    await context.names.viewWithNames(session);
    session.toolboxes.add(toolbox);
    context.changed(session);
  }
  return opening;
}

export function createToolboxes({ settings, connect, disconnect }: ToolboxPorts): Toolboxes {
  /** A holder is one from the moment it asks, so that who leaves meanwhile leaves nothing behind. */
  const holders = new Map<string, Set<string>>();
  const openings = new Map<string, Promise<ToolboxOpening>>();
  let uses = 0;
  const exists = (toolbox: string): boolean => settings().toolboxes.some(({ id }) => id === toolbox);
  const isAlwaysOpen = (): boolean => settings().mode === "static";

  const begin = async (toolbox: string): Promise<ToolboxOpening> => {
    const downstreams = connect(toolbox);
    await Promise.all(downstreams.map(({ settled }) => settled));
    const failed = downstreams.filter(({ status }) => status.kind !== "ready");
    const isAnyUp = downstreams.length === 0 || failed.length < downstreams.length;
    return { outcome: isAnyUp ? "opened" : "failed", failed };
  };

  const release = (toolbox: string, holder: string): boolean => {
    const held = holders.get(toolbox);
    if (held === undefined || !held.delete(holder)) return false;
    if (held.size === 0) {
      holders.delete(toolbox);
      openings.delete(toolbox);
      if (!isAlwaysOpen()) disconnect(toolbox);
    }
    return true;
  };

  return {
    async open(toolbox, holder) {
      if (!exists(toolbox)) return { outcome: "unknown" };
      const held = holders.get(toolbox) ?? new Set();
      const isNew = !held.has(holder);
      holders.set(toolbox, held.add(holder));
      const running = openings.get(toolbox) ?? begin(toolbox);
      openings.set(toolbox, running);
      const opening = await running;
      if (openings.get(toolbox) === running) openings.delete(toolbox);
      // Nothing came up, so nothing is left running; unless it was open before, and comes back by itself.
      if (opening.outcome === "failed" && isNew && holders.get(toolbox) === held) release(toolbox, holder);
      return opening;
    },
    close: release,
    use(toolbox) {
      const held = holders.get(toolbox);
      if (held === undefined) return () => {};
      uses += 1;
      const holder = JSON.stringify(["call", uses]);
      held.add(holder);
      return () => void release(toolbox, holder);
    },
    leave(holder) {
      for (const toolbox of [...holders.keys()]) release(toolbox, holder);
    },
    isOpen: (toolbox) => isAlwaysOpen() || (holders.has(toolbox) && !openings.has(toolbox)),
    held: () => new Set(holders.keys()),
    adopt() {
      for (const toolbox of [...holders.keys()]) {
        if (exists(toolbox)) continue;
        holders.delete(toolbox);
        openings.delete(toolbox);
      }
    },
    closeAll() {
      for (const toolbox of holders.keys()) disconnect(toolbox);
      holders.clear();
      openings.clear();
    },
  };
}
