// The view in force, swapped as a whole. Changes that arrive together make one new view. Slow work (reading
// and naming thousands of tools) runs in slices while the last view stays in force (SAFE-4).

import type { Downstream } from "../downstream/downstream.js";
import type { Log } from "../model/log.js";
import { MANY_TOOLS, runInSlices } from "../model/run-slices.js";
import type { Caller } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import type { GatewaySnapshotInput } from "./catalog/gateway-snapshot.js";
import { countOffered, prepareOffer } from "./catalog/keep-offer.js";
import type { LogProblems } from "./catalog/log-problems.js";
import { describeError } from "./describe-error.js";
import type { View } from "./gateway-context.js";
import type { GatewaySettings } from "./settings.js";
import { createViewMaker, type ViewMaker } from "./view-maker.js";

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
    if (countOffered(this.#ports.downstreams(), this.settings) >= MANY_TOOLS && this.#maker.maySlice()) {
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

  /** Builds and swaps without waiting. */
  renew(): void {
    this.#swap(this.#rebuild());
  }

  close(): void {
    this.#isClosed = true;
  }

  #swap(next: View | undefined): void {
    if (this.#isClosed || next === undefined) return;
    this.#view = next;
    this.#ports.onSwap();
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
