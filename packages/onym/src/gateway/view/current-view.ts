// The view in force, swapped as a whole, and its names, recorded before they are shown. Changes that arrive together make one
// new view. Slow work (reading and naming thousands of tools) runs in slices while the last view stays in force (SAFE-4). A view
// that is begun is finished and put in force, though there may be newer changes by then: they are for the next one. Below it: how
// names are recorded.

import type { Downstream } from "../../downstream/downstream.js";
import { type Clock, systemEdgeClock } from "../../model/clock.js";
import type { Log } from "../../model/log.js";
import { MANY_TOOLS, runFirstSteps, runInSlices } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import type { Guard } from "../calls/guard.js";
import type { GatewaySnapshotInput, NamesChoice } from "../catalog/gateway-snapshot.js";
import type { LogProblems } from "../catalog/log-problems.js";
import { isShared, type NameKeeper } from "../catalog/name-lock.js";
import { countOffered, prepareOffer } from "../catalog/read-offer.js";
import { firstChoices } from "../catalog/snapshot-tables.js";
import { describeError } from "../failure-codes.js";
import type { RecordedNames, View } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import { createViewMaker, type ViewInput, type ViewMaker } from "./create-view-maker.js";

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
  readonly clock?: Clock | undefined;
}

/** Of the search for rules that are about nothing: few tools are looked at at once. */
const FIRST_STEPS = 10;

export class CurrentView {
  settings: GatewaySettings;
  guard: Guard;
  readonly #ports: CurrentViewPorts;
  readonly #clock: Clock;
  readonly #maker: ViewMaker;
  /** Set by `start`. */
  #view!: View;
  /** How many changes there were, how many of them are in force, and the last one that requests wait for. */
  #changes = 0;
  #contained = 0;
  #awaited = 0;
  #isScheduled = false;
  /** Rules that are about nothing are looked for. */
  #isTelling = false;
  #isClosed = false;
  #epoch = 0;
  /** The view that is being built. */
  #building: Promise<void> | undefined;
  /** Cancels the pause after a view that was built in slices. */
  #endPause: (() => void) | undefined;

