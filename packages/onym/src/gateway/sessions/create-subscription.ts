// One `subscriptions/listen` of a modern client: acknowledgement, stamped notices, and a result at the end.

import type { Notice } from "../../downstream/downstream.js";
import { isJsonObject } from "../../mcp/json.js";
import type { RpcRequest } from "../../mcp/message.js";
import { CODES, META } from "../../mcp/protocol.js";
import { errorReply, formatReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import { MAX_FOLLOWED } from "../resource-subscriptions.js";
import type { Front } from "../router.js";
import { type Carrier, sendNotice } from "./message-sink.js";

export interface OpenListening {
  /** Nothing is sent any more. */
  readonly stop: () => void;
  /** Says that the gateway ends it, then stops. */
  readonly finish: () => void;
}

export interface ListenOptions {
  readonly front: Front;
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly carrier: Carrier;
}

/** What is wrong with the request, if anything. */
export function checkListen({ params }: RpcRequest): Reply | undefined {
  const filter = params?.["notifications"];
  if (!isJsonObject(filter)) return invalid("'notifications' is required and must be an object");
  for (const key of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"]) {
    const wanted = filter[key];
    if (wanted !== undefined && typeof wanted !== "boolean")
      return invalid(`'notifications.${key}' must be a boolean`);
  }
  const uris = filter["resourceSubscriptions"];
  if (Array.isArray(uris) && uris.length > MAX_FOLLOWED)
    return invalid(`'notifications.resourceSubscriptions' names at most ${MAX_FOLLOWED} resources`);
  if (uris === undefined || (Array.isArray(uris) && uris.every((uri) => typeof uri === "string")))
    return undefined;
  return invalid("'notifications.resourceSubscriptions' must be a list of strings");
}

/** The request was checked. The acknowledgement is sent before anything else, whatever the front tells meanwhile. */
export function createListening({ front, request, caller, carrier }: ListenOptions): OpenListening {
  const filter = request.params?.["notifications"];
  const stamp = { [META.subscriptionId]: request.id };
  const early: Notice[] = [];
  let acknowledged = false;
  let open = true;
  const tell = (notice: Notice) => {
    if (!open) return;
    if (!acknowledged) early.push(notice);
    else sendNotice(carrier, stamped(notice, stamp));
  };
  const { honoured, stop } = front.listen(isJsonObject(filter) ? filter : {}, caller, tell);
  const acknowledgement = "notifications/subscriptions/acknowledged";
  sendNotice(carrier, stamped({ method: acknowledgement, params: { notifications: honoured } }, stamp));
  acknowledged = true;
  for (const notice of early) tell(notice);

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
      const _meta = { ...stamp, [META.serverInfo]: front.serverInfoOf(caller) };
      carrier.send(formatReply(request.id, resultReply({ resultType: "complete", _meta })));
    },
  };
}

function stamped({ method, params }: Notice, stamp: object): Notice {
  const meta = params["_meta"];
  return { method, params: { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), ...stamp } } };
}

function invalid(reason: string): Reply {
  return errorReply(CODES.invalidParams, `Invalid params: ${reason}`);
}
