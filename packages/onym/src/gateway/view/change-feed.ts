// Which clients get which notifications of servers: resource updates for subscribers, log messages only if their client is
// certain. Also who listens for changes of lists, which `announcements.ts` tells.

import type { Downstream, Notification, UnsolicitedReceiver } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { RpcNotification } from "../../mcp/message.js";
import type { Log } from "../../model/log.js";
import { runFirstSteps, runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller, Session } from "../caller.js";
import type { OngoingDecision } from "../calls/guard.js";
import { decideUpdates, mayFollow } from "../calls/guarded-item.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { describeError } from "../failure-codes.js";
import { admitsLevel } from "../forward/forward-request.js";
import type { OwnedResource, View } from "../gateway-context.js";
import { prepareList } from "../methods/list-tools.js";
import { Followers } from "../resources/followers.js";
import type { Following } from "../resources/listener-subscriptions.js";
import { createUpdateMatcher, type UpdateMatcher } from "../resources/resource-subscriptions.js";
import { normalizeAddress } from "../resources/uri-names.js";
import type { Subscription } from "../router.js";
import type { GatewaySettings } from "../settings.js";
import { isReceiver } from "../unsolicited-requests.js";
import { accessOf, confineSettings, confineView, reaches } from "../visibility/caller-visibility.js";
import { digestFor, type ListListener } from "./announcements.js";

export interface ChangeFeed {
  /** Forwards a server's notification that belongs to no request. */
  readonly relay: (
    downstream: Downstream,
    notification: RpcNotification,
    receiver: UnsolicitedReceiver,
  ) => void;
  readonly listen: (
    filter: JsonObject,
    caller: Caller,
    notify: (notification: Notification) => void,
  ) => Listening;
  /** Those that listen without a session. */
  readonly listeners: ReadonlySet<ListListener>;
  readonly followers: Followers;
  /** Whether any client follows this resource, under any URI. */
  readonly isFollowed: (resource: OwnedResource) => boolean;
  /** The callers that would be notified if their tools changed. */
  readonly callers: () => readonly Caller[];
  /** The URIs of all resources that a client follows and may follow. */
  readonly followedSteps: () => Steps<ReadonlySet<string>>;
}

interface Listening extends Subscription {
  readonly following: Following;
}

export interface FeedPorts {
  readonly sessions: ReadonlySet<Session>;
  /** Modern callers whose requests are in flight. */
  readonly modernCallers: { readonly size: number };
  readonly latestView: () => View;
  /** Records a caller's names and returns the view that contains them. */
  readonly recordNames: (caller: Caller) => View | Promise<View>;
  readonly settings: () => GatewaySettings;
  readonly log: Log;
}

interface Listener extends ListListener {
  readonly resources: ReadonlySet<string>;
  /** Those of them that a server was asked for. */
  readonly subscribed: Set<string>;
}

/** A resource that changed, as its server said last. */
interface Update {
  readonly resource: OwnedResource;
  /** All that the notification has beside the URI: no content passes with it. */
  readonly meta: JsonObject | undefined;
}

/** Clients that the first update of a turn is sent to at once; the others get it in slices (SAFE-4). */
const FIRST_FOLLOWERS = 100;
/** Updates of all servers that wait to be sent (SAFE-5). Each server may send a thousand a second. */
export const MAX_WAITING_UPDATES = 10_000;

const UPDATED = "notifications/resources/updated";

