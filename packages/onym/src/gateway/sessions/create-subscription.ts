// One `subscriptions/listen` of a modern client: acknowledgement, stamped notifications, and a result at the end.

import type { Notification } from "../../downstream/downstream.js";
import { isJsonObject } from "../../mcp/json.js";
import {
  errorReply,
  formatReply,
  type Reply,
  type RpcRequest,
  refuseLargeParams,
  resultReply,
} from "../../mcp/message.js";
import { CODES, META } from "../../mcp/protocol.js";
import type { Caller } from "../caller.js";
import { callerFollowsEnough } from "../resources/followers.js";
import { MAX_URI_LENGTH } from "../resources/match-template.js";
import { MAX_SUBSCRIPTIONS } from "../resources/resource-subscriptions.js";
import { isLongAddress } from "../resources/uri-names.js";
import type { Router } from "../router.js";
import { type MessageSink, sendNotification } from "./message-sink.js";

export interface OpenSubscription {
  /** Sends nothing from now on. */
  readonly stop: () => void;
  /** Sends the result that ends the subscription, then stops. */
  readonly finish: () => void;
}

export interface SubscriptionOptions {
  readonly router: Router;
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly sink: MessageSink;
}

/** The error if the request is invalid, or names more resources than its caller has room for. */
export function checkListen({ params }: RpcRequest, room: number): Reply | undefined {
  const tooLarge = refuseLargeParams(params);
  if (tooLarge !== undefined) return tooLarge;
  const filter = params?.["notifications"];
  if (!isJsonObject(filter)) return invalid("'notifications' is required and must be an object");
  for (const key of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"]) {
    const wanted = filter[key];
    if (wanted !== undefined && typeof wanted !== "boolean")
      return invalid(`'notifications.${key}' must be a boolean`);
  }
  const uris = filter["resourceSubscriptions"];
  if (Array.isArray(uris) && uris.length > MAX_SUBSCRIPTIONS)
    return invalid(`'notifications.resourceSubscriptions' names at most ${MAX_SUBSCRIPTIONS} resources`);
  if (Array.isArray(uris) && uris.some((uri) => typeof uri === "string" && isLongAddress(uri)))
    return invalid(
      `'notifications.resourceSubscriptions' names a resource with more than ${MAX_URI_LENGTH} characters`,
    );
  if (uris === undefined) return undefined;
  if (Array.isArray(uris) && uris.every((uri) => typeof uri === "string"))
    return uris.length > room ? callerFollowsEnough() : undefined;
  return invalid("'notifications.resourceSubscriptions' must be a list of strings");
}

/** The resources that a checked request names. */
export function countResources({ params }: RpcRequest): number {
  const filter = params?.["notifications"];
  const uris = isJsonObject(filter) ? filter["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.length : 0;
}

/** Takes a checked request. Sends the acknowledgement first, even if the router notifies in the meantime. */
export function createSubscription({ router, request, caller, sink }: SubscriptionOptions): OpenSubscription {
  const filter = request.params?.["notifications"];
  const stamp = { [META.subscriptionId]: request.id };
  const early: Notification[] = [];
  let acknowledged = false;
  let open = true;
  const notify = (notification: Notification) => {
    if (!open) return;
    if (!acknowledged) early.push(notification);
    else sendNotification(sink, stamped(notification, stamp));
  };
  const { honoured, stop } = router.subscribe(isJsonObject(filter) ? filter : {}, caller, notify);
  const acknowledgement = "notifications/subscriptions/acknowledged";
  sendNotification(sink, stamped({ method: acknowledgement, params: { notifications: honoured } }, stamp));
  acknowledged = true;
  for (const notification of early) notify(notification);

  const end = () => {
    if (!open) return false;
    open = false;
    stop();
    return true;
  };
  return {
    stop: end,
    finish: () => {
      if (!end()) return;
      const _meta = { ...stamp, [META.serverInfo]: router.serverInfoOf(caller) };
      sink.send(formatReply(request.id, resultReply({ resultType: "complete", _meta })));
    },
  };
}

function stamped({ method, params }: Notification, stamp: object): Notification {
  const meta = params["_meta"];
  return { method, params: { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), ...stamp } } };
}

function invalid(reason: string): Reply {
  return errorReply(CODES.invalidParams, `Invalid params: ${reason}`);
}