  constructor(settings: GatewaySettings, guard: Guard, ports: CurrentViewPorts) {
    this.settings = settings;
    this.guard = guard;
    this.#ports = ports;
    this.#clock = ports.clock ?? systemEdgeClock;
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
    void this.#tellIdleRules();
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
    const isStale = this.#changes > this.#contained || (day !== undefined && day !== this.#ports.today());
    if (isStale && this.#building === undefined && !this.#isClosed && !this.#isPaused()) this.#build();
    return this.#view;
  };

  /** Call after a change. After `close`, the last view stays for calls that are still served. */
  readonly refresh = (): void => {
    this.#awaited = this.#changes + 1;
    this.refreshList();
  };

  /** Call after a server changed its lists: no request waits for that, as clients are told when it is in force (SAFE-5). */
  readonly refreshList = (): void => {
    this.#changes += 1;
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.bringUpToDate();
    });
  };

  /** Resolves when the view contains every change up to now that requests wait for. Later ones have no part in it. */
  async prepared(): Promise<void> {
    const awaited = this.#awaited;
    for (;;) {
      this.bringUpToDate();
      if (this.#isClosed || this.#contained >= awaited || this.#building === undefined) return;
      await this.#building;
    }
  }

  /** Applies settings at once. */
  adopt(settings: GatewaySettings, guard: Guard): void {
    this.settings = settings;
    this.guard = guard;
  }

  /** Builds and swaps: at once where that is quick, else in slices. Resolves when the new view is in force. */
  async renew(): Promise<void> {
    this.#changes += 1;
    this.#awaited = this.#changes;
    await this.prepared();
  }

  close(): void {
    this.#isClosed = true;
    this.#endPause?.();
  }

  #isPaused(): boolean {
    if (this.#endPause === undefined) return false;
    if (this.#awaited <= this.#contained) return true;
    this.#endPause();
    this.#endPause = undefined;
    return false;
  }

  #build(): void {
    const input = this.#maker.takeInput();
    const contained = this.#changes;
    const offers = this.#prepareOffers(input);
    if (offers !== undefined || (this.#isLarge(input) && this.#maker.maySlice())) {
      this.#building = this.#buildInSlices(input, { contained, offers });
      return;
    }
    const next = this.#makeNow(input);
    const names = next === undefined ? undefined : this.#recordManyNames(next);
    if (names === undefined) {
      this.#putInForce(next, contained);
      return;
    }
    this.#building = names.then(() => {
      this.#building = undefined;
      this.#putInForce(next, contained);
      this.bringUpToDate();
    });
  }

  #putInForce(next: View | undefined, contained: number): void {
    this.#contained = contained;
    if (this.#isClosed || next === undefined) return;
    this.#view = next;
    this.#ports.onSwap();
    void this.#tellIdleRules();
  }

  /** Once the view is in force: what idle rules may mean is looked up among all spellings of all tools, which nobody waits for. */
  async #tellIdleRules(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    const { guard, snapshot } = this.#view;
    try {
      const found = runFirstSteps(guard.problemSteps(snapshot), FIRST_STEPS);
      this.#ports.logProblems("value" in found ? found.value : await found);
    } catch (error) {
      this.#ports.log("error", `idle rules could not be looked for: ${describeError(error)}`);
    }
    this.#isTelling = false;
    if (this.#view.snapshot !== snapshot && !this.#isClosed) void this.#tellIdleRules();
  }

  /** Names on record take time too: those of a server that is down are kept for it. */
  #isLarge({ servers, settings }: ViewInput): boolean {
    return (
      this.#ports.locks.tools.current().tools.size >= MANY_TOOLS ||
      countOffered(servers, settings) >= MANY_TOOLS
    );
  }

  #makeNow(input: ViewInput): View | undefined {
    try {
      return this.#maker.makeNow(input);
    } catch (error) {
      // A bug in the gateway must not stop it: the view in force stays.
      this.#ports.log("error", `the view could not be renewed: ${describeError(error)}`);
      return undefined;
    }
  }

  /**
   * Builds a view of many tools between other requests. It takes effect when its names are recorded. A server that changes its
   * lists all the time takes half of the time at most: so long as one view took, the next is not begun, unless requests wait
   * for it.
   */
  async #buildInSlices(
    input: ViewInput,
    { contained, offers }: { readonly contained: number; readonly offers: Promise<void> | undefined },
  ): Promise<void> {
    const begunAt = this.#clock.now();
    try {
      await offers;
      if (this.#maker.maySlice()) {
        const made = this.#maker.begin(input);
        const next = await runInSlices(this.#maker.steps(made)).catch((error: unknown) => {
          this.#maker.end(made);
          throw error;
        });
        if (next !== undefined) {
          await runInSlices(next.guard.prepareSteps(next.snapshot));
          await this.#recordManyNames(next);
        }
        const end = this.#maker.end(made);
        this.#building = undefined;
        if (end === "good") this.#putInForce(next, contained);
      } else {
        const next = this.#makeNow(input);
        if (next !== undefined) await this.#recordManyNames(next);
        this.#building = undefined;
        this.#putInForce(next, contained);
      }
    } catch (error) {
      this.#ports.log("error", `the view could not be renewed: ${describeError(error)}`);
      this.#building = undefined;
      this.#contained = contained;
    }
    this.#pause(this.#clock.now() - begunAt);
    this.bringUpToDate();
  }

  #pause(ms: number): void {
    this.#endPause?.();
    this.#endPause = this.#clock.after(ms, () => {
      this.#endPause = undefined;
      this.bringUpToDate();
    });
  }

  /** Reads the offers of large inventories in slices, one after the other, before a view is built from them. */
  #prepareOffers(input: ViewInput, from = 0): Promise<void> | undefined {
    const { settings, servers } = input;
    for (const [index, state] of servers.entries()) {
      const server = settings.servers[index];
      if (index < from || state === undefined || server === undefined) continue;
      const preparing = prepareOffer(state, server, settings.naming.references);
      if (preparing !== undefined) return preparing.then(() => this.#prepareOffers(input, index + 1));
    }
    return undefined;
  }

  /** Records the names of many tools in slices for connected clients before the view takes effect. */
  #recordManyNames({ snapshot }: View): Promise<void> | undefined {
    if (snapshot.tools.catalog.tools.length < MANY_TOOLS) return undefined;
    const choices = firstChoices(this.#ports.callers());
    if (choices.length === 0) return undefined;
    const record = async (): Promise<void> => {
      for (const choice of choices) await snapshot.recording.recordTools(choice);
    };
    return record().catch((error: unknown) => this.#ports.log("error", describeError(error)));
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
