// The gateway: downstreams on one side, callers on the other, one view between them that is swapped as a whole.

import { createDownstream } from "../downstream/create-downstream.js";
import type { Downstream, DownstreamEvents, DownstreamId } from "../downstream/downstream.js";
import type { Credentials } from "../downstream/http/credentials.js";
import { createTickets } from "../mcp/fast-path/tickets.js";
import type { Launch } from "../model/launch.js";
import type { Log } from "../model/log.js";
import type { Tracer } from "../telemetry/create-tracer.js";
import type { Caller, Session } from "./caller.js";
import { type Guard, OPEN_GUARD } from "./calls/guard.js";
import { createAliasAdmission } from "./catalog/admit-aliases.js";
import {
  buildGatewaySnapshot,
  type GatewaySnapshot,
  type GatewaySnapshotInput,
} from "./catalog/gateway-snapshot.js";
import { prepareOffer } from "./catalog/keep-offer.js";
import { createProblemLog } from "./catalog/log-problems.js";
import { type NameKeeper, recordRenames } from "./catalog/name-lock.js";
import { createNameRecorder } from "./catalog/name-recorder.js";
import { createChangeFeed } from "./change-feed.js";
import { createRouter } from "./create-router.js";
import { describeError } from "./describe-error.js";
import { createDownstreamSet } from "./downstream-set.js";
import { createSuspendedCalls } from "./forward/suspended-calls.js";
import type { GatewayContext, View } from "./gateway-context.js";
import { createToolLists } from "./listing/tool-lists.js";
import { createPendingRequests } from "./pending-requests.js";
import { resubscribe } from "./resource-subscriptions.js";
import type { Router } from "./router.js";
import { buildViewSearch } from "./search/build-view-search.js";
import { createServerInfo } from "./server-info.js";
import type { GatewaySettings } from "./settings.js";
import { createToolboxes } from "./toolboxes/create-toolboxes.js";
import { ownToolNames } from "./toolboxes/format-meta-tools.js";
import { traceRouter } from "./tracing/trace-router.js";
import { answerUnsolicited } from "./unsolicited-requests.js";
import type { CallerIdentity } from "./visibility/caller-access.js";
import { reaches } from "./visibility/confined-view.js";

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** What callers may see and run; everything where it is absent. */
  readonly guard?: Guard;
  /** Whoever keeps the tokens for a downstream that wants some. */
  readonly credentialsFor?: (id: DownstreamId, launch: Launch) => Credentials | undefined;
  /** Traces every request; nothing is traced where it is absent. */
  readonly tracer?: Tracer | undefined;
  readonly log: Log;
  readonly version: string;
  /** YYYY-MM-DD, as of now. */
  readonly today: () => string;
  /** Told of every change of a downstream's state, for progress and `doctor`. */
  readonly onStatus?: (downstream: Downstream) => void;
  /** Told after work that takes much memory for a moment, with the number of tools it was about. */
  readonly onWork?: (tools: number) => void;
}

export interface Gateway {
  readonly router: Router;
  readonly snapshot: () => GatewaySnapshot;
  readonly downstreams: () => readonly Downstream[];
  /** Whether a caller may see anything of a server. */
  readonly reaches: (caller: CallerIdentity, id: DownstreamId) => boolean;
  /** Resolves when no downstream is in its first attempt any more, or after `ms`. */
  readonly settle: (ms: number) => Promise<void>;
  /** Goes over to new settings. What did not change is not touched. */
  readonly adopt: (settings: GatewaySettings, guard?: Guard) => void;
  /** Lets calls under way end, then closes every downstream. */
  readonly close: () => Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { log, locks, version } = options;
  const serverInfoFor = createServerInfo(version);
  /** What it is to downstreams, whatever clients call it. */
  const serverInfo = serverInfoFor(undefined);
  let settings = options.settings;
  let guard = options.guard ?? OPEN_GUARD;
  const sessions = new Set<Session>();
  const suspended = createSuspendedCalls({ maxOwn: () => settings.limits.callerQuestions });

  /** Modern callers whose requests are under way. */
  const visitors = createTickets<Caller>();

