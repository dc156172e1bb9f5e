// The view in force, swapped as a whole, and its names, recorded before they are shown. Changes that arrive together make one
// new view. Slow work (reading and naming thousands of tools) runs in slices while the last view stays in force (SAFE-4).

import type { Downstream } from "../downstream/downstream.js";
import type { Log } from "../model/log.js";
import { MANY_TOOLS, runInSlices } from "../model/run-slices.js";
import type { Caller } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import type { GatewaySnapshotInput, NamesChoice } from "./catalog/gateway-snapshot.js";
import type { LogProblems } from "./catalog/log-problems.js";
import { isShared, type NameKeeper } from "./catalog/name-lock.js";
import { countOffered, prepareOffer } from "./catalog/read-offer.js";
import { createViewMaker, type ViewMaker } from "./create-view-maker.js";
import { describeError } from "./failure-codes.js";
import type { RecordedNames, View } from "./gateway-context.js";
import type { GatewaySettings } from "./settings.js";

export interface CurrentViewPorts {
  readonly locks: GatewaySnapshotInput["locks"];
  /** In the order of the settings; `undefined` for servers that were never started. */
  readonly downstreams: () => readonly (Downstream | undefined)[];
  /** Connected callers. For large catalogs their names are recorded before a view takes effect. */
  readonly callers: () => readonly Caller[];
  /** Called after a new view takes effect. */
  readonly onSwap: () => void;
  /** The current date, YYYY-MM-DD. */
  readonly today: () => string;
  readonly logProblems: LogProblems;
  readonly log: Log;
}

export class CurrentView {
  settings: GatewaySettings;
  guard: Guard;
  readonly #ports: CurrentViewPorts;
  readonly #maker: ViewMaker;
  /** Set by `start`. */
  #view!: View;
  /** The last view that was built: in force, or about to be. */
  #latest: View | undefined;
  /** Something changed since the last build. */
  #isStale = false;
  #isClosed = false;
  #epoch = 0;
  /** Sliced work that the next view waits for. */
  #preparing: Promise<void> | undefined;

