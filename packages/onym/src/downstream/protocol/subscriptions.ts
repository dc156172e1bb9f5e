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

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  return new ListenStreams(options);
}

class ListenStreams implements Subscriptions {
  readonly #options: SubscriptionsOptions;
  /** The list changes that the server offers, as `subscriptions/listen` names them. */
  readonly #lists: Readonly<Record<string, true>>;
  readonly #uris = new Set<string>();
  /** At most two streams: the one in use, and the one that replaces it once the server acknowledges it (SAFE-5). */
  #current: AbortController | undefined;
  #unacknowledged: AbortController | undefined;
  /** What is followed has changed since the newest stream was opened. */
  #isOutdated = false;
  #failures = 0;
  /** A stream was lost: changes until the next acknowledgement are missed. */
  #isGap = false;
  #retry: NodeJS.Timeout | undefined;
  #acknowledgement: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#lists = Object.fromEntries(
      LISTS.filter(([list]) => offers(options.capabilities, list, "listChanged")).map(([, key]) => [
        key,
        true,
      ]),
    );
  }

  readonly start = (): void => void this.#open();

  readonly close = (): void => {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#stopAll();
  };

  readonly follow = (method: string, { uri }: JsonObject): Reply => {
    if (typeof uri !== "string") return errorReply(CODES.invalidParams, '"uri" must be a string');
    if (!offers(this.#options.capabilities, "resources", "subscribe"))
      return errorReply(CODES.methodNotFound, "The server does not offer resource subscriptions");
    const before = this.#uris.size;
    if (method === "resources/subscribe") this.#uris.add(uri);
    else this.#uris.delete(uri);
    if (this.#uris.size !== before) void this.#open();
    return resultReply({});
  };

  readonly accept = (notification: RpcNotification): RpcNotification | undefined => {
    if (notification.method === "notifications/subscriptions/acknowledged") return this.#acknowledge();
    const meta = notification.params?.["_meta"];
    if (!isJsonObject(meta) || ownValue(meta, META.subscriptionId) === undefined) return notification;
    const { [META.subscriptionId]: _, ...rest } = meta;
    return { ...notification, params: { ...notification.params, _meta: rest } };
  };

  #acknowledge(): RpcNotification | undefined {
    this.#failures = 0;
    this.#replace();
    if (!this.#isGap) return undefined;
    this.#isGap = false;
    return { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  }

  async #open(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#isClosed) return;
    const isUnneeded = Object.keys(this.#lists).length === 0 && this.#uris.size === 0;
    if (isUnneeded) return this.#stopAll();
    this.#isOutdated = this.#unacknowledged !== undefined;
    if (this.#isOutdated) return;
    const stream = new AbortController();
    // The previous stream stays open until this one is acknowledged, so that nothing is missed.
    this.#unacknowledged = stream;
    this.#acknowledgement = setTimeout(() => this.#giveUpAcknowledgement(), ACKNOWLEDGEMENT_MS).unref();
    const notifications = {
      ...this.#lists,
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    this.#onEnded(stream, await this.#options.listen({ notifications }, stream.signal));
  }

  /** A stream has ended: opens the next one later, unless another one is there or the server knows none. */
  #onEnded(stream: AbortController, reply: Reply): void {
    if (this.#isClosed || (stream !== this.#current && stream !== this.#unacknowledged)) return;
    if (stream === this.#current) {
      this.#current = undefined;
      if (this.#unacknowledged !== undefined) return;
    } else {
      clearTimeout(this.#acknowledgement);
      this.#unacknowledged = undefined;
    }
    const isUnable = reply.kind === "error" && reply.error.code === CODES.methodNotFound;
    if (isUnable) return;
    this.#failures += 1;
    this.#isGap ||= this.#current === undefined;
    const delayMs = backoffMs(this.#failures, this.#options.random());
    this.#retry = setTimeout(() => void this.#open(), delayMs).unref();
  }

  /** The newest stream replaces the one in use, and is replaced itself if it is outdated. */
  #replace(): void {
    clearTimeout(this.#acknowledgement);
    if (this.#unacknowledged === undefined) return;
    this.#current?.abort();
    this.#current = this.#unacknowledged;
    this.#unacknowledged = undefined;
    if (this.#isOutdated) void this.#open();
  }

  #giveUpAcknowledgement(): void {
    this.#isGap ||= this.#current !== undefined;
    this.#replace();
  }

  #stopAll(): void {
    clearTimeout(this.#acknowledgement);
    this.#current?.abort();
    this.#unacknowledged?.abort();
    this.#current = undefined;
    this.#unacknowledged = undefined;
  }
}

function offers(capabilities: JsonObject, list: string, feature: string): boolean {
  const offered = ownValue(capabilities, list);
  return isJsonObject(offered) && ownValue(offered, feature) === true;
}
