// Which toolboxes are open, and for which holders (GW-10, GW-14). Opening connects their servers; when the
// last holder closes, they end. No toolbox touches another's connections (BOX-7).

import type { Downstream } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { GatewayContext } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import type { Toolboxes, ToolboxOpening } from "./toolboxes.js";

export interface ToolboxPorts {
  readonly settings: () => Pick<GatewaySettings, "toolboxes" | "mode">;
  /** Creates and starts the servers of a toolbox if they do not exist yet. */
  readonly connect: (toolbox: string) => readonly Downstream[];
  /** Resolves when its servers have ended. */
  readonly disconnect: (toolbox: string) => Promise<void>;
}

/** The holder of an open toolbox: a session, else all requests of one caller together. */
export function holderOf({ session, callerKey }: Caller): string {
  return session?.id ?? JSON.stringify(["caller", callerKey]);
}

/** Opens a toolbox for a caller, and notifies it if its list changed. */
export async function openFor(
  caller: Caller,
  toolbox: string,
  context: Pick<GatewayContext, "toolboxes" | "waitForServers" | "names" | "changed">,
): Promise<ToolboxOpening> {
  const { session } = caller;
  const opening = await context.toolboxes.open(toolbox, holderOf(caller));
  if (opening.outcome !== "opened") return opening;
  // The view of many tools is built in slices; those of the first listing are recorded as known.
  await context.waitForServers(0);
  if (session !== undefined) {
    await context.names.recordNames(session);
    session.toolboxes.add(toolbox);
    context.changed(session);
  }
  return opening;
}

export function createToolboxes({ settings, connect, disconnect }: ToolboxPorts): Toolboxes {
  /** A holder is registered when it asks, so that one that leaves in the meantime leaves nothing behind. */
  const holders = new Map<string, Set<string>>();
  const openings = new Map<string, Promise<ToolboxOpening>>();
  /** Servers that still end. They end before they start again, or opening and closing would pile up processes (SAFE-5). */
  const endings = new Map<string, Promise<void>>();
  let uses = 0;
  const exists = (toolbox: string): boolean => settings().toolboxes.some(({ id }) => id === toolbox);
  const isAlwaysOpen = (): boolean => settings().mode === "static";

  const begin = async (toolbox: string, held: ReadonlySet<string>): Promise<ToolboxOpening> => {
    const ending = endings.get(toolbox);
    if (ending !== undefined) {
      await ending;
      // Who asked has left in the meantime.
      if (holders.get(toolbox) !== held) return { outcome: "failed", failed: [] };
    }
    const downstreams = connect(toolbox);
    await Promise.all(downstreams.map(({ firstAttempt }) => firstAttempt));
    const failed = downstreams.filter(({ status }) => status.kind !== "ready");
    const isAnyUp = downstreams.length === 0 || failed.length < downstreams.length;
    return { outcome: isAnyUp ? "opened" : "failed", failed };
  };

  const end = (toolbox: string): void => {
    const ending = Promise.all([endings.get(toolbox), disconnect(toolbox)])
      .catch(() => {})
      .then(() => {
        if (endings.get(toolbox) === ending) endings.delete(toolbox);
      });
    endings.set(toolbox, ending);
  };

  const release = (toolbox: string, holder: string): boolean => {
    const held = holders.get(toolbox);
    if (held === undefined || !held.delete(holder)) return false;
    if (held.size === 0) {
      holders.delete(toolbox);
      openings.delete(toolbox);
      if (!isAlwaysOpen()) end(toolbox);
    }
    return true;
  };

  return {
    async open(toolbox, holder) {
      if (!exists(toolbox)) return { outcome: "unknown" };
      const held = holders.get(toolbox) ?? new Set();
      const isNew = !held.has(holder);
      holders.set(toolbox, held.add(holder));
      const running = openings.get(toolbox) ?? begin(toolbox, held);
      openings.set(toolbox, running);
      const opening = await running;
      if (openings.get(toolbox) === running) openings.delete(toolbox);
      // No server came up, so release it; unless it was open before and reconnects by itself.
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
      for (const toolbox of holders.keys()) end(toolbox);
      holders.clear();
      openings.clear();
    },
  };
}
