// The gateway: servers on one side, callers on the other, and between them one view that is swapped as a
// whole.

import { findProfile, type Profile, type Tool } from "@onym/core";
import { createDownstream } from "../downstream/create-downstream.js";
import type { Downstream, DownstreamEvents, DownstreamId } from "../downstream/downstream.js";
import type { Credentials } from "../downstream/http/credentials.js";
import { createTickets } from "../mcp/fast-path/in-flight.js";
import { MODERN_REVISION } from "../mcp/protocol.js";
import type { CallSink } from "../model/call-report.js";
import { type Launch, launchFingerprint } from "../model/launch.js";
import type { Log } from "../model/log.js";
import { runInSlices } from "../model/run-slices.js";
import type { Tracer } from "../telemetry/create-tracer.js";
import type { Caller, Session } from "./caller.js";
import { type Guard, type GuardedCall, type OngoingDecision, OPEN_GUARD } from "./calls/guard.js";
import type { GatewaySnapshot } from "./catalog/gateway-snapshot.js";
import { createProblemLog } from "./catalog/log-problems.js";
import type { NameKeeper } from "./catalog/name-lock.js";
import { createAliasAdmission } from "./choose-profile.js";
import { createRouter, createServerInfo } from "./create-router.js";
import { createDownstreamSet } from "./downstream-set.js";
import { createSessionRequests } from "./forward/session-requests.js";
import { createSuspendedCalls } from "./forward/suspended-calls.js";
import type { GatewayContext, View } from "./gateway-context.js";
import { createRefusalLog } from "./observe/observation.js";
import { resubscribeSteps } from "./resources/resource-subscriptions.js";
import type { Router } from "./router.js";
import { createPendingRequests } from "./sessions/in-flight-requests.js";
import type { GatewaySettings } from "./settings.js";
import { createToolboxes } from "./toolboxes/create-toolboxes.js";
import { traceRouter } from "./tracing/trace-router.js";
import { announceRoots, answerUnsolicited } from "./unsolicited-requests.js";
import { Announcements } from "./view/announcements.js";
import { createChangeFeed } from "./view/change-feed.js";
import { CurrentView, createNameRecorder } from "./view/current-view.js";
import { accessOf, reaches } from "./visibility/caller-visibility.js";
import type { CallerIdentity, Visibility } from "./visibility/visibility.js";

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** What callers may see and run; absent: everything. */
  readonly guard?: Guard;
  /** Keeps the tokens for servers that need them. */
  readonly credentialsFor?: (id: DownstreamId, launch: Launch) => Credentials | undefined;
  /** Traces every request; absent: no tracing. */
  readonly tracer?: Tracer | undefined;
  /** Receive the outcome of every request. */
  readonly sinks?: readonly CallSink[] | undefined;
  readonly log: Log;
  readonly version: string;
  /** The current date, YYYY-MM-DD. */
  readonly today: () => string;
  /** Called on every status change of a server, for progress output and `doctor`. */
  readonly onStatus?: (downstream: Downstream) => void;
}

