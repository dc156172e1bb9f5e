// Which clients get which notifications of servers: resource updates for subscribers, log messages only if their client is
// certain. Also who listens for changes of lists, which `announcements.ts` tells.

import type { Downstream, Notification, UnsolicitedReceiver } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { RpcNotification } from "../../mcp/message.js";
import type { Log } from "../../model/log.js";
import type { Steps } from "../../model/run-slices.js";
import type { Caller, Session } from "../caller.js";
import { decideUpdates } from "../calls/guarded-item.js";
import { describeError } from "../failure-codes.js";
import { admitsLevel } from "../forward/forward-request.js";
import type { OwnedResource, View } from "../gateway-context.js";
import { prepareList } from "../methods/list-tools.js";
import { Followers } from "../resources/followers.js";
import type { Following } from "../resources/listener-subscriptions.js";
import { normalizeAddress } from "../resources/uri-names.js";
import type { Subscription } from "../router.js";
import type { GatewaySettings } from "../settings.js";
import { isReceiver } from "../unsolicited-requests.js";
import { confineSettings, confineView, reaches } from "../visibility/caller-visibility.js";
import { digestFor, type ListListener } from "./announcements.js";
import { isApproved, RESOURCE_UPDATED, ResourceUpdates } from "./resource-updates.js";

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

export function createChangeFeed(ports: FeedPorts): ChangeFeed {
  return new ServerFeed(ports);
}

class ServerFeed implements ChangeFeed {
  readonly listeners = new Set<Listener>();
  readonly followers = new Followers();
  readonly #ports: FeedPorts;
  readonly #updates: ResourceUpdates;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
    this.#updates = new ResourceUpdates({ ...ports, listeners: this.listeners });
  }

  readonly relay: ChangeFeed["relay"] = (downstream, { method, params = {} }, receiver) => {
    const { uri, _meta: meta } = params;
    if (method === RESOURCE_UPDATED && typeof uri === "string")
      this.#updates.relay({
        resource: { owner: downstream, uri },
        meta: isJsonObject(meta) ? meta : undefined,
      });
    else if (method === "notifications/message") this.#relayLog(downstream, params, receiver);
  };

  #relayLog({ id }: Downstream, params: JsonObject, receiver: UnsolicitedReceiver): void {
    const { sessions, modernCallers, latestView, log } = this.#ports;
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
  }

  readonly listen: ChangeFeed["listen"] = (filter, caller, notify) => {
    const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
    const uris: readonly string[] = Array.isArray(resourceSubscriptions)
      ? resourceSubscriptions.filter((uri) => typeof uri === "string")
      : [];
    const addresses = new Map(uris.map((uri) => [normalizeAddress(uri), uri]));
    const listener: Listener = {
      caller,
      tools: toolsListChanged === true,
      prompts: promptsListChanged === true,
      resourceLists: resourcesListChanged === true,
      resources: new Set(addresses.keys()),
      subscribed: this.followers.createSet(),
      shown: undefined,
      notify,
    };
    if (listener.tools) this.#showTools(listener);
    this.listeners.add(listener);
    this.followers.hold(caller.callerKey, addresses.size);
    return {
      following: { caller, addresses, subscribed: listener.subscribed },
      honoured: honouredBy(listener, uris),
      stop: () => {
        if (this.listeners.delete(listener)) this.followers.release(caller.callerKey, addresses.size);
      },
    };
  };

  /** A new listener is told of changes from the tools of now on. */
  #showTools(listener: Listener): void {
    const { recordNames, settings, log } = this.#ports;
    const { caller } = listener;
    const seen = recordNames(caller);
    if (seen instanceof Promise || prepareFor(caller, seen, settings()) !== undefined)
      this.#showPrepared(listener, seen).catch((error: unknown) => log("error", describeError(error)));
    else listener.shown = digestFor(caller, seen, settings());
  }

  async #showPrepared(listener: Listener, seen: View | Promise<View>): Promise<void> {
    const { settings } = this.#ports;
    const now = await seen;
    await prepareFor(listener.caller, now, settings());
    listener.shown ??= digestFor(listener.caller, now, settings());
  }

  readonly isFollowed: ChangeFeed["isFollowed"] = ({ owner, uri }) => {
    const { resources } = this.#ports.latestView().snapshot;
    return resources.addressesOf(owner, uri).some((address) => {
      if (this.followers.count(address) === 0) return false;
      const found = resources.resolve(address);
      return found.outcome === "resolved" && found.owner === owner && found.uri === uri;
    });
  };

  readonly callers: ChangeFeed["callers"] = () => [
    ...[...this.#ports.sessions].filter(({ ready, shown }) => ready && shown !== undefined),
    ...[...this.listeners].flatMap(({ tools, caller }) => (tools ? [caller] : [])),
  ];

  *followedSteps(): Steps<ReadonlySet<string>> {
    const { snapshot, guard } = this.#ports.latestView();
    const addresses = new Set<string>();
    for (const { caller, session, listener, resources } of this.#allFollowing())
      for (const address of resources) {
        yield;
        const found = snapshot.resources.resolve(address);
        if (found.outcome !== "resolved") continue;
        const decision = decideUpdates(found, caller, { snapshot, guard });
        if (decision.kind !== "allow" && !isApproved(session, address, decision)) continue;
        addresses.add(address);
        // It may not have been there, or not allowed, when the client began to listen.
        if (listener !== undefined && this.listeners.has(listener)) listener.subscribed.add(address);
      }
    return addresses;
  }

  #allFollowing(): readonly FollowingClient[] {
    const { sessions } = this.#ports;
    return [
      ...[...sessions].map((session) => ({
        caller: session,
        session,
        listener: undefined,
        resources: session.resources,
      })),
      ...[...this.listeners].map((listener) => ({
        caller: listener.caller,
        session: undefined,
        listener,
        resources: listener.resources,
      })),
    ];
  }
}

/** A client as a session or as a listener. */
interface FollowingClient {
  readonly caller: Caller;
  readonly session: Session | undefined;
  readonly listener: Listener | undefined;
  readonly resources: ReadonlySet<string>;
}

function honouredBy(
  { tools, prompts, resourceLists }: Listener,
  uris: readonly string[],
): Listening["honoured"] {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resourceLists ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
}

/** Builds a large list in slices; `undefined` if there is nothing to wait for. */
function prepareFor(caller: Caller, view: View, settings: GatewaySettings): Promise<void> | undefined {
  return prepareList(caller, confineView(view, caller), confineSettings(settings, view, caller));
}
