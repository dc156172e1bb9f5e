// A server behind the HTTP+SSE transport of 2024-11-05: one stream for its messages, POSTs for ours.

import type { SseEvent } from "../../mcp/framing/sse-reader.js";
import type { MessageText } from "../../mcp/json.js";
import { formatDuration } from "../../model/clock.js";
import type { ConnectionContext, OpenedConnection } from "../connection.js";
import { SLOW_START } from "../explain-down.js";
import { createChannelConnection, createRpcChannel, performHandshake } from "../protocol/rpc-channel.js";
import { createHttpClient, type HttpLaunch } from "./http-client.js";
import { IGNORING } from "./http-delivery.js";
import { isEventStream, readAllMessages } from "./read-messages.js";

const HINT = "Is the url that of its SSE endpoint, often /sse?";

export async function openSse(launch: HttpLaunch, context: ConnectionContext): Promise<OpenedConnection> {
  const { label, limits, events, hide, signal } = context;
  if (!URL.canParse(launch.url) || !/^https?:$/.test(new URL(launch.url).protocol))
    return { kind: "failed", reason: "its url is no http(s) address", hint: 'Fix "url" in the config.' };
  const client = createHttpClient(launch, hide, context.credentials);
  const gone = new AbortController();
  const onAbort = (): void => gone.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  let path: string | undefined;
  let over: string | undefined;
  let hint = HINT;
  let announce: ((reason: string) => void) | undefined;
  let onNotification = events.onNotification;
  let queued = 0;

  const channel = createRpcChannel({
    ...context,
    events: { ...events, onNotification: (notification, receiver) => onNotification(notification, receiver) },
    send: (text) => {
      if (path === undefined || queued > limits.frameBytes * 4) return false;
      queued += text.length;
      // One after another, as over a pipe: message order matters.
      sending = sending
        .then(() => post(text))
        .finally(() => {
          queued -= text.length;
        });
      return true;
    },
  });
  let sending: Promise<void> = Promise.resolve();
  const post = async (body: string): Promise<void> => {
    if (path === undefined || over !== undefined) return;
    const headers = new Map([["content-type", "application/json"]]);
    const answer = await client.request({ method: "POST", headers, body, path, signal: gone.signal });
    if (answer.kind === "answer") answer.body.read(IGNORING);
    if (answer.kind === "failed") end(answer.reason);
    else if (answer.status >= 400) end(`${client.address} refused a message (HTTP ${answer.status})`);
  };
  const end = (reason: string): void => {
    if (over !== undefined) return;
    over = reason;
    gone.abort();
    channel.end(`${label} is gone: ${reason}`);
    ready(false);
    announce?.(reason);
    void client.close();
  };
  const close = async (): Promise<void> => {
    announce = undefined;
    end("it was closed");
  };

  let ready: (found: boolean) => void = () => {};
  const endpoint = new Promise<boolean>((resolve) => {
    ready = resolve;
  });
  const onEvent = ({ event, data }: SseEvent): void => {
    if (event !== "endpoint" || typeof data !== "string" || path !== undefined) return;
    const target = URL.canParse(data, launch.url) ? new URL(data, launch.url) : undefined;
    // Headers of the config are for this origin alone.
    if (target?.origin !== new URL(launch.url).origin) {
      end("its endpoint is on another origin");
      return;
    }
    path = target.pathname + target.search;
    ready(true);
  };
  const follow = async (): Promise<void> => {
    const headers = new Map([["accept", "text/event-stream"]]);
    const answer = await client.request({ method: "GET", headers, signal: gone.signal });
    if (answer.kind === "failed") {
      hint = answer.hint;
      return end(answer.reason);
    }
    if (answer.status !== 200 || !isEventStream(answer)) {
      answer.body.drop();
      return end(`${client.address} is no event stream (HTTP ${answer.status})`);
    }
    const onMessage = (value: unknown, text?: MessageText): boolean => {
      channel.receiveValue(value, text);
      return false;
    };
    const read = await readAllMessages({
      answer,
      frameBytes: limits.frameBytes,
      pace: context.pace,
      clock: context.clock,
      onMessage,
      onEvent,
    });
    end(read.kind === "too-large" ? `it sent ${read.what}` : "its stream ended");
  };

  void follow();
  const handshakeResult = (await endpoint) ? await performHandshake(channel, context) : undefined;
  signal.removeEventListener("abort", onAbort);
  if (handshakeResult?.kind !== "handshake" || over !== undefined) {
    const late = `${client.address} did not answer initialize within ${formatDuration(limits.startMs)}`;
    const reason = signal.aborted
      ? late
      : (over ?? hide(handshakeResult?.kind === "refused" ? handshakeResult.reason : ""));
    await close();
    return { kind: "failed", reason, hint: signal.aborted ? `${hint} ${SLOW_START}` : hint };
  }
  const opened = createChannelConnection({ channel, handshake: handshakeResult.handshake, context, close });
  onNotification = opened.onNotification;
  announce = (reason) => events.onClosed(reason, "It is tried again.");
  return { kind: "open", connection: opened.connection };
}