  let view: View;
  /** The last one whose changes were told. */
  let announced: View;
  let isStale = false;
  let isClosed = false;
  /** The day of the view, where a rename ends with a day. */
  let day: string | undefined;
  const tellProblems = createProblemLog(log);
  const look = (): View => {
    const today = options.today();
    day = settings.renames.some(({ until }) => until !== undefined) ? today : undefined;
    const input: GatewaySnapshotInput = {
      settings,
      downstreams: set.list(),
      locks,
      today,
      reserved: ownToolNames(settings.naming.as),
    };
    const snapshot = buildGatewaySnapshot(input);
    recordRenames(snapshot.tools, locks.tools);
    let known: GatewaySnapshot | undefined;
    const knownView = (): GatewaySnapshot => {
      known ??= snapshot.missing.length === 0 ? snapshot : buildGatewaySnapshot({ ...input, scope: "known" });
      return known;
    };
    tellProblems(snapshot.tools.problems);
    guard.meet(snapshot);
    tellProblems(guard.problems(snapshot));
    const done = (): void => options.onWork?.(snapshot.tools.catalog.tools.length);
    const lists = createToolLists(snapshot, done);
    done();
    return { snapshot, known: knownView, lists, search: buildViewSearch(snapshot), guard };
  };
  /** Many changes at once make one new view. A gateway that closes keeps the last one, for who is still served. */
  const refresh = (): void => {
    if (isStale || isClosed) return;
    isStale = true;
    setImmediate(() => void fresh());
  };
  /** What is asked for now is answered with what is known now. */
  const fresh = (): View => {
    if (day !== undefined && day !== options.today()) isStale = true;
    if (!isStale || isClosed || prepare() !== undefined) return view;
    const next = lookAgain();
    const names = next === undefined ? undefined : prepareNames(next);
    preparing = names?.then(() => {
      preparing = undefined;
      if (next === latest) swap(next);
      fresh();
    });
    if (names === undefined && next !== undefined) swap(next);
    return view;
  };
  /** The last one that was made, in force or about to be. */
  let latest: View | undefined;
  const lookAgain = (): View | undefined => {
    isStale = false;
    try {
      latest = look();
      return latest;
    } catch (error) {
      // A bug of ours; it must not take the gateway down. What was in force stays.
      log("error", `the view could not be renewed: ${describeError(error)}`);
      return undefined;
    }
  };
  const swap = (next: View | undefined): void => {
    if (isClosed || next === undefined) return;
    view = next;
    announce();
  };
  /** The names of many tools are made in slices for those who are connected, before the view with them is in force. */
  const prepareNames = (next: View): Promise<unknown> | undefined => {
    const waits = [...sessions, ...feed.callers()].flatMap(
      (caller) => next.snapshot.recording.prepare(caller) ?? [],
    );
    if (waits.length === 0) return undefined;
    return Promise.all(waits).catch((error: unknown) => log("error", describeError(error)));
  };
  /** What large inventories offer is read in slices before a view is made of it; until then the one in force stays. */
  let preparing: Promise<void> | undefined;
  const prepare = (): Promise<void> | undefined => {
    if (preparing !== undefined) return preparing;
    for (const [index, downstream] of set.list().entries()) {
      const server = settings.servers[index];
      if (downstream === undefined || server === undefined) continue;
      preparing = prepareOffer(downstream, server, settings.naming.references)?.then(() => {
        preparing = undefined;
        fresh();
      });
      if (preparing !== undefined) return preparing;
    }
    return undefined;
  };
  const prepared = async (): Promise<void> => {
    while (!isClosed && (preparing ?? (isStale ? prepare() : undefined)) !== undefined) await preparing;
  };
  /** Names that are not on record yet are no news: who is told of them would not find them in the list. */
  const announce = (): void => {
    if (names.isShared) void names.recordAll(feed.callers(), announceNow);
    else announceNow();
  };
  const announceNow = (): void => {
    const lists = feed.prepare(view, settings);
    if (lists !== undefined) {
      lists.then(announceNow, (error: unknown) => log("error", describeError(error)));
      return;
    }
    const before = announced;
    announced = view;
    if (before !== view) feed.announce(before, view, settings);
  };
  const names = createNameRecorder({
    keepers: [locks.tools, locks.prompts],
    view: () => fresh(),
    refresh: () => refresh(),
    retry: () => void names.recordAll(feed.callers(), () => {}),
    log,
  });
  const feed = createChangeFeed({
    sessions,
    visitors,
    view: fresh,
    viewWithNames: names.viewWithNames,
    settings: () => settings,
    log,
  });

