// Which toolboxes are open, and for which holders (GW-10, GW-14). Opening connects their servers; when the
// last holder closes, they end, or a little later where they were started often of late. No toolbox touches another's
// connections (BOX-7).

import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import { type EdgeClock, systemEdgeClock } from "../../model/clock.js";
import type { Caller } from "../caller.js";
import type { GatewayContext } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import { StartPace } from "./start-pace.js";
import type { Toolboxes, ToolboxOpening } from "./toolboxes.js";

export interface ToolboxPorts {
  readonly settings: () => Pick<GatewaySettings, "toolboxes" | "mode">;
  /** Creates and starts the servers of a toolbox if they do not exist yet. */
  readonly connect: (toolbox: string) => readonly Downstream[];
  /** Resolves when its servers have ended. */
  readonly disconnect: (toolbox: string) => Promise<void>;
  readonly clock?: Pick<EdgeClock, "elapsed" | "after">;
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
    await context.changed(session);
  }
  return opening;
}

/** What came of its servers when a toolbox was opened, or that everybody left before. */
type Attempt = readonly AttemptedServer[] | "abandoned";

interface AttemptedServer {
  readonly downstream: Downstream;
  readonly isUp: boolean;
}

/** What of it a holder may know that does not reach every server (POL-9). */
function openingFor(attempt: Attempt, reaches: (id: DownstreamId) => boolean = () => true): ToolboxOpening {
  if (attempt === "abandoned") return { outcome: "failed", failed: [] };
  const own = attempt.filter(({ downstream }) => reaches(downstream.id));
  const failed = own.filter(({ isUp }) => !isUp).map(({ downstream }) => downstream);
  // A toolbox without servers opens; one of which a holder reaches none any more does not.
  const isAnyUp = attempt.length === 0 || own.some(({ isUp }) => isUp);
  return { outcome: isAnyUp ? "opened" : "failed", failed };
}

export function createToolboxes(ports: ToolboxPorts): Toolboxes {
  return new HeldToolboxes(ports);
}

class HeldToolboxes implements Toolboxes {
  readonly #ports: ToolboxPorts;
  readonly #pace: StartPace;
  /** A holder is registered when it asks, so that one that leaves in the meantime leaves nothing behind. */
  readonly #holders = new Map<string, Set<string>>();
  readonly #openings = new Map<string, Promise<Attempt>>();
  /** Toolboxes whose servers were started and not ended. */
  readonly #started = new Set<string>();
  /** Those without a holder whose servers end once they may be started again, and how to cancel that. */
  readonly #kept = new Map<string, () => void>();
  /**
   * Servers that still end, or may not be started yet. They end before they start again, or opening and closing would pile
   * up processes (SAFE-5).
   */
  readonly #endings = new Map<string, Promise<void>>();
  #uses = 0;

  constructor(ports: ToolboxPorts) {
    this.#ports = ports;
    this.#pace = new StartPace(ports.clock ?? systemEdgeClock);
  }

