// Builds views: at once, or in steps for large catalogs (SAFE-4). New settings or newly recorded names may
// overtake a view that is built in steps; it is then built again or dropped.

import type { Downstream } from "../../downstream/downstream.js";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import type { Guard } from "../calls/guard.js";
import {
  type GatewaySnapshot,
  type GatewaySnapshotInput,
  gatewaySnapshotSteps,
} from "../catalog/gateway-snapshot.js";
import type { LogProblems } from "../catalog/log-problems.js";
import { recordRenames } from "../catalog/name-lock.js";
import { serverState } from "../catalog/server-state.js";
import type { View } from "../gateway-context.js";
import { createSharedTexts } from "../listing/shared-texts.js";
import { createToolLists } from "../listing/tool-lists.js";
import { createViewSearch } from "../search/view-search.js";
import type { GatewaySettings } from "../settings.js";
import { ownToolNames } from "../toolboxes/meta-tools.js";

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

/** What a view is built from. It does not change while the view is built. */
export interface ViewInput extends Pick<GatewaySnapshotInput, "settings" | "servers" | "today"> {
  readonly guard: Guard;
}

/** A view that is being built in steps. */
interface Making {
  readonly input: ViewInput;
  /**
   * Names of the view in force were recorded that this view does not know: it might give them to other tools.
   */
  isOutdated: boolean;
}

export interface ViewMaker {
  /** What there is now. */
  readonly takeInput: () => ViewInput;
  /** Builds at once. This overtakes a view that is being built in steps. */
  readonly makeNow: (input?: ViewInput) => View;
  /** Starts to build in steps; one view at a time. */
  readonly begin: (input?: ViewInput) => Making;
  /** Yields `undefined` if the view was overtaken. */
  readonly steps: (made: Making) => Steps<View | undefined>;
  /** The state of the view after its names were recorded. */
  readonly end: (made: Making) => "good" | "outdated" | "overtaken";
  /** Whether the next view may be built in steps. False after repeated outdated ones. */
  readonly maySlice: () => boolean;
  /** The date of the last view, if a rename has a last day: on another date it may have ended. */
  readonly day: string | undefined;
}

/**
 * After this many outdated views in a row, build at once: a caller that keeps adding names must not delay the
 * view for others.
 */
const MAX_OUTDATED = 3;

export function createViewMaker(options: ViewMakerOptions): ViewMaker {
  const { locks, logProblems } = options;
  const takeInput = (): ViewInput => ({
    settings: options.settings(),
    guard: options.guard(),
    servers: options
      .downstreams()
      .map((downstream) => (downstream === undefined ? undefined : serverState(downstream))),
    today: options.today(),
  });
  let making: Making | undefined;
  let outdated = 0;

  const isGivenUp = (made: Making): boolean => making !== made || made.isOutdated || options.isClosed();

  const makeSteps = function* (
    { settings, guard, servers, today }: ViewInput,
    made?: Making,
  ): Steps<View | undefined> {
    const input: GatewaySnapshotInput = {
      settings,
      servers,
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
    maker.day = settings.renames.some(({ until }) => until !== undefined) ? today : undefined;
    const snapshot = yield* gatewaySnapshotSteps(input);
    const knownSteps = function* (): Steps<GatewaySnapshot> {
      if (!snapshot.hasAbsent) return snapshot;
      return yield* gatewaySnapshotSteps({ ...input, scope: "known" });
    };
    let known = made === undefined ? undefined : yield* knownSteps();
    const knownView = (): GatewaySnapshot => {
      known ??= runAtOnce(knownSteps());
      return known;
    };
    // From here on in one step: only a view that takes effect is recorded and logged.
    if (made !== undefined && isGivenUp(made)) return undefined;
    recordRenames(snapshot.tools, locks.tools);
    logProblems(snapshot.tools.problems);
    logProblems(snapshot.textProblems);
    guard.adoptSnapshot(snapshot);
    const [lists, search] = [createToolLists(snapshot), createViewSearch(snapshot)];
    return { snapshot, known: knownView, lists, texts: createSharedTexts(), search, guard };
  };

  const maker = {
    day: undefined as string | undefined,
    takeInput,
    makeNow(input = takeInput()) {
      making = undefined;
      outdated = 0;
      // Nothing overtakes a view that is built at once.
      return runAtOnce(makeSteps(input)) as View;
    },
    begin(input = takeInput()): Making {
      making = { input, isOutdated: false };
      return making;
    },
    steps: (made: Making) => makeSteps(made.input, made),
    end(made: Making) {
      if (making !== made) return "overtaken";
      making = undefined;
      outdated = made.isOutdated ? outdated + 1 : 0;
      return made.isOutdated ? "outdated" : "good";
    },
    maySlice: () => outdated < MAX_OUTDATED,
  };
  return maker satisfies ViewMaker;
}
