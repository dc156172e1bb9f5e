// The HTTP routes beside MCP: liveness and readiness, the status of the servers, metrics, and the metadata that says how to sign
// in. Everything else is not found.

import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Downstream } from "../../downstream/downstream.js";
import { OnymError } from "../../model/onym-error.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { AuthResult, KnownCaller } from "../auth/authenticate.js";
import type { Authenticator } from "../auth/create-authenticator.js";
import { METADATA_PATH, metadataPath } from "../auth/resource-metadata.js";
import { ownerKey } from "../catalog/gateway-snapshot.js";
import type { Gateway } from "../create-gateway.js";
import { HTTP_STATUSES } from "../failure-codes.js";
import { describeMissing } from "../methods/list-reply.js";
import { type CallerShare, callerKey } from "../sessions/edge-callers.js";
import type { EdgeCallers } from "./create-http-edge.js";
import type { RequestHandler } from "./guard-connections.js";
import { checkHost } from "./requests/read-request.js";
import type { Refusal } from "./responses/refusal.js";
import { writeRefusal } from "./responses/write-response.js";

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

export interface HealthRoutesOptions {
  readonly gateway: Gateway;
  readonly allow: readonly string[];
  readonly authenticator: Pick<Authenticator, "authenticate" | "metadata">;
  readonly callers: Pick<EdgeCallers, "quotas" | "clock" | "reads" | "unread">;
  /** Why all calls are refused. */
  readonly trouble: () => Promise<unknown>;
  /** The gateway is about to stop: route to another replica. */
  readonly isDraining: () => boolean;
  /** The Prometheus metrics; absent if they are off. */
  readonly metrics?: ScrapedMetrics | undefined;
}

