// The handshake over a pipe, and the link it comes to. One connection speaks one era, on one process (GW-1).

import type { Reply } from "../../mcp/reply.js";
import type { Hello, Link, LinkContext } from "../connection.js";
import type { Ask } from "../downstream.js";
import { createLogLevel } from "./log-level.js";
import { addEnvelope, askModern } from "./modern-requests.js";
import { buildOwnAsk } from "./own-requests.js";
import { buildInitialize, type ReadHello, readDiscovered, readInitialized } from "./read-handshake.js";
import type { Peer } from "./rpc-channel.js";
import { createListening } from "./subscriptions.js";

export type Greeting = Exclude<ReadHello, { readonly kind: "other-era" }>;

/** Introduces Onym. A server of the modern era alone is spoken to in it, over the same pipe. */
export async function greetPeer(peer: Peer, { clientInfo, signal }: LinkContext): Promise<Greeting> {
  const initialized = await peer.ask(buildOwnAsk("initialize", buildInitialize(clientInfo), { signal }));
  const legacy = readInitialized(initialized);
  if (legacy.kind !== "other-era") {
    if (legacy.kind === "hello") peer.notify("notifications/initialized");
    return legacy;
  }
  const discover = buildOwnAsk("server/discover", {}, { signal });
  const reply = await peer.ask({ ...discover, params: addEnvelope({}, discover.from, clientInfo) });
  const modern = readDiscovered(reply);
  if (modern.kind === "hello") return modern;
  const said = initialized.kind === "error" ? initialized.error.message : "an answer of another revision";
  return { kind: "refused", reason: `refused initialize: ${said}` };
}

export interface PeerLinkOptions {
  readonly peer: Peer;
  readonly hello: Hello;
  readonly context: LinkContext;
  readonly close: () => Promise<void>;
}

/** The link, and where the notices of its pipe go from now on. */
export function createPeerLink({ peer, hello, context, close }: PeerLinkOptions): {
  readonly link: Link;
  readonly onNotice: LinkContext["events"]["onNotice"];
} {
  const { events, clientInfo, random } = context;
  if (hello.era === "legacy") {
    const needLevel = createLogLevel(hello.capabilities, (level) => {
      void peer.ask(buildOwnAsk("logging/setLevel", { level }, { timeoutMs: context.limits.startMs }));
    });
    const ask = (asked: Ask): Promise<Reply> => {
      needLevel(asked.from.logLevel);
      return peer.ask(asked);
    };
    return { link: { eras: ["legacy"], hello, ask, notify: peer.notify, close }, onNotice: events.onNotice };
  }
  const send = (asked: Ask): Promise<Reply> => askModern(asked, clientInfo, peer.ask);
  const listening = createListening({
    capabilities: hello.capabilities,
    listen: (params, signal) => send(buildOwnAsk("subscriptions/listen", params, { signal })),
    random,
  });
  listening.start();
  const link: Link = {
    eras: ["modern"],
    hello,
    ask: async (asked) =>
      asked.method === "resources/subscribe" || asked.method === "resources/unsubscribe"
        ? listening.follow(asked.method, asked.params)
        : send(asked),
    // The modern era has no notifications of clients beside cancelling.
    notify: () => {},
    close: () => {
      listening.close();
      return close();
    },
  };
  const onNotice: LinkContext["events"]["onNotice"] = (notice, receiver) => {
    const accepted = listening.accept(notice);
    if (accepted !== undefined) events.onNotice(accepted, receiver);
  };
  return { link, onNotice };
}