export function createChangeFeed({
  sessions,
  modernCallers,
  latestView,
  recordNames,
  settings,
  log,
}: FeedPorts): ChangeFeed {
  const listeners = new Set<Listener>();
  const followers = new Followers();

  /** The newest update of each resource that waits for its turn. */
  const updates = new Map<string, Update>();
  let isSendingUpdates = false;
  const relayUpdate = (update: Update): void => {
    const { owner, uri } = update.resource;
    const key = JSON.stringify([ownerKey(owner.id), uri]);
    if (updates.size >= MAX_WAITING_UPDATES && !updates.has(key)) {
      log("debug", "too many resource updates wait; one is dropped", { server: owner.id.server });
      return;
    }
    updates.set(key, update);
    if (isSendingUpdates) return;
    isSendingUpdates = true;
    // Usually it is the only one, with few followers. Others of this turn wait for the next, one of each resource.
    const sent = runFirstSteps(updateSteps(), FIRST_FOLLOWERS);
    if ("value" in sent) setImmediate(sendWaitingUpdates);
    else sent.then(sendWaitingUpdates, failUpdates);
  };
  const sendWaitingUpdates = (): void => {
    isSendingUpdates = updates.size > 0;
    if (isSendingUpdates) runInSlices(updateSteps()).then(sendWaitingUpdates, failUpdates);
  };
  const failUpdates = (error: unknown): void => {
    log("error", describeError(error));
    sendWaitingUpdates();
  };
  /** Sends all that wait; a step for each client. */
  function* updateSteps(): Steps<void> {
    for (const [key, { resource, meta }] of updates) {
      updates.delete(key);
      const matcherOf = createCallerMatcher(resource, latestView);
      const notifyOne = (
        caller: Caller,
        followed: ReadonlySet<string>,
        notify: (notification: Notification) => void,
      ): void => {
        if (accessOf(latestView(), caller)?.seesResource(resource.owner.id, resource.uri) === false) return;
        const uri = matcherOf(caller)(followed);
        if (uri === undefined) return;
        notify({ method: UPDATED, params: meta === undefined ? { uri } : { uri, _meta: meta } });
      };
      for (const session of sessions) {
        // Policy is decided for followers alone, which are few.
        if (session.resources.size > 0 && matcherOf(session)(session.resources) !== undefined)
          notifyOne(session, followedBy(session, resource, latestView()), session.channel.notify);
        yield;
      }
      for (const { caller, resources, notify } of listeners) {
        if (
          resources.size > 0 &&
          matcherOf(caller)(resources) !== undefined &&
          mayFollow(resource, caller, latestView())
        )
          notifyOne(caller, resources, notify);
        yield;
      }
    }
  }
  const relayLog = ({ id }: Downstream, params: JsonObject, receiver: UnsolicitedReceiver): void => {
    const { level } = params;
    const [only] = sessions;
    const isOwn = only !== undefined && reaches(latestView(), only, id) && isReceiver(only, receiver);
    if (isOwn && only.ready && sessions.size === 1 && modernCallers.size === 0) {
      if (admitsLevel(only, level)) only.channel.notify({ method: "notifications/message", params });
      return;
    }
    log("debug", "log message of a server, for no one client", {
      server: id.server,
      level: typeof level === "string" ? level : undefined,
    });
  };

  const callers = (): readonly Caller[] => [
    ...[...sessions].filter(({ ready, shown }) => ready && shown !== undefined),
    ...[...listeners].flatMap(({ tools, caller }) => (tools ? [caller] : [])),
  ];
  const begin = async (listener: Listener, seen: View | Promise<View>): Promise<void> => {
    const now = await seen;
    await prepareFor(listener.caller, now, settings());
    listener.shown ??= digestFor(listener.caller, now, settings());
  };

  return {
    relay(downstream, { method, params = {} }, receiver) {
      const { uri, _meta: meta } = params;
      if (method === UPDATED && typeof uri === "string")
        relayUpdate({ resource: { owner: downstream, uri }, meta: isJsonObject(meta) ? meta : undefined });
      else if (method === "notifications/message") relayLog(downstream, params, receiver);
    },
    listen(filter, caller, notify) {
      const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
      const uris: readonly string[] = Array.isArray(resourceSubscriptions)
        ? resourceSubscriptions.filter((uri) => typeof uri === "string")
        : [];
      const addresses = new Map(uris.map((uri) => [normalizeAddress(uri), uri]));
      const tools = toolsListChanged === true;
      const listener: Listener = {
        caller,
        tools,
        prompts: promptsListChanged === true,
        resourceLists: resourcesListChanged === true,
        resources: new Set(addresses.keys()),
        subscribed: followers.createSet(),
        shown: undefined,
        notify,
      };
      if (tools) {
        const seen = recordNames(caller);
        if (seen instanceof Promise || prepareFor(caller, seen, settings()) !== undefined)
          begin(listener, seen).catch((error: unknown) => log("error", describeError(error)));
        else listener.shown = digestFor(caller, seen, settings());
      }
      listeners.add(listener);
      followers.hold(caller.callerKey, addresses.size);
      return {
        following: { caller, addresses, subscribed: listener.subscribed },
        honoured: {
          ...(listener.tools ? { toolsListChanged: true } : {}),
          ...(listener.prompts ? { promptsListChanged: true } : {}),
          ...(listener.resourceLists ? { resourcesListChanged: true } : {}),
          ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
        },
        stop() {
          if (listeners.delete(listener)) followers.release(caller.callerKey, addresses.size);
        },
      };
    },
    listeners,
    followers,
    isFollowed({ owner, uri }) {
      const { resources } = latestView().snapshot;
      return resources.addressesOf(owner, uri).some((address) => {
        if (followers.count(address) === 0) return false;
        const found = resources.resolve(address);
        return found.outcome === "resolved" && found.owner === owner && found.uri === uri;
      });
    },
    callers,
    *followedSteps() {
      const { snapshot, guard } = latestView();
      const addresses = new Set<string>();
      const all = [
        ...[...sessions].map((session) => ({ caller: session, session, resources: session.resources })),
        ...[...listeners].map((listener) => ({ ...listener, session: undefined, listener })),
      ];
      for (const each of all)
        for (const address of each.resources) {
          yield;
          const found = snapshot.resources.resolve(address);
          if (found.outcome !== "resolved") continue;
          const decision = decideUpdates(found, each.caller, { snapshot, guard });
          if (decision.kind !== "allow" && !isApproved(each.session, address, decision)) continue;
          addresses.add(address);
          // It may not have been there, or not allowed, when the client began to listen.
          if ("listener" in each && listeners.has(each.listener)) each.listener.subscribed.add(address);
        }
      return addresses;
    },
  };
}

