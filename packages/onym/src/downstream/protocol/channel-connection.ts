// The handshake over a pipe, and the resulting connection. One connection speaks one era, with one process
// (GW-1).

import type { Reply } from "../../mcp/reply.js";
import type { Connection, ConnectionContext, Handshake } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { createLogLevel } from "./format-request.js";
import { addEnvelope, sendModernRequest } from "./modern-requests.js";
import { buildOwnRequest } from "./own-requests.js";
import { buildInitialize, type ReadHandshake, readDiscovered, readInitialized } from "./read-handshake.js";
import type { RpcChannel } from "./rpc-channel.js";
import { createSubscriptions } from "./subscriptions.js";

export type HandshakeResult = Exclude<ReadHandshake, { readonly kind: "other-era" }>;

/** Introduces Onym. A server that speaks only the modern era is addressed in it, over the same pipe. */
export async function performHandshake(
  channel: RpcChannel,
  { clientInfo, signal }: ConnectionContext,
): Promise<HandshakeResult> {
  const initialized = await channel.send(
    buildOwnRequest("initialize", buildInitialize(clientInfo), { signal }),
  );
  const legacy = readInitialized(initialized);
  if (legacy.kind !== "other-era") {
    if (legacy.kind === "handshake") channel.notify("notifications/initialized");
    return legacy;
  }
  const discover = buildOwnRequest("server/discover", {}, { signal });
  const reply = await channel.send({ ...discover, params: addEnvelope({}, discover.origin, clientInfo) });
  const modern = readDiscovered(reply);
  if (modern.kind === "handshake") return modern;
  const said = initialized.kind === "error" ? initialized.error.message : "an answer of another revision";
  return { kind: "refused", reason: `refused initialize: ${said}` };
}

export interface ChannelConnectionOptions {
  readonly channel: RpcChannel;
  readonly handshake: Handshake;
  readonly context: ConnectionContext;
  readonly close: () => Promise<void>;
}

/** The connection, and the handler for the notifications of its pipe from now on. */
export function createChannelConnection({ channel, handshake, context, close }: ChannelConnectionOptions): {
  readonly connection: Connection;
  readonly onNotification: ConnectionContext["events"]["onNotification"];
} {
  const { events, clientInfo, random } = context;
  if (handshake.era === "legacy") {
    const needLevel = createLogLevel(handshake.capabilities, (level) => {
      void channel.send(
        buildOwnRequest("logging/setLevel", { level }, { timeoutMs: context.limits.startMs }),
      );
    });
    const ask = (request: DownstreamRequest): Promise<Reply> => {
      needLevel(request.origin.logLevel);
      return channel.send(request);
    };
    return {
      connection: { eras: ["legacy"], handshake, send: ask, notify: channel.notify, close },
      onNotification: events.onNotification,
    };
  }
  const send = (request: DownstreamRequest): Promise<Reply> =>
    sendModernRequest(request, clientInfo, channel.send);
  const subscriptions = createSubscriptions({
    capabilities: handshake.capabilities,
    listen: (params, signal) => send(buildOwnRequest("subscriptions/listen", params, { signal })),
    random,
  });
  subscriptions.start();
  const connection: Connection = {
    eras: ["modern"],
    handshake,
    send: async (request) =>
      request.method === "resources/subscribe" || request.method === "resources/unsubscribe"
        ? subscriptions.follow(request.method, request.params)
        : send(request),
    // In the modern era clients send no notifications except cancellation.
    notify: () => {},
    close: () => {
      subscriptions.close();
      return close();
    },
  };
  const onNotification: ConnectionContext["events"]["onNotification"] = (notification, receiver) => {
    const accepted = subscriptions.accept(notification);
    if (accepted !== undefined) events.onNotification(accepted, receiver);
  };
  return { connection, onNotification };
}
