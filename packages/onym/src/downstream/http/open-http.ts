// A server behind Streamable HTTP: its eras are detected once, and each caller is served in its own (GW-1).

import { createTickets } from "../../mcp/fast-path/in-flight.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES, type Era } from "../../mcp/protocol.js";
import { formatDuration } from "../../model/clock.js";
import type { Connection, ConnectionContext, Handshake, OpenedConnection } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { SLOW_START } from "../explain-down.js";
import { addEnvelope } from "../protocol/modern-requests.js";
import { readDiscovered } from "../protocol/read-handshake.js";
import { buildOwnRequest, callerEra, isOwnRequest, unanswered, unwritable } from "../protocol/request.js";
import { createHttpClient, type HttpFailure, type HttpLaunch } from "./http-client.js";
import { type OpenedLegacy, openLegacyHttp } from "./http-legacy.js";
import { createModernHttp, createModernSend, type HttpConnection } from "./http-modern.js";

/** How long to wait for a server that answered initialize to say whether it also speaks the modern era. */
const DISCOVER_MS = 5000;

export async function openHttp(launch: HttpLaunch, context: ConnectionContext): Promise<OpenedConnection> {
  const { label, events, hide } = context;
  if (!/^https?:$/.test(protocolOf(launch.url)))
    return { kind: "failed", reason: "its url is no http(s) address", hint: 'Fix "url" in the config.' };
  const client = createHttpClient(launch, hide, context.credentials);
  const byEra = new Map<Era, HttpConnection>();
  let over: string | undefined;
  let announce = false;
  /** Requests in flight, to be answered when the connection ends. */
  const waiting = createTickets<() => void>();

  let onIdle: (() => void) | undefined;
  const close = async (when: "now" | "when-idle" = "now"): Promise<void> => {
    over ??= "it was closed";
    if (when === "now") {
      for (const end of waiting.values()) end();
      onIdle?.();
    } else if (waiting.size > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await Promise.all([...byEra.values()].map((connection) => connection.close()));
    await client.close();
  };
  const onLost = ({ reason, hint }: HttpFailure): void => {
    if (over !== undefined || !announce) return;
    over = `${reason}. ${hint}`;
    events.onClosed(reason, hint);
  };

  const legacy = await openLegacyHttp({ client, context, onLost });
  if (legacy.kind === "open") byEra.set("legacy", legacy.connection);
  const modern = legacy.kind === "failed" || context.signal.aborted ? undefined : await discover();
  if (modern !== undefined) byEra.set("modern", createModernHttp(modern, { client, context, onLost }));
  const handshake = modern ?? (legacy.kind === "open" ? legacy.handshake : undefined);
  if (handshake === undefined) {
    await close();
    if (
      legacy.kind === "refused" &&
      (legacy.status === 404 || legacy.status === 405) &&
      launch.kind === "http"
    )
      return (await import("./open-sse.js")).openSse(launch, context);
    return explainRefusal(legacy, client.address, context);
  }
  announce = true;

  const connectionFor = (request: DownstreamRequest): HttpConnection | undefined => {
    const follows = request.method === "resources/subscribe" || request.method === "resources/unsubscribe";
    const era = isOwnRequest(request) || follows ? handshake.era : callerEra(request.origin);
    return byEra.get(era) ?? byEra.get(handshake.era);
  };
  const connection: Connection = {
    eras: [...byEra.keys()],
    handshake,
    send: (request) => {
      const chosen = connectionFor(request);
      if (over !== undefined || chosen === undefined)
        return Promise.resolve(errorReply(CODES.internal, `${label} is gone: ${over ?? ""}`));
      return untilEnded(request, chosen);
    },
    notify: (method, params) => {
      if (over === undefined) byEra.get("legacy")?.notify(method, params);
    },
    close,
  };
  return { kind: "open", connection };

  function untilEnded(request: DownstreamRequest, connection: HttpConnection): Promise<Reply> {
    return new Promise((resolve) => {
      const onEnd = (): void => resolve(unanswered(request, `${label} is gone: ${over ?? ""}`));
      const ticket = waiting.take(onEnd);
      const finish = (reply: Reply): void => {
        waiting.drop(ticket);
        resolve(reply);
        if (waiting.size === 0) onIdle?.();
      };
      connection.send(request).then(finish, (error: unknown) => finish(unwritable(error)));
    });
  }

  async function discover(): Promise<Handshake | undefined> {
    const { signal } = context;
    const request = buildOwnRequest("server/discover", {}, { signal, timeoutMs: DISCOVER_MS });
    const send = createModernSend({ client, context, onLost });
    const read = readDiscovered(
      await send({ ...request, params: addEnvelope({}, request.origin, context.clientInfo) }),
    );
    return read.kind === "handshake" ? read.handshake : undefined;
  }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : "";
}

function explainRefusal(
  legacy: OpenedLegacy,
  address: string,
  { limits, signal, hide, credentials }: ConnectionContext,
): OpenedConnection {
  if (legacy.kind === "failed" && !signal.aborted)
    return { kind: "failed", reason: legacy.reason, hint: legacy.hint };
  if (signal.aborted)
    return {
      kind: "failed",
      reason: `${address} did not answer initialize within ${formatDuration(limits.startMs)}`,
      hint: `Is it an MCP server over HTTP? ${SLOW_START}`,
    };
  const status = legacy.kind === "refused" ? legacy.status : 0;
  if (status === 401 || status === 403)
    return {
      kind: "failed",
      reason: `${address} wants authorization (HTTP ${status})`,
      hint:
        credentials === undefined
          ? 'Give a token in "headers", such as "Authorization", with a variable for the secret.'
          : 'Give a token in "headers", or, where it knows OAuth, sign in with onym login.',
    };
  if (status >= 300 && status < 400)
    return {
      kind: "failed",
      reason: `${address} leads elsewhere (HTTP ${status})`,
      hint: 'Give the final address as "url".',
    };
  const said =
    legacy.kind === "refused" && legacy.read.kind === "refused" ? `: ${hide(legacy.read.reason)}` : "";
  return {
    kind: "failed",
    reason: `${address} speaks no MCP that is known here${said}`,
    hint: "Is the url that of its MCP endpoint, often /mcp or /sse?",
  };
}
