// The servers of a gateway: created from the settings, kept over a reload if their launch is unchanged, else
// closed.

import type { Downstream, DownstreamId } from "../downstream/downstream.js";
import { formatWalls, type Launch, launchFingerprint } from "../model/launch.js";
import { ownerKey } from "./catalog/gateway-snapshot.js";
import type { GatewaySettings } from "./settings.js";

export interface DownstreamSet {
  /** In the order of the settings; `undefined` for servers of toolboxes that no session opened. */
  readonly list: () => readonly (Downstream | undefined)[];
  readonly all: () => readonly Downstream[];
  /**
   * Starts new servers. Closes removed and changed ones, and those of toolboxes that no session holds open. A
   * closed server finishes its calls in flight, up to the limit.
   */
  readonly adopt: (settings: GatewaySettings, held: ReadonlySet<string>) => void;
  readonly connect: (toolbox: string) => readonly Downstream[];
  /** Resolves when its servers have ended. */
  readonly disconnect: (toolbox: string) => Promise<void>;
  /**
   * Resolves when no server is in its first attempt any more, or `ms` after the last one was started. `false` if
   * one still is.
   */
  readonly waitForServers: (ms: number) => Promise<boolean>;
  /** Resolves when one server has listed what it offers, or the first attempts of all have ended. */
  readonly firstUp: () => Promise<void>;
  /** Closes a connection and opens a new one; `false` if there is none. */
  readonly restart: (id: DownstreamId) => boolean;
  readonly close: (drainMs: number) => Promise<void>;
}

export type MakeDownstream = (id: DownstreamId, launch: Launch) => Downstream;

interface Slot {
  readonly key: string;
  readonly id: DownstreamId;
  readonly launch: Launch;
  readonly fingerprint: string;
  readonly walls: string;
  downstream: Downstream | undefined;
  /** When it was started, in `performance.now` time. */
  since: number;
}

export function createDownstreamSet(make: MakeDownstream): DownstreamSet {
  let slots: Slot[] = [];
  let drainMs = 0;
  const closing = new Set<Promise<void>>();

  const fill = (slot: Slot): Downstream => {
    if (slot.downstream === undefined) slot.since = performance.now();
    slot.downstream ??= make(slot.id, slot.launch);
    slot.downstream.start();
    return slot.downstream;
  };
  const empty = async (slot: Slot): Promise<void> => {
    const { downstream } = slot;
    slot.downstream = undefined;
    if (downstream === undefined) return;
    const done = downstream.close(drainMs).finally(() => closing.delete(done));
    closing.add(done);
    await done;
  };
  const all = (): readonly Downstream[] =>
    slots.flatMap(({ downstream }) => (downstream === undefined ? [] : [downstream]));
  const inToolbox = (toolbox: string): Slot[] => slots.filter(({ id }) => id.toolbox === toolbox);

  return {
    list: () => slots.map(({ downstream }) => downstream),
    all,
    adopt(settings, held) {
      drainMs = settings.limits.drainMs;
      const before = new Map(slots.map((slot) => [slot.key, slot]));
      slots = settings.servers.map(({ source, launch }) => {
        const key = ownerKey(source);
        const fingerprint = launchFingerprint(launch);
        const walls = formatWalls(launch);
        const known = before.get(key);
        if (known !== undefined && known.fingerprint === fingerprint && known.walls === walls) {
          before.delete(key);
          // The reload may follow a fix of the problem that kept it down.
          known.downstream?.resume();
          return known;
        }
        const id = { server: source.server, toolbox: source.toolbox };
        return { key, id, launch, fingerprint, walls, downstream: undefined, since: 0 };
      });
      for (const slot of before.values()) void empty(slot);
      for (const slot of slots) {
        const { toolbox } = slot.id;
        if (toolbox === undefined || settings.mode === "static" || held.has(toolbox)) fill(slot);
        else void empty(slot);
      }
    },
    connect: (toolbox) => inToolbox(toolbox).map(fill),
    async disconnect(toolbox) {
      await Promise.all(inToolbox(toolbox).map(empty));
    },
    restart(id) {
      const slot = slots.find(({ key }) => key === ownerKey(id));
      if (slot?.downstream === undefined) return false;
      void empty(slot);
      fill(slot);
      return true;
    },
    async waitForServers(ms) {
      const first = slots.flatMap(({ downstream, since }) => {
        if (downstream === undefined || !isInFirstAttempt(downstream)) return [];
        // Later callers share the remaining time, so that a hanging server delays the gateway only once.
        const left = since + ms - performance.now();
        return left > 0 ? [{ firstAttempt: downstream.firstAttempt, left }] : [];
      });
      if (first.length === 0) return !all().some(isInFirstAttempt);
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.all(first.map(({ firstAttempt }) => firstAttempt)),
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, Math.max(...first.map(({ left }) => left)));
        }),
      ]);
      clearTimeout(timer);
      return !all().some(isInFirstAttempt);
    },
    async firstUp() {
      const ups = all().map(async (downstream) => {
        await downstream.firstAttempt;
        if (downstream.inventory === undefined) throw new Error("not up");
      });
      await Promise.any(ups).catch(() => {});
    },
    async close(ms) {
      drainMs = ms;
      for (const slot of slots) void empty(slot);
      slots = [];
      await Promise.all(closing);
    },
  };
}

function isInFirstAttempt({ inventory, status: { kind } }: Downstream): boolean {
  return inventory === undefined && (kind === "idle" || kind === "starting");
}