  const events: DownstreamEvents = {
    onStatus(downstream) {
      const { id, status } = downstream;
      const isReady = status.kind === "ready" && status.unhealthy === undefined;
      if (isReady)
        log("info", "server is ready", { server: id.server, toolbox: id.toolbox, revision: status.revision });
      options.onStatus?.(downstream);
      // One that is unhealthy stays in every list.
      if (status.kind === "ready" && !isReady) return;
      refresh();
      if (isReady)
        setImmediate(() => void prepared().then(() => resubscribe(feed.followed(), downstream, context)));
    },
    onInventory: refresh,
    onNotification: (downstream, notification, receiver) =>
      feed.relay(downstream, notification, fresh().snapshot, receiver),
    onServerRequest: (downstream, serverRequest, signal, receiver) =>
      answerUnsolicited({
        serverRequest,
        signal,
        receiver,
        sessions,
        visitors,
        downstream,
        reaches: (session) => reaches(fresh(), session, downstream.id),
        log,
      }),
  };
  const set = createDownstreamSet((id, launch) =>
    createDownstream({
      id,
      launch,
      limits: settings.limits,
      events,
      log,
      clientInfo: serverInfo,
      credentials: options.credentialsFor?.(id, launch),
    }),
  );
  const toolboxes = createToolboxes({
    settings: () => settings,
    connect: (toolbox) => {
      const made = set.connect(toolbox);
      refresh();
      return made;
    },
    disconnect: (toolbox) => {
      set.disconnect(toolbox);
      refresh();
    },
  });
  const context: GatewayContext = {
    view: fresh,
    settings: () => settings,
    async settle() {
      await set.settle(settings.limits.listMs);
      await prepared();
      await fresh().guard.settled();
    },
    toolboxes,
    forward: {
      suspended,
      serverInfo,
      get callMs() {
        return settings.limits.callMs;
      },
    },
    isSubscribed: feed.isFollowed,
    names,
    changed(session) {
      if (names.isShared) void names.recordAll([session], () => feed.check(session));
      else feed.check(session);
    },
    serverInfo,
    serverInfoFor,
    logProblems: tellProblems,
    log,
  };

  guard.watch(refresh);
  set.adopt(settings, toolboxes.held());
  view = look();
  announced = view;
  const pendingRequests = createPendingRequests();
  const admitAlias = createAliasAdmission({
    configured: () => settings.naming.as,
    lock: locks.tools.current,
    maxOwn: () => settings.limits.callerAliases,
  });
  const bare = createRouter({
    context,
    sessions,
    visitors,
    feed,
    pendingRequests,
    downstreams: set.all,
    admitAlias,
  });
  const router = options.tracer === undefined ? bare : traceRouter(bare, options.tracer);
  return {
    router,
    snapshot: () => fresh().snapshot,
    downstreams: set.all,
    reaches: (caller, id) => reaches(fresh(), caller, id),
    async settle(ms) {
      await set.settle(ms);
      await prepared();
    },
    adopt(next, nextGuard = guard) {
      if (isClosed) return;
      const before = guard;
      settings = next;
      guard = nextGuard;
      if (before !== guard) {
        guard.watch(refresh);
        void before.close();
      }
      toolboxes.adopt();
      set.adopt(next, toolboxes.held());
      // Settings are in force at once.
      swap(lookAgain());
    },
    async close() {
      isClosed = true;
      const left = await pendingRequests.drain(settings.limits.drainMs);
      names.close();
      toolboxes.closeAll();
      await set.close(left);
      suspended.closeAll();
      await guard.close();
    },
  };
}