  readonly open: Toolboxes["open"] = async (toolbox, holder, reaches) => {
    if (!this.#exists(toolbox)) return { outcome: "unknown" };
    const held = this.#holders.get(toolbox) ?? new Set();
    const isNew = !held.has(holder);
    this.#holders.set(toolbox, held.add(holder));
    const running = this.#openings.get(toolbox) ?? this.#begin(toolbox, held);
    this.#openings.set(toolbox, running);
    const opening = openingFor(await running, reaches);
    if (this.#openings.get(toolbox) === running) this.#openings.delete(toolbox);
    // No server came up for it, so release it; unless it was open before and reconnects by itself.
    if (opening.outcome !== "failed" || !isNew) return opening;
    if (this.#holders.get(toolbox) === held) this.#release(toolbox, holder, "failed");
    return opening;
  };

  readonly close: Toolboxes["close"] = (toolbox, holder) => this.#release(toolbox, holder);

  readonly use: Toolboxes["use"] = (toolbox) => {
    const held = this.#holders.get(toolbox);
    if (held === undefined) return () => {};
    this.#uses += 1;
    const holder = JSON.stringify(["call", this.#uses]);
    held.add(holder);
    return () => void this.#release(toolbox, holder);
  };

  readonly leave: Toolboxes["leave"] = (holder) => {
    for (const toolbox of [...this.#holders.keys()]) this.#release(toolbox, holder);
  };

  readonly isOpen: Toolboxes["isOpen"] = (toolbox) =>
    this.#isAlwaysOpen() || (this.#holders.has(toolbox) && !this.#openings.has(toolbox));

  readonly held: Toolboxes["held"] = () => new Set([...this.#holders.keys(), ...this.#kept.keys()]);

  readonly adopt: Toolboxes["adopt"] = () => {
    const exists = (toolbox: string): boolean => this.#exists(toolbox);
    for (const toolbox of this.#holders.keys()) {
      if (exists(toolbox)) continue;
      this.#holders.delete(toolbox);
      this.#openings.delete(toolbox);
    }
    // What is always open needs nobody to keep it, and what is gone ends with the settings.
    for (const toolbox of this.#kept.keys())
      if (this.#isAlwaysOpen() || !exists(toolbox)) this.#stopKeeping(toolbox);
    const held = this.held();
    for (const toolbox of this.#started) if (!held.has(toolbox)) this.#started.delete(toolbox);
    this.#pace.retain(exists);
  };

  readonly closeAll: Toolboxes["closeAll"] = () => {
    for (const toolbox of this.held()) this.#end(toolbox);
    this.#holders.clear();
    this.#openings.clear();
  };

  #exists(toolbox: string): boolean {
    return this.#ports.settings().toolboxes.some(({ id }) => id === toolbox);
  }

  #isAlwaysOpen(): boolean {
    return this.#ports.settings().mode === "static";
  }

  async #begin(toolbox: string, held: ReadonlySet<string>): Promise<Attempt> {
    this.#stopKeeping(toolbox);
    const ending = this.#endings.get(toolbox);
    if (ending !== undefined) {
      await ending;
      // Who asked has left in the meantime.
      if (this.#holders.get(toolbox) !== held) return "abandoned";
    }
    if (!this.#started.has(toolbox)) this.#pace.count(toolbox);
    this.#started.add(toolbox);
    const downstreams = this.#ports.connect(toolbox);
    await Promise.all(downstreams.map(({ firstAttempt }) => firstAttempt));
    const attempt = downstreams.map((downstream) => ({
      downstream,
      isUp: downstream.status.kind === "ready",
    }));
    // Who asked has left, and what it left for the next one is of no use.
    if (openingFor(attempt).outcome === "failed" && this.#kept.has(toolbox)) this.#end(toolbox);
    return attempt;
  }

  #release(toolbox: string, holder: string, why: "closed" | "failed" = "closed"): boolean {
    const held = this.#holders.get(toolbox);
    if (held === undefined || !held.delete(holder)) return false;
    if (held.size > 0) return true;
    this.#holders.delete(toolbox);
    this.#openings.delete(toolbox);
    // Nothing runs while it waits for its last servers to end.
    if (this.#isAlwaysOpen() || !this.#started.has(toolbox)) return true;
    if (why === "failed" || this.#pace.waitOf(toolbox) === 0) this.#end(toolbox);
    else
      this.#kept.set(
        toolbox,
        this.#pace.whenFree(toolbox, () => this.#end(toolbox)),
      );
    return true;
  }

  #stopKeeping(toolbox: string): void {
    this.#kept.get(toolbox)?.();
    this.#kept.delete(toolbox);
  }

  #end(toolbox: string): void {
    this.#stopKeeping(toolbox);
    this.#started.delete(toolbox);
    const ending = Promise.all([this.#endings.get(toolbox), this.#ports.disconnect(toolbox)])
      .catch(() => {})
      .then(() => this.#mayStart(toolbox))
      .then(() => {
        if (this.#endings.get(toolbox) === ending) this.#endings.delete(toolbox);
      });
    this.#endings.set(toolbox, ending);
  }

  #mayStart(toolbox: string): Promise<void> | undefined {
    if (this.#pace.waitOf(toolbox) === 0) return undefined;
    return new Promise((resolve) => {
      this.#pace.whenFree(toolbox, resolve);
    });
  }
}
