// Change notifications of a modern server: one open `subscriptions/listen`, for lists and for followed
// resources, and a second one while it is replaced.

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

/** A server may take this long to acknowledge a stream; after that, the stream is used as it is. */
const ACKNOWLEDGEMENT_MS = 10_000;

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
  /** At most two streams: the one in use, and the one that replaces it once the server acknowledges it (SAFE-5). */
  let current: AbortController | undefined;
  let unacknowledged: AbortController | undefined;
  /** What is followed has changed since the newest stream was opened. */
  let isOutdated = false;
  let failures = 0;
  /** A stream was lost: changes until the next acknowledgement are missed. */
  let isGap = false;
  let retry: NodeJS.Timeout | undefined;
  let acknowledgement: NodeJS.Timeout | undefined;
  let closed = false;

  const stopAll = (): void => {
    clearTimeout(acknowledgement);
    current?.abort();
    unacknowledged?.abort();
    current = undefined;
    unacknowledged = undefined;
  };

  /** The newest stream replaces the one in use, and is replaced itself if it is outdated. */
  const replace = (): void => {
    clearTimeout(acknowledgement);
    if (unacknowledged === undefined) return;
    current?.abort();
    current = unacknowledged;
    unacknowledged = undefined;
    if (isOutdated) void open();
  };

  const giveUpAcknowledgement = (): void => {
    isGap ||= current !== undefined;
    replace();
  };

  const open = async (): Promise<void> => {
    clearTimeout(retry);
    if (closed) return;
    if (lists.length === 0 && uris.size === 0) return stopAll();
    isOutdated = unacknowledged !== undefined;
    if (isOutdated) return;
    const stream = new AbortController();
    // The previous stream stays open until this one is acknowledged, so that nothing is missed.
    unacknowledged = stream;
    acknowledgement = setTimeout(giveUpAcknowledgement, ACKNOWLEDGEMENT_MS).unref();
    const notifications = {
      ...Object.fromEntries(lists),
      ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
    };
    const reply = await listen({ notifications }, stream.signal);
    if (closed || (stream !== current && stream !== unacknowledged)) return;
    if (stream === current) {
      current = undefined;
      if (unacknowledged !== undefined) return;
    } else {
      clearTimeout(acknowledgement);
      unacknowledged = undefined;
    }
    const unable = reply.kind === "error" && reply.error.code === CODES.methodNotFound;
    if (unable) return;
    failures += 1;
    isGap ||= current === undefined;
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
        replace();
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
