// The view in force, swapped as a whole. Changes that arrive together make one new view. Slow work (reading
// and naming thousands of tools) runs in slices while the last view stays in force (SAFE-4).

import type { Downstream } from "../downstream/downstream.js";
import type { Log } from "../model/log.js";
import { MANY_TOOLS, runAtOnce, runInSlices, type Steps } from "../model/run-slices.js";
import type { Caller } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import {
  type GatewaySnapshot,
  type GatewaySnapshotInput,
  gatewaySnapshotSteps,
} from "./catalog/gateway-snapshot.js";
import type { LogProblems } from "./catalog/log-problems.js";
import { recordRenames } from "./catalog/name-lock.js";
import { countOffered, prepareOffer } from "./catalog/read-offer.js";
import { describeError } from "./failure-codes.js";
import type { View } from "./gateway-context.js";
import { createToolLists } from "./listing/tool-lists.js";
import { buildViewSearch } from "./search/build-tool-search.js";
import type { GatewaySettings } from "./settings.js";
import { ownToolNames } from "./toolboxes/format-meta-tools.js";

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

  /** The current view, with every change that is prepared. */
  readonly get = (): View => {
    if (this.#maker.hasEnded()) this.#isStale = true;
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
      this.get();
    });
    if (names === undefined) this.#swap(next);
    return this.#view;
  };

  /** Call after a change. After `close`, the last view stays for calls that are still served. */
  readonly refresh = (): void => {
    if (this.#isStale || this.#isClosed) return;
    this.#isStale = true;
    setImmediate(this.get);
  };

  /** Resolves when the view contains everything that is known. */
  async prepared(): Promise<void> {
    for (;;) {
      if (this.#isStale) this.get();
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
    this.get();
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
        this.get();
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

// Builds views: at once, or in steps for large catalogs (SAFE-4). New settings or newly recorded names may
// overtake a view that is built in steps; it is then built again or dropped.

export interface ViewMakerOptions extends Pick<GatewaySnapshotInput, "locks"> {
  readonly settings: () => GatewaySettings;
  readonly guard: () => Guard;
  /** In the order of the settings. */
  readonly downstreams: () => readonly (Downstream | undefined)[];
  readonly isClosed: () => boolean;
  readonly logProblems: LogProblems;
  /** The current date, YYYY-MM-DD. */
  readonly today: () => string;
}

/** A view that is being built in steps. */
interface Making {
  /**
   * Names of the view in force were recorded that this view does not know: it might give them to other tools.
   */
  isOutdated: boolean;
}

export interface ViewMaker {
  /** Builds at once. This overtakes a view that is being built in steps. */
  readonly makeNow: () => View;
  /** Starts to build in steps; one view at a time. */
  readonly begin: () => Making;
  /** Yields `undefined` if the view was overtaken. */
  readonly steps: (made: Making) => Steps<View | undefined>;
  /** The state of the view after its names were recorded. */
  readonly end: (made: Making) => "good" | "outdated" | "overtaken";
  /** Whether the next view may be built in steps. False after repeated outdated ones. */
  readonly maySlice: () => boolean;
  /** A rename ended: its last day is over since the last view. */
  readonly hasEnded: () => boolean;
}

/**
 * After this many outdated views in a row, build at once: a caller that keeps adding names must not delay the
 * view for others.
 */
const MAX_OUTDATED = 3;

export function createViewMaker(options: ViewMakerOptions): ViewMaker {
  const { locks, logProblems } = options;
  let making: Making | undefined;
  let outdated = 0;
  /** The date of the view, if a rename has a last day. */
  let day: string | undefined;

  const isGivenUp = (made: Making): boolean => making !== made || made.isOutdated || options.isClosed();

  const makeSteps = function* (made?: Making): Steps<View | undefined> {
    const [settings, guard, today] = [options.settings(), options.guard(), options.today()];
    const input: GatewaySnapshotInput = {
      settings,
      downstreams: options.downstreams(),
      locks,
      today,
      reserved: ownToolNames(settings.naming.as),
      watch: {
        onRecorded: () => {
          if (making !== undefined && making !== made) making.isOutdated = true;
        },
        isOutdated: () => made?.isOutdated === true,
      },
    };
    day = settings.renames.some(({ until }) => until !== undefined) ? today : undefined;
    const snapshot = yield* gatewaySnapshotSteps(input);
    const knownSteps = function* (): Steps<GatewaySnapshot> {
      if (snapshot.missing.length === 0) return snapshot;
      return yield* gatewaySnapshotSteps({ ...input, scope: "known" });
    };
    let known = made === undefined ? undefined : yield* knownSteps();
    const knownView = (): GatewaySnapshot => {
      known ??= runAtOnce(knownSteps());
      return known;
    };
    const problems = yield* guard.problemSteps(snapshot);
    // From here on in one step: only a view that takes effect is recorded and logged.
    if (made !== undefined && isGivenUp(made)) return undefined;
    recordRenames(snapshot.tools, locks.tools);
    logProblems(snapshot.tools.problems);
    guard.adoptSnapshot(snapshot);
    logProblems(problems);
    const [lists, search] = [createToolLists(snapshot), buildViewSearch(snapshot)];
    return { snapshot, known: knownView, lists, search, guard };
  };

  return {
    makeNow() {
      making = undefined;
      outdated = 0;
      // Nothing overtakes a view that is built at once.
      return runAtOnce(makeSteps()) as View;
    },
    begin() {
      making = { isOutdated: false };
      return making;
    },
    steps: makeSteps,
    end(made) {
      if (making !== made) return "overtaken";
      making = undefined;
      outdated = made.isOutdated ? outdated + 1 : 0;
      return made.isOutdated ? "outdated" : "good";
    },
    maySlice: () => outdated < MAX_OUTDATED,
    hasEnded: () => day !== undefined && day !== options.today(),
  };
}