/** Under which URI a caller follows a resource depends on what it sees; callers that see the same share a matcher. */
function createCallerMatcher(
  resource: OwnedResource,
  latestView: () => View,
): (caller: Caller) => UpdateMatcher {
  const matchers = new Map<GatewaySnapshot["resources"], UpdateMatcher>();
  return (caller) => {
    const { snapshot } = confineView(latestView(), caller);
    const matcher = matchers.get(snapshot.resources) ?? createUpdateMatcher(resource, snapshot);
    matchers.set(snapshot.resources, matcher);
    return matcher;
  };
}

/**
 * The URIs under which a session gets updates of this resource. If policy now asks about the resource, only a
 * subscription to itself counts that was approved, with no other decision since: notifications raise no questions
 * (POL-9).
 */
function followedBy(session: Session, resource: OwnedResource, view: View): ReadonlySet<string> {
  const { owner, uri } = resource;
  const decision = decideUpdates(resource, session, view);
  if (decision.kind === "allow") return session.resources;
  const addresses = decision.kind === "ask" ? view.snapshot.resources.addressesOf(owner, uri) : [];
  return new Set(addresses.filter((address) => isApproved(session, address, decision)));
}

function isApproved(session: Session | undefined, address: string, decision: OngoingDecision): boolean {
  return decision.kind === "ask" && session?.approvedResources.get(address) === decision.mark;
}

/** Builds a large list in slices; `undefined` if there is nothing to wait for. */
function prepareFor(caller: Caller, view: View, settings: GatewaySettings): Promise<void> | undefined {
  return prepareList(caller, confineView(view, caller), confineSettings(settings, view, caller));
}