  constructor(settings: GatewaySettings, guard: Guard, ports: CurrentViewPorts) {
    this.settings = settings;
    this.guard = guard;
    this.#ports = ports;
    this.#maker = createViewMaker({
      ...ports,
      settings: () => this.settings,
      guard: () => this.guard,
      isClosed: () => this.#isClosed,
    });
  }

  readonly settingsNow = (): GatewaySettings => this.settings;
  readonly callMs = (): number => this.settings.limits.callMs;
  /** Rises whenever decisions may have changed: a call that waited since an earlier one is decided on again. */
  readonly epoch = (): number => this.#epoch;

  raiseEpoch(): void {
    this.#epoch += 1;
  }

  /** Builds the first view. Call it before anything else. */
  start(): void {
    this.#view = this.#maker.makeNow();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The view in force, without a check for changes. */
  get inForce(): View {
    return this.#view;
  }

  /** Builds what has changed and is ready, puts it in force, and returns it. */
  readonly bringUpToDate = (): View => {
    const { day } = this.#maker;
    if (day !== undefined && day !== this.#ports.today()) this.#isStale = true;
    if (!this.#isStale || this.#isClosed || this.#prepareOffers() !== undefined) return this.#view;
    if (this.#isLarge() && this.#maker.maySlice()) {
      this.#preparing = this.#rebuildInSlices();
      return this.#view;
    }
    const next = this.#rebuild();
    const names = next === undefined ? undefined : this.#recordManyNames(next);
    this.#preparing = names?.then(() => {
      this.#preparing = undefined;
      if (next === this.#latest) this.#swap(next);
      this.bringUpToDate();
    });
    if (names === undefined) this.#swap(next);
    return this.#view;
  };

  /** Call after a change. After `close`, the last view stays for calls that are still served. */
  readonly refresh = (): void => {
    if (this.#isStale || this.#isClosed) return;
    this.#isStale = true;
    setImmediate(this.bringUpToDate);
  };

  /** Resolves when the view contains everything that is known. */
  async prepared(): Promise<void> {
    for (;;) {
      if (this.#isStale) this.bringUpToDate();
      if (this.#isClosed || this.#preparing === undefined) return;
      await this.#preparing;
    }
  }

  /** Applies settings at once. */
  adopt(settings: GatewaySettings, guard: Guard): void {
    this.settings = settings;
    this.guard = guard;
  }

  /** Builds and swaps: at once where that is quick, else in slices. Resolves when the new view is in force. */
  async renew(): Promise<void> {
    this.#isStale = true;
    await this.prepared();
  }

  close(): void {
    this.#isClosed = true;
  }

  #swap(next: View | undefined): void {
    if (this.#isClosed || next === undefined) return;
    this.#view = next;
    this.#ports.onSwap();
  }

  /** Names on record take time too: those of a server that is down are kept for it. */
  #isLarge(): boolean {
    const { downstreams, locks } = this.#ports;
    return (
      locks.tools.current().tools.size >= MANY_TOOLS ||
      countOffered(downstreams(), this.settings) >= MANY_TOOLS
    );
  }

  #rebuild(): View | undefined {
    this.#isStale = false;
    try {
      this.#latest = this.#maker.makeNow();
      return this.#latest;
    } catch (error) {
      // A bug in the gateway must not stop it: the view in force stays.
      this.#ports.log("error", `the view could not be renewed: ${describeError(error)}`);
      return undefined;
    }
  }

  /** Builds a view of many tools between other requests. It takes effect when its names are recorded. */
  async #rebuildInSlices(): Promise<void> {
    this.#isStale = false;
    const made = this.#maker.begin();
    try {
      const next = await runInSlices(this.#maker.steps(made));
      if (next !== undefined) {
        this.#latest = next;
        await runInSlices(next.guard.prepareSteps(next.snapshot));
        await this.#recordManyNames(next);
      }
      const end = this.#maker.end(made);
      this.#preparing = undefined;
      if (end === "outdated") this.#isStale = true;
      else if (end === "good" && next === this.#latest) this.#swap(next);
    } catch (error) {
      this.#ports.log("error", `the view could not be renewed: ${describeError(error)}`);
      this.#maker.end(made);
      this.#preparing = undefined;
    }
    this.bringUpToDate();
  }

  /** Reads the offers of large inventories in slices before a view is built from them. */
  #prepareOffers(): Promise<void> | undefined {
    if (this.#preparing !== undefined) return this.#preparing;
    const { servers, naming } = this.settings;
    for (const [index, downstream] of this.#ports.downstreams().entries()) {
      const server = servers[index];
      if (downstream === undefined || server === undefined) continue;
      this.#preparing = prepareOffer(downstream, server, naming.references)?.then(() => {
        this.#preparing = undefined;
        this.bringUpToDate();
      });
      if (this.#preparing !== undefined) return this.#preparing;
    }
    return undefined;
  }

  /** Records the names of many tools in slices for connected clients before the view takes effect. */
  #recordManyNames({ snapshot }: View): Promise<unknown> | undefined {
    if (snapshot.tools.catalog.tools.length < MANY_TOOLS) return undefined;
    const waits = this.#ports.callers().flatMap((caller) => snapshot.recording.recordTools(caller) ?? []);
    if (waits.length === 0) return undefined;
    return Promise.all(waits).catch((error: unknown) => this.#ports.log("error", describeError(error)));
  }
}

// Records names before they are shown: in a local lock at once, in a shared lock with a write that may be
// refused. Unrecorded names are not shown.

export interface NameRecorder extends RecordedNames {
  readonly close: () => void;
}

export interface NameRecorderOptions {
  readonly keepers: readonly NameKeeper[];
  readonly latestView: () => View;
  /** Rebuild the view from the names that are known now. */
  readonly refresh: () => void;
  /** The store may accept names again. */
  readonly retry: () => void;
}

/** Optimistic writes to the shared lock. Losing this many races in a row means a bug, not contention. */
const MAX_SWAP_ATTEMPTS = 50;
/** Pause after the store refused a write. */
const RETRY_DELAY_MS = 1_000;

export function createNameRecorder({
  keepers,
  latestView,
  refresh,
  retry,
}: NameRecorderOptions): NameRecorder {
  const shared = keepers.filter(isShared);
  for (const keeper of shared) keeper.watch(refresh);
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Writes run one after the other, so that a caller that waits for the same names finds them recorded. */
  let queue: Promise<unknown> = Promise.resolve();

  const pause = (): void => {
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      retry();
    }, RETRY_DELAY_MS);
    retryTimer.unref();
  };
  /** Whether nothing is left to do. */
  const recordOnce = async (choice: NamesChoice): Promise<boolean> => {
    const { recording } = latestView().snapshot;
    if (recording.isDone(choice) || retryTimer !== undefined) return true;
    let isNew = false;
    for (const { keeper, before, draft } of recording.drafts(choice)) {
      if (draft.kind === "recorded") continue;
      if (draft.kind === "stale") refresh();
      const outcome = draft.kind === "stale" ? "moved" : await keeper.swap(before, draft.next);
      if (outcome === "failed" && !isClosed) pause();
      if (outcome !== "kept") return outcome === "failed";
      isNew = true;
    }
    recording.setDone(choice);
    // Rebuild what was derived while names were missing.
    if (!isNew || !recording.isPartial()) return true;
    refresh();
    return false;
  };
  const recordNames = (choice: NamesChoice): View | Promise<View> => {
    const now = latestView();
    const { recording } = now.snapshot;
    if (recording.isDone(choice)) return now;
    const recorded = recording.recordTools(choice);
    if (recorded !== undefined) return recorded.then(() => recordNames(choice));
    if (shared.length === 0) recording.setDone(choice);
    if (shared.length === 0 || retryTimer !== undefined) return now;
    const done = queue.then(async () => {
      for (let tries = 0; tries < MAX_SWAP_ATTEMPTS && !(await recordOnce(choice)); tries += 1);
      return latestView();
    });
    queue = done.catch(() => {});
    return done;
  };
  return {
    isShared: shared.length > 0,
    recordNames,
    async recordPromptNames(choice) {
      for (;;) {
        const now = await recordNames(choice);
        const recorded = now.snapshot.recording.recordPrompts(choice);
        if (recorded === undefined) return now;
        await recorded;
      }
    },
    async reload() {
      await Promise.all(shared.map((keeper) => keeper.renew()));
    },
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
    },
  };
}
