// Change notifications of a modern server: one open `subscriptions/listen`, for lists and for followed
// resources.

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { errorReply, type Reply, type RpcNotification, resultReply } from "../../mcp/message.js";
import { CODES, META } from "../../mcp/protocol.js";
import { backoffMs } from "../backoff.js";

export interface Subscriptions {
  /** Handles `resources/subscribe` and `resources/unsubscribe`, which the modern era dropped. */
  readonly follow: (method: string, params: JsonObject) => Reply;
  /**
   * Handles a notification of the stream: keeps the acknowledgement, and returns others without their
   * stream's id. After a gap between two streams it returns a list change for the acknowledgement, because a
   * change may have been missed.
   */
  readonly accept: (notification: RpcNotification) => RpcNotification | undefined;
  readonly start: () => void;
  readonly close: () => void;
}

export interface SubscriptionsOptions {
  readonly capabilities: JsonObject;
  /** Sends `subscriptions/listen` and resolves when the stream ends. */
  readonly listen: (params: JsonObject, signal: AbortSignal) => Promise<Reply>;
  readonly random: () => number;
}

const LISTS = [
  ["tools", "toolsListChanged"],
  ["prompts", "promptsListChanged"],
  ["resources", "resourcesListChanged"],
] as const;

export function createSubscriptions({ capabilities, listen, random }: SubscriptionsOptions): Subscriptions {
  const uris = new Set<string>();
  const lists = LISTS.filter(([list]) => offers(capabilities, list, "listChanged")).map(([, key]) => [
    key,
    true,
  ]);
  let streams: AbortController[] = [];
  let failures = 0;
  /** A stream was lost: changes until the next acknowledgement are missed. */
  let isGap = false;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const stopAll = (kept?: AbortController): void => {
    for (const stream of streams) if (stream !== kept) stream.abort();
    streams = kept === undefined ? [] : [kept];
  };

  const open = async (): Promise<void> => {
    clearTimeout(retry);
    if (closed) return;
    if (lists.length === 0 && uris.size === 0) return stopAll();
    const stream = new AbortController();
    // The previous stream stays open until this one is acknowledged, so that nothing is missed.
    streams.push(stream);
    const notifications = {
      ...Object.fromEntries(lists),
      ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
    };
    const reply = await listen({ notifications }, stream.signal);
    if (closed || !streams.includes(stream)) return;
    streams = streams.filter((other) => other !== stream);
    if (streams.length > 0) return;
    const unable = reply.kind === "error" && reply.error.code === CODES.methodNotFound;
    if (unable) return;
    failures += 1;
    isGap = true;
    retry = setTimeout(() => void open(), backoffMs(failures, random()));
    retry.unref();
  };

  return {
    follow: (method, params) => {
      const { uri } = params;
      if (typeof uri !== "string") return errorReply(CODES.invalidParams, '"uri" must be a string');
      if (!offers(capabilities, "resources", "subscribe"))
        return errorReply(CODES.methodNotFound, "The server does not offer resource subscriptions");
      const before = uris.size;
      if (method === "resources/subscribe") uris.add(uri);
      else uris.delete(uri);
      if (uris.size !== before) void open();
      return resultReply({});
    },
    accept: (notification) => {
      if (notification.method === "notifications/subscriptions/acknowledged") {
        failures = 0;
        stopAll(streams.at(-1));
        if (!isGap) return undefined;
        isGap = false;
        return { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      }
      const meta = notification.params?.["_meta"];
      if (!isJsonObject(meta) || ownValue(meta, META.subscriptionId) === undefined) return notification;
      const { [META.subscriptionId]: _, ...rest } = meta;
      return { ...notification, params: { ...notification.params, _meta: rest } };
    },
    start: () => void open(),
    close: () => {
      closed = true;
      clearTimeout(retry);
      stopAll();
    },
  };
}

function offers(capabilities: JsonObject, list: string, feature: string): boolean {
  const offered = ownValue(capabilities, list);
  return isJsonObject(offered) && ownValue(offered, feature) === true;
}