export interface Gateway {
  readonly router: Router;
  readonly snapshot: () => GatewaySnapshot;
  readonly downstreams: () => readonly Downstream[];
  /** The number of requests in flight, and the open sessions. */
  readonly load: () => { readonly inFlight: number; readonly sessions: readonly Session[] };
  /** What a caller may learn of a resolution; `undefined` if nothing is hidden from it. */
  readonly visibility: (caller: CallerIdentity, profile: Profile) => Visibility | undefined;
  /** Which tools a caller may see. */
  readonly sees: (caller: CallerIdentity) => (tool: Tool) => boolean;
  /** Whether no rule hides anything from a caller. Depends on the rules alone: what they hide may be there or not (GW-6). */
  readonly seesEverything: (caller: CallerIdentity) => boolean;
  /** Manual actions of an operator. */
  readonly operate: {
    /** `false` if no such server is connected. */
    readonly restart: (id: DownstreamId) => boolean;
    readonly openToolbox: (toolbox: string) => Promise<"opened" | "failed" | "unknown">;
    /** `false` if the operator did not hold it open; clients may still do. */
    readonly closeToolbox: (toolbox: string) => boolean;
    /** Resolves when the decisions that the store holds are in force here. */
    readonly refreshDecisions: () => Promise<void>;
  };
  /** Whether a caller may see anything of a server. */
  readonly reaches: (caller: CallerIdentity, id: DownstreamId) => boolean;
  /** Resolves when no server is in its first attempt any more, or after `ms`. */
  readonly waitForServers: (ms: number) => Promise<void>;
  /** Applies new settings. Unchanged servers are not touched. Resolves when they are in force. */
  readonly adopt: (settings: GatewaySettings, guard?: Guard) => Promise<void>;
  /** Waits for calls in flight, then closes every server connection. */
  readonly close: () => Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { log, locks, version } = options;
  const serverInfoFor = createServerInfo(version);
  /** How the gateway introduces itself to servers, whatever clients call it. */
  const serverInfo = serverInfoFor(undefined);
  const sessions = new Set<Session>();
  /** Modern callers whose requests are in flight. */
  const modernCallers = createTickets<Caller>();
  const logProblems = createProblemLog(log);
  const current = new CurrentView(options.settings, options.guard ?? OPEN_GUARD, {
    locks,
    downstreams: () => set.list(),
    callers: () => [...sessions, ...feed.callers()],
    onSwap: () => {
      void announcements.announce();
      endRefused();
    },
    today: options.today,
    logProblems,
    log,
  });
  const latestView = current.bringUpToDate;
  const settings = current.settingsNow;
  const names = createNameRecorder({
    keepers: [locks.tools, locks.prompts],
    latestView,
    refresh: current.refresh,
    retry: () => void announcements.announce(),
  });
  const feed = createChangeFeed({
    sessions,
    modernCallers,
    latestView,
    recordNames: names.recordNames,
    settings,
    log,
  });
  const announcements = new Announcements({
    sessions,
    listeners: feed.listeners,
    inForce: () => current.inForce,
    recordNames: names.recordNames,
    settings,
    log,
  });
  const set = createDownstreamSet((id, launch) =>
    createDownstream({
      id,
      launch,
      limits: current.settings.limits,
      events,
      log,
      clientInfo: serverInfo,
      credentials: options.credentialsFor?.(id, launch),
    }),
  );
  const toolboxes = createToolboxes({
    settings,
    connect: (toolbox) => {
      const before = set.all().length;
      const connected = set.connect(toolbox);
      // Most of the time they are connected already, and nothing has changed.
      if (set.all().length > before) current.refresh();
      return connected;
    },
    disconnect: (toolbox) => {
      const ended = set.disconnect(toolbox);
      current.refresh();
      return ended;
    },
  });
  const suspended = createSuspendedCalls({ maxOwn: () => current.settings.limits.callerQuestions });
  const sessionRequests = createSessionRequests();
  /** Ends the calls that wait for their clients and may no longer go on; others are looked at again before they are sent. */
  const endRefused = (): void => {
    current.raiseEpoch();
    suspended.endRefused();
    sessionRequests.endRefused();
  };
  const context: GatewayContext = {
    latestView,
    settings,
    async waitForServers(maxMs) {
      let hasAll = await set.waitForServers(maxMs ?? current.settings.limits.listMs);
      if (maxMs === undefined && !hasAll) {
        await set.firstUp();
        hasAll = await set.waitForServers(0);
      }
      await current.prepared();
      await latestView().guard.toolsRecorded();
      return hasAll;
    },
    toolboxes,
    forward: {
      suspended,
      sessionRequests,
      serverInfo,
      callMs: current.callMs,
      epoch: current.epoch,
      reconsider: (call) => reconsider(call, latestView(), current.settings),
    },
    isSubscribed: feed.isFollowed,
    roomToFollow: (callerKey) => feed.followers.roomOf(callerKey),
    names,
    changed: (session) => announcements.check(session),
    serverInfo,
    serverInfoFor,
    logProblems,
    log,
  };
  const onStatus = (downstream: Downstream): void => {
    const { id, status } = downstream;
    const isReady = status.kind === "ready" && status.unhealthy === undefined;
    if (isReady)
      log("info", "server is ready", { server: id.server, toolbox: id.toolbox, revision: status.revision });
    options.onStatus?.(downstream);
    // An unhealthy server stays in every list.
    if (status.kind === "ready" && !isReady) return;
    current.refresh();
    if (!isReady) return;
    announceRoots(sessions, [downstream]);
    setImmediate(() => void resubscribe(downstream));
  };
  const resubscribe = async (downstream: Downstream): Promise<void> => {
    await current.prepared();
    const addresses = await runInSlices(feed.followedSteps());
    await runInSlices(resubscribeSteps(addresses, downstream, context));
  };
  const events: DownstreamEvents = {
    onStatus,
    onInventory: current.refreshList,
    onNotification: (downstream, notification, receiver) => feed.relay(downstream, notification, receiver),
    onServerRequest: (downstream, serverRequest, signal, receiver) =>
      answerUnsolicited({
        serverRequest,
        signal,
        receiver,
        sessions,
        modernCallers,
        downstream,
        reaches: (session) => reaches(latestView(), session, downstream.id),
        log,
      }),
  };