interface ScrapedMetrics {
  readonly contentType: string;
  /** Rejects once the client has left. */
  readonly text: (signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Answers every request. What the status at `/` is made of is loaded with the first request for it, so that clients that only
 * speak MCP do not pay.
 */
export function createHealthRoutes(options: HealthRoutesOptions): RequestHandler {
  let listener: Promise<Listener> | undefined;
  return (req, res) => {
    // A kubelet uses the pod's address as Host. Whoever asks only learns that something answers (OBS-2).
    const isProbed = PROBES.get(req.url?.split("?", 1)[0] ?? "");
    if (isProbed !== undefined && (req.method === "GET" || req.method === "HEAD")) {
      void writeProbe(req, res, isProbed(options));
      return true;
    }
    const refused = checkHost(req, options.allow);
    if (refused !== undefined) {
      writeRefusal(res, refused);
      return true;
    }
    listener ??= loadRoutes(options);
    listener.then(
      (handle) => handle(req, res),
      () => {
        listener = undefined;
        writeRefusal(res, UNAVAILABLE);
      },
    );
    return true;
  };
}

/** Routes that answer any Host and any caller, with one bit. */
const PROBES: ReadonlyMap<string, (options: HealthRoutesOptions) => Promise<boolean>> = new Map([
  ["/healthz", async () => true],
  ["/readyz", async (options: HealthRoutesOptions) => (await readReadiness(options)).status === "ready"],
]);

async function writeProbe(
  { method }: IncomingMessage,
  res: ServerResponse,
  state: Promise<boolean>,
): Promise<void> {
  const isFine = await state;
  res.writeHead(isFine ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" });
  res.end(method === "HEAD" ? undefined : JSON.stringify({ status: isFine ? "ok" : "unavailable" }));
}

interface Readiness {
  readonly status: "ready" | "starting" | "draining" | "store-failing";
  readonly failure?: unknown;
}

async function readReadiness({ gateway, trouble, isDraining }: HealthRoutesOptions): Promise<Readiness> {
  if (isDraining()) return { status: "draining" };
  const failure = await trouble();
  if (failure !== undefined) return { status: "store-failing", failure };
  // Once ready, always ready: a server that reconnects is reported as missing.
  const isStarting = gateway
    .downstreams()
    .some(({ status, inventory }) => status.kind === "starting" && status.attempt <= 1 && !inventory);
  return { status: isStarting ? "starting" : "ready" };
}

const UNAVAILABLE: Refusal = { code: "internal", message: "Internal error" };

async function loadRoutes(options: HealthRoutesOptions): Promise<Listener> {
  const { gateway, authenticator, callers, metrics } = options;
  const [{ Hono }, { getRequestListener }] = await Promise.all([import("hono"), import("@hono/node-server")]);
  const app = new Hono<{ Bindings: HttpBindings }>();
  /** Only callers that may connect get server status and metrics, limited to what they may see. */
  const identifyCaller = async ({ req }: Context): Promise<AuthResult> =>
    authenticator.authenticate(new Map(Object.entries(req.header())));
  app.get("/metrics", async (context) => {
    if (metrics === undefined)
      return context.json(
        { error: 'Nothing is counted: set "metrics": true, or start with --metrics.' },
        404,
      );
    const caller = await identifyCaller(context);
    if (caller.outcome === "refused") return refuse(context, caller);
    const counted = countRead(context, caller, callers);
    if (!counted.ok) return sendRefusal(context, counted.refusal);
    // They cover every server and the calls of all callers.
    const { principal, toolboxes: confinedTo } = caller;
    if (!caller.isAnonymous && !gateway.seesEverything({ principal, confinedTo }))
      return context.json(
        { error: "A rule restricts what this caller sees; metrics are about everything." },
        403,
      );
    const { share, left } = counted;
    const scraped = await callers.reads.run(share, left, async () => {
      const text = await metrics.text(left);
      // One that is kept is there at once, and large: a caller is sent one in a turn of the event loop (SAFE-4).
      await nextTurn();
      return text;
    });
    if (scraped.outcome === "refused") return sendRefusal(context, scraped.refusal);
    if (scraped.outcome === "left") return context.body(null, 503);
    const headers = { "content-type": metrics.contentType, "cache-control": "no-store" };
    return context.body(scraped.value, 200, headers);
  });
  app.get("/", async (context) => {
    const caller = await identifyCaller(context);
    if (caller.outcome === "refused") return refuse(context, caller);
    const counted = countRead(context, caller, callers);
    if (!counted.ok) return sendRefusal(context, counted.refusal);
    const { share, left } = counted;
    const tools = await callers.reads.run(share, left, () =>
      runInSlices(countSteps(caller, gateway), { signal: left }),
    );
    if (tools.outcome === "refused") return sendRefusal(context, tools.refusal);
    if (tools.outcome === "left") return context.body(null, 503);
    const { status, failure } = await readReadiness(options);
    return context.json({
      name: "onym",
      status,
      ...(failure instanceof OnymError && { reason: failure.message, hint: failure.hint }),
      endpoints: ["/mcp", "/mcp/PROFILE", "/healthz", "/readyz"],
      servers: gateway
        .downstreams()
        .filter(seenBy(caller, gateway))
        .map((downstream) => ({
          ...describeMissing(downstream),
          ...(downstream.status.kind === "failed" && { reason: downstream.status.reason }),
          tools: tools.value.get(ownerKey(downstream.id)) ?? 0,
        })),
    });
  });
  const sendMetadata = (context: Context): Response | Promise<Response> => {
    const metadata = authenticator.metadata();
    return metadata === undefined
      ? context.notFound()
      : context.json(metadata, 200, { "cache-control": "max-age=60" });
  };
  app.get(METADATA_PATH, sendMetadata);
  app.get(`${METADATA_PATH}/*`, (context) => {
    const { resource } = authenticator.metadata() ?? {};
    const isAbout = new Set([
      `${METADATA_PATH}/mcp`,
      typeof resource === "string" ? metadataPath(resource) : "",
    ]);
    return isAbout.has(context.req.path) ? sendMetadata(context) : context.notFound();
  });
  app.notFound((context) =>
    context.json({ error: "There is nothing here. MCP clients connect to /mcp." }, 404),
  );
  return getRequestListener(app.fetch);
}

type CountedRead =
  | { readonly ok: true; readonly share: CallerShare; readonly left: AbortSignal }
  | { readonly ok: false; readonly refusal: Refusal };

/** Counts a read as a request of its caller, with the bytes of its answer that are not read (SAFE-5). */
function countRead(
  { env: { incoming, outgoing } }: Context<{ Bindings: HttpBindings }>,
  { isAnonymous, principal }: KnownCaller,
  { quotas, clock, unread }: HealthRoutesOptions["callers"],
): CountedRead {
  const key = callerKey(isAnonymous ? undefined : principal, incoming.socket.remoteAddress);
  const share = quotas.of(key);
  unread.watch(incoming.socket, share);
  const isRated = !(key.isShared && isAnonymous);
  const tooFast = isRated ? share.countRequest(clock.elapsed()) : undefined;
  if (tooFast !== undefined) return { ok: false, refusal: tooFast };
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  // The client has disconnected: there will be no later `close` event.
  if (outgoing.destroyed || outgoing.closed) left.abort();
  return { ok: true, share, left: left.signal };
}

function refuse(context: Context, caller: AuthResult & { readonly outcome: "refused" }): Response {
  if (caller.challenge !== undefined) context.header("www-authenticate", caller.challenge);
  return context.json({ name: "onym", error: caller.reason }, HTTP_STATUSES[caller.code]);
}

function sendRefusal(context: Context, { code, message, headers }: Refusal): Response {
  context.header("retry-after", String(headers?.["retry-after"] ?? 1));
  return context.json({ name: "onym", error: message }, HTTP_STATUSES[code]);
}

/** Servers that policy denies to a caller completely are left out (POL-9). */
function seenBy(
  { principal, toolboxes }: KnownCaller,
  gateway: Gateway,
): (downstream: Downstream) => boolean {
  const caller = { principal, confinedTo: toolboxes };
  return ({ id }) => gateway.reaches(caller, id);
}

/** How many tools of each server a caller sees: what policy hides is not counted either (GW-6). */
function* countSteps(
  { principal, toolboxes }: KnownCaller,
  gateway: Gateway,
): Steps<ReadonlyMap<string, number>> {
  const sees = gateway.sees({ principal, confinedTo: toolboxes });
  const counts = new Map<string, number>();
  for (const tool of gateway.snapshot().tools.catalog.tools) {
    yield;
    const key = ownerKey(tool);
    if (sees(tool)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
