// Updates of resources: each goes to the clients that follow the resource and may see it, under the URI that they know.

import type { Notification } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Log } from "../../model/log.js";
import { runFirstSteps, runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller, Session } from "../caller.js";
import type { OngoingDecision } from "../calls/guard.js";
import { decideUpdates, mayFollow } from "../calls/guarded-item.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { describeError } from "../failure-codes.js";
import type { OwnedResource, View } from "../gateway-context.js";
import { createUpdateMatcher, type UpdateMatcher } from "../resources/resource-subscriptions.js";
import { accessOf, confineView } from "../visibility/caller-visibility.js";

interface UpdatePorts {
  readonly sessions: ReadonlySet<Session>;
  readonly listeners: ReadonlySet<ResourceListener>;
  readonly latestView: () => View;
  readonly log: Log;
}

/** A client without a session, and the addresses that it follows. */
interface ResourceListener {
  readonly caller: Caller;
  readonly resources: ReadonlySet<string>;
  readonly notify: (notification: Notification) => void;
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

export const RESOURCE_UPDATED = "notifications/resources/updated";

/** The newest update of each resource that waits for its turn. */
export class ResourceUpdates {
  readonly #ports: UpdatePorts;
  readonly #waiting = new Map<string, Update>();
  #isSending = false;

  constructor(ports: UpdatePorts) {
    this.#ports = ports;
  }

  relay(update: Update): void {
    const { owner, uri } = update.resource;
    const key = JSON.stringify([ownerKey(owner.id), uri]);
    if (this.#waiting.size >= MAX_WAITING_UPDATES && !this.#waiting.has(key)) {
      this.#ports.log("debug", "too many resource updates wait; one is dropped", { server: owner.id.server });
      return;
    }
    this.#waiting.set(key, update);
    if (this.#isSending) return;
    this.#isSending = true;
    // Usually it is the only one, with few followers. Others of this turn wait for the next, one of each resource.
    const sent = runFirstSteps(this.#sendSteps(), FIRST_FOLLOWERS);
    if ("value" in sent) setImmediate(this.#sendWaiting);
    else sent.then(this.#sendWaiting, this.#fail);
  }

  readonly #sendWaiting = (): void => {
    this.#isSending = this.#waiting.size > 0;
    if (this.#isSending) runInSlices(this.#sendSteps()).then(this.#sendWaiting, this.#fail);
  };

  readonly #fail = (error: unknown): void => {
    this.#ports.log("error", describeError(error));
    this.#sendWaiting();
  };

  /** Sends all that wait; a step for each client. */
  *#sendSteps(): Steps<void> {
    for (const [key, update] of this.#waiting) {
      this.#waiting.delete(key);
      yield* this.#updateSteps(update);
    }
  }

  *#updateSteps({ resource, meta }: Update): Steps<void> {
    const { sessions, listeners, latestView } = this.#ports;
    const matcherOf = createCallerMatcher(resource, latestView);
    const notifyOne = (
      caller: Caller,
      followed: ReadonlySet<string>,
      notify: (notification: Notification) => void,
    ): void => {
      if (accessOf(latestView(), caller)?.seesResource(resource.owner.id, resource.uri) === false) return;
      const uri = matcherOf(caller)(followed);
      if (uri === undefined) return;
      notify({ method: RESOURCE_UPDATED, params: meta === undefined ? { uri } : { uri, _meta: meta } });
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

/** Whether this subscription of a session was approved, and nothing else was decided since. */
export function isApproved(
  session: Session | undefined,
  address: string,
  decision: OngoingDecision,
): boolean {
  return decision.kind === "ask" && session?.approvedResources.get(address) === decision.mark;
}
