// A server behind the HTTP+SSE transport of 2024-11-05: one stream for its messages, POSTs for ours.

import { createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { SseEvent } from "../../mcp/framing/sse-reader.js";
import { formatDuration } from "../../model/clock.js";
import type { ConnectionContext, ConnectionEvents, OpenedConnection } from "../connection.js";
import { SLOW_START } from "../explain-down.js";
import {
  createChannelConnection,
  createRpcChannel,
  performHandshake,
  type RpcChannel,
} from "../protocol/rpc-channel.js";
import { createHttpClient, type HttpClient, type HttpLaunch } from "./http-client.js";
import { isEventStream, type ReadMessagesOptions, readAllMessages } from "./read-messages.js";

/** How long a server may take to answer a POST, for which all others wait. Some answer when the call in it is done. */
const POST_MS = 10 * 60_000;

const HINT = "Is the url that of its SSE endpoint, often /sse?";

export async function openSse(launch: HttpLaunch, context: ConnectionContext): Promise<OpenedConnection> {
  if (!URL.canParse(launch.url) || !/^https?:$/.test(new URL(launch.url).protocol))
    return { kind: "failed", reason: "its url is no http(s) address", hint: 'Fix "url" in the config.' };
  return new SseTransport(launch, context).open();
}

class SseTransport {
  readonly #launch: HttpLaunch;
  readonly #context: ConnectionContext;
  readonly #client: HttpClient;
  readonly #channel: RpcChannel;
  /** Ends every request of this connection. */
  readonly #gone = createCancelSource();
  /** Whether the server named its endpoint; `false` if the connection ended first. */
  readonly #endpoint: Promise<boolean>;
  #endFirstAttemptEndpoint: (isFound: boolean) => void = () => {};
  /** Where to post messages; `undefined` until the server names it. */
  #path: string | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** Characters that wait to be posted. */
  #queued = 0;
  #endReason: string | undefined;
  #hint = HINT;
  /** `undefined` before the connection is open, and after `close`. */
  #onClosed: ((reason: string) => void) | undefined;
  #onNotification: ConnectionEvents["onNotification"];

  constructor(launch: HttpLaunch, context: ConnectionContext) {
    const { events, hide, credentials } = context;
    this.#launch = launch;
    this.#context = context;
    this.#client = createHttpClient(launch, hide, credentials);
    this.#endpoint = new Promise((resolve) => {
      this.#endFirstAttemptEndpoint = resolve;
    });
    this.#onNotification = events.onNotification;
    this.#channel = createRpcChannel({
      ...context,
      events: {
        ...events,
        onNotification: (notification, receiver) => this.#onNotification(notification, receiver),
      },
      send: (text) => this.#enqueue(text),
    });
  }

  async open(): Promise<OpenedConnection> {
    const { signal, events } = this.#context;
    const onAbort = (): void => this.#gone.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    void this.#readStream();
    const read = (await this.#endpoint) ? await performHandshake(this.#channel, this.#context) : undefined;
    signal.removeEventListener("abort", onAbort);
    if (read?.kind !== "handshake" || this.#endReason !== undefined) {
      const failed = this.#explainFailure(read?.kind === "refused" ? read.reason : "");
      await this.#close();
      return failed;
    }
    const { connection, onNotification } = createChannelConnection({
      channel: this.#channel,
      handshake: read.handshake,
      context: this.#context,
      close: () => this.#close(),
    });
    this.#onNotification = onNotification;
    this.#onClosed = (reason) => events.onClosed(reason, "It is tried again.");
    return { kind: "open", connection };
  }

  #explainFailure(refusal: string): OpenedConnection {
    const { limits, hide, signal } = this.#context;
    if (!signal.aborted)
      return { kind: "failed", reason: this.#endReason ?? hide(refusal), hint: this.#hint };
    const waited = formatDuration(limits.startMs);
    const reason = `${this.#client.address} did not answer initialize within ${waited}`;
    return { kind: "failed", reason, hint: `${this.#hint} ${SLOW_START}` };
  }

  async #readStream(): Promise<void> {
    const { limits, pace, clock } = this.#context;
    const headers = new Map([["accept", "text/event-stream"]]);
    const answer = await this.#client.request({ method: "GET", headers, signal: this.#gone.signal });
    if (answer.kind === "failed") {
      this.#hint = answer.hint;
      return this.#end(answer.reason);
    }
    if (answer.status !== 200 || !isEventStream(answer)) {
      answer.body.drop();
      return this.#end(`${this.#client.address} is no event stream (HTTP ${answer.status})`);
    }
    const onMessage: ReadMessagesOptions["onMessage"] = (value, text, source) => {
      this.#channel.receiveValue(value, text, source);
      return false;
    };
    const onEvent = (event: SseEvent): void => this.#onEvent(event);
    const { frameBytes } = limits;
    const read = await readAllMessages({ answer, frameBytes, pace, clock, onMessage, onEvent });
    this.#end(read.kind === "too-large" ? `it sent ${read.what}` : "its stream ended");
  }

  #onEvent({ event, data }: SseEvent): void {
    if (event !== "endpoint" || typeof data !== "string" || this.#path !== undefined) return;
    const { url } = this.#launch;
    const target = URL.canParse(data, url) ? new URL(data, url) : undefined;
    // Headers of the config are for this origin alone.
    if (target?.origin !== new URL(url).origin) {
      this.#end("its endpoint is on another origin");
      return;
    }
    this.#path = target.pathname + target.search;
    this.#endFirstAttemptEndpoint(true);
  }

  /** `false` if too much is waiting to be sent. */
  #enqueue(text: string): boolean {
    if (this.#path === undefined || this.#queued > this.#context.limits.frameBytes * 4) return false;
    this.#queued += text.length;
    // One after another, as over a pipe: message order matters.
    this.#sending = this.#sending
      .then(() => this.#post(text))
      .finally(() => {
        this.#queued -= text.length;
      });
    return true;
  }

  async #post(body: string): Promise<void> {
    const path = this.#path;
    if (path === undefined || this.#endReason !== undefined) return;
    const { address } = this.#client;
    const headers = new Map([["content-type", "application/json"]]);
    const post = createCancelSource();
    const stopDeadline = this.#context.clock.after(POST_MS, post.cancel);
    this.#gone.signal.addEventListener("abort", post.cancel, { once: true });
    const answer = await this.#client.request({ method: "POST", headers, body, path, signal: post.signal });
    this.#gone.signal.removeEventListener("abort", post.cancel);
    stopDeadline();
    if (answer.kind === "answer") answer.body.discard();
    if (answer.kind === "failed") this.#end(answer.reason);
    else if (answer.status >= 400) this.#end(`${address} refused a message (HTTP ${answer.status})`);
  }

  #end(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.#gone.cancel();
    this.#channel.end(`${this.#context.label} is gone: ${reason}`);
    this.#endFirstAttemptEndpoint(false);
    this.#onClosed?.(reason);
    void this.#client.close();
  }

  async #close(): Promise<void> {
    this.#onClosed = undefined;
    this.#end("it was closed");
  }
}
