// The HTTP routes beside MCP: liveness, readiness, and the status of the servers.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { Downstream } from "../../downstream/downstream.js";
import { toolNamesOf } from "../../downstream/inventory/inventory.js";
import { OnymError } from "../../model/onym-error.js";
import type { AuthResult, KnownCaller } from "../auth/authenticate.js";
import type { Authenticator } from "../auth/create-authenticator.js";
import { METADATA_PATH, metadataPath } from "../auth/resource-metadata.js";
import type { Gateway } from "../create-gateway.js";
import { HTTP_STATUSES } from "../failure-codes.js";
import { describeMissing } from "../methods/list-reply.js";
import { checkHost } from "./requests/read-request.js";
import type { Refusal } from "./responses/refusal.js";
import { writeRefusal } from "./responses/write-response.js";

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

export interface HealthRoutesOptions {
  readonly gateway: Gateway;
  readonly allow: readonly string[];
  readonly authenticator: Pick<Authenticator, "authenticate" | "metadata">;
  /** Why all calls are refused. */
  readonly trouble: () => Promise<unknown>;
  /** The gateway is about to stop: route to another replica. */
  readonly isDraining: () => boolean;
  /** The Prometheus metrics; absent if they are off. */
  readonly metrics?: { readonly contentType: string; readonly text: () => Promise<string> } | undefined;
}

/** Loaded on the first request, so that clients that only speak MCP do not pay for it. */
export function createHealthRoutes(options: HealthRoutesOptions): Listener {
  let listener: Promise<Routes> | undefined;
  return (req, res) => {
    const refused = checkHost(req, options.allow);
    // A kubelet uses the pod's address as Host. Any other client only learns that something answers (OBS-2).
    const probe = refused === undefined ? undefined : PROBES.get(req.url?.split("?", 1)[0] ?? "");
    if (refused !== undefined && (probe === undefined || req.method !== "GET")) {
      writeRefusal(res, refused);
      return;
    }
    listener ??= loadRoutes(options);
    listener.then(
      ({ handle, isReady }) =>
        probe === undefined ? handle(req, res) : void writeProbe(res, probe === "ready" ? isReady() : true),
      () => {
        listener = undefined;
        writeRefusal(res, UNAVAILABLE);
      },
    );
  };
}

/** Routes that answer to any Host. */
const PROBES: ReadonlyMap<string, "alive" | "ready"> = new Map([
  ["/healthz", "alive"],
  ["/readyz", "ready"],
]);

interface Routes {
  readonly handle: Listener;
  readonly isReady: () => Promise<boolean>;
}

async function writeProbe(res: ServerResponse, state: boolean | Promise<boolean>): Promise<void> {
  const isFine = await state;
  res.writeHead(isFine ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" });
  res.end(JSON.stringify({ status: isFine ? "ok" : "unavailable" }));
}

const UNAVAILABLE: Refusal = { code: "internal", message: "Internal error" };

async function loadRoutes({
  gateway,
  authenticator,
  trouble,
  isDraining,
  metrics,
}: HealthRoutesOptions): Promise<Routes> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import("hono"), import("@hono/node-server")]);
  const app = new Hono();
  /** Only callers that may connect get server status, limited to what they may see. */
  const whoAsks = async ({ req }: Context): Promise<AuthResult> =>
    authenticator.authenticate(new Map(Object.entries(req.header())));
  const readiness = async (): Promise<{ readonly status: string; readonly failure: unknown }> => {
    if (isDraining()) return { status: "draining", failure: undefined };
    // Once ready, always ready: a server that reconnects is reported as missing.
    const starting = gateway
      .downstreams()
      .filter(({ status, inventory }) => status.kind === "starting" && status.attempt <= 1 && !inventory);
    const failure = await trouble();
    return {
      status: failure !== undefined ? "store-failing" : starting.length === 0 ? "ready" : "starting",
      failure,
    };
  };
  app.get("/healthz", (context) => context.json({ name: "onym", status: "ok" }));
  app.get("/readyz", async (context) => {
    const { status, failure } = await readiness();
    if (status === "draining") return context.json({ status }, 503);
    const who = await whoAsks(context);
    return context.json(
      {
        status,
        ...(who.outcome === "known"
          ? {
              ...(failure instanceof OnymError && { reason: failure.message, hint: failure.hint }),
              missing: gateway.snapshot().missing.filter(seenBy(who, gateway)).map(describeMissing),
            }
          : {}),
      },
      status === "ready" ? 200 : 503,
    );
  });
  app.get("/metrics", async (context) => {
    if (metrics === undefined)
      return context.json(
        { error: 'Nothing is counted: set "metrics": true, or start with --metrics.' },
        404,
      );
    const who = await whoAsks(context);
    if (who.outcome === "refused") return refuse(context, who);
    // They cover every server and the calls of all callers.
    if (!who.isAnonymous && !seesEverything(who, gateway))
      return context.json(
        { error: "Something is hidden from this caller; metrics are about everything." },
        403,
      );
    const headers = { "content-type": metrics.contentType, "cache-control": "no-store" };
    return context.text(await metrics.text(), 200, headers);
  });
  app.get("/", async (context) => {
    const who = await whoAsks(context);
    if (who.outcome === "refused") return refuse(context, who);
    return context.json({
      name: "onym",
      endpoints: ["/mcp", "/mcp/PROFILE", "/healthz", "/readyz"],
      servers: gateway
        .downstreams()
        .filter(seenBy(who, gateway))
        .map((downstream) => ({
          ...describeMissing(downstream),
          tools: toolNamesOf(downstream.inventory).length,
        })),
    });
  });
  const tellMetadata = (context: Context): Response | Promise<Response> => {
    const metadata = authenticator.metadata();
    return metadata === undefined
      ? context.notFound()
      : context.json(metadata, 200, { "cache-control": "max-age=60" });
  };
  app.get(METADATA_PATH, tellMetadata);
  app.get(`${METADATA_PATH}/*`, (context) => {
    const { resource } = authenticator.metadata() ?? {};
    const isAbout = new Set([
      `${METADATA_PATH}/mcp`,
      typeof resource === "string" ? metadataPath(resource) : "",
    ]);
    return isAbout.has(context.req.path) ? tellMetadata(context) : context.notFound();
  });
  app.notFound((context) =>
    context.json({ error: "There is nothing here. MCP clients connect to /mcp." }, 404),
  );
  return {
    handle: getRequestListener(app.fetch),
    isReady: async () => (await readiness()).status === "ready",
  };
}

function refuse(context: Context, who: AuthResult & { readonly outcome: "refused" }): Response {
  if (who.challenge !== undefined) context.header("www-authenticate", who.challenge);
  return context.json({ error: who.reason }, HTTP_STATUSES[who.code]);
}

function seesEverything({ principal, toolboxes }: KnownCaller, gateway: Gateway): boolean {
  const caller = { principal, confinedTo: toolboxes };
  return (
    toolboxes === undefined &&
    gateway.downstreams().every(({ id }) => gateway.reaches(caller, id)) &&
    gateway.snapshot().tools.catalog.tools.every(gateway.sees(caller))
  );
}

/** Servers that policy denies to a caller completely are left out (POL-9). */
function seenBy(
  { principal, toolboxes }: KnownCaller,
  gateway: Gateway,
): (downstream: Downstream) => boolean {
  const caller = { principal, confinedTo: toolboxes };
  return ({ id }) => gateway.reaches(caller, id);
}