  const watch = (guard: Guard): void => {
    guard.watch(current.refresh);
    guard.watchApprovals(endRefused);
  };
  watch(current.guard);
  set.adopt(current.settings, toolboxes.held());
  current.start();
  announcements.start();
  const pendingRequests = createPendingRequests();
  const admitAlias = createAliasAdmission({
    configured: () => current.settings.naming.as,
    lock: locks.tools.current,
    maxOwn: () => current.settings.limits.callerAliases,
  });
  const router = createRouter({
    context,
    sessions,
    modernCallers,
    feed,
    pendingRequests,
    downstreams: set.all,
    admitAlias,
    isClosing: () => current.isClosed,
    sinks: [createRefusalLog(log), ...(options.sinks ?? [])],
  });
  return {
    router: options.tracer === undefined ? router : traceRouter(router, options.tracer),
    snapshot: () => latestView().snapshot,
    downstreams: set.all,
    load: () => ({ inFlight: pendingRequests.count(), sessions: [...sessions] }),
    ...visibilityIn(latestView),
    operate: {
      restart(id) {
        const isDone = set.restart(id);
        if (isDone) current.refresh();
        return isDone;
      },
      openToolbox: async (toolbox) => (await toolboxes.open(toolbox, OPERATOR)).outcome,
      closeToolbox: (toolbox) => toolboxes.close(toolbox, OPERATOR),
      refreshDecisions: () => current.guard.refresh(),
    },
    async waitForServers(ms) {
      await set.waitForServers(ms);
      await current.prepared();
    },
    async adopt(next, guard = current.guard) {
      if (current.isClosed) return;
      const before = current.guard;
      current.adopt(next, guard);
      for (const session of sessions)
        session.profile = next.profiles.find(session.profile.id) ?? session.profile;
      if (before !== guard) watch(guard);
      toolboxes.adopt();
      set.adopt(next, toolboxes.held());
      await current.renew();
      // The previous view needed its guard until here.
      if (before !== guard) await before.close();
    },
    async close() {
      current.close();
      const left = await pendingRequests.drain(current.settings.limits.drainMs);
      names.close();
      toolboxes.closeAll();
      await set.close(left);
      suspended.closeAll();
      await current.guard.close();
    },
  };
}

/** What a caller may see of the view in force, without a request of its own. */
function visibilityIn(
  latestView: () => View,
): Pick<Gateway, "visibility" | "sees" | "seesEverything" | "reaches"> {
  const visibilityFor = (caller: Caller): Visibility | undefined => {
    const { snapshot, guard } = latestView();
    return guard.visibility(snapshot, caller);
  };
  return {
    visibility: (caller, profile) => visibilityFor({ ...asCaller(caller), profile }),
    sees(caller) {
      const visibility = visibilityFor(asCaller(caller));
      return (tool) => visibility?.sees(tool) !== false && reaches(latestView(), caller, tool);
    },
    seesEverything: (caller) =>
      visibilityFor(asCaller(caller)) === undefined && accessOf(latestView(), caller) === undefined,
    reaches: (caller, id) => reaches(latestView(), caller, id),
  };
}

/** Decides on the target as it is now. A server that is started in another way is another one: nothing of the call goes on. */
function reconsider(
  call: GuardedCall,
  { snapshot, guard }: View,
  { servers }: GatewaySettings,
): OngoingDecision {
  const { caller, target, targetNow } = call;
  const { server, toolbox } = target.identity;
  if (!reaches({ snapshot, guard }, caller, { server, toolbox })) return { kind: "deny" };
  const decision = guard.reconsider({ ...call, target: targetNow() ?? target });
  if (decision.kind === "deny") return decision;
  const owner = servers.find(({ source }) => source.server === server && source.toolbox === toolbox);
  return owner === undefined || launchFingerprint(owner.launch) !== call.launch
    ? { kind: "deny", reason: "gone" }
    : decision;
}

/** The holder of toolboxes that an operator opened. */
const OPERATOR = "operator";

/** A caller for requests without a client, such as those of the console. */
function asCaller({ principal, confinedTo }: CallerIdentity): Caller {
  return {
    id: principal,
    principal,
    callerKey: principal,
    confinedTo,
    era: "modern",
    revision: MODERN_REVISION,
    clientInfo: undefined,
    capabilities: {},
    profile: profileNamed("universal"),
    chosenBy: "",
    as: undefined,
    logLevel: undefined,
    session: undefined,
  };
}

function profileNamed(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}
