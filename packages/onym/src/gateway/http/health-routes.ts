// What the gateway serves over HTTP beside MCP: whether it lives and is ready, and how its servers are.

import type { IncomingMessage, ServerResponse } from "node:http";
import { OnymError } from "@onym/core";
import type { Context } from "hono";
import type { Downstream } from "../../downstream/downstream.js";
import { CODES } from "../../mcp/protocol.js";
import type { AuthResult, KnownCaller } from "../auth/authenticate.js";
import type { Authenticator } from "../auth/create-authenticator.js";
import { METADATA_PATH, metadataPath } from "../auth/resource-metadata.js";
import type { Gateway } from "../create-gateway.js";
import { describeMissing } from "../methods/list-reply.js";
import { checkHost } from "./requests/check-host.js";
import type { Refusal } from "./responses/refusal.js";
import { writeRefusal } from "./responses/write-response.js";

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

export interface HealthRoutesOptions {
  readonly gateway: Gateway;
  readonly allow: readonly string[];
  readonly authenticator: Pick<Authenticator, "authenticate" | "metadata">;
  /** Why calls are refused, whoever makes them. */
  readonly trouble: () => Promise<unknown>;
  /** It is about to end: another replica is to be asked. */
  readonly isDraining: () => boolean;
}

/** Loaded with the first request, so that a client that only speaks MCP does not pay for it. */
export function createHealthRoutes(options: HealthRoutesOptions): Listener {
  let listener: Promise<Listener> | undefined;
  return (req, res) => {
    const refused = checkHost(req, options.allow);
    if (refused !== undefined) {
      writeRefusal(res, refused);
      return;
    }
    listener ??= loadRoutes(options);
    listener.then(
      (handle) => handle(req, res),
      () => {
        listener = undefined;
        writeRefusal(res, UNAVAILABLE);
      },
    );
  };
}

const UNAVAILABLE: Refusal = { status: 500, code: CODES.internal, message: "Internal error" };

async function loadRoutes({
  gateway,
  authenticator,
  trouble,
  isDraining,
}: HealthRoutesOptions): Promise<Listener> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import("hono"), import("@hono/node-server")]);
  const app = new Hono();
  /** What is told of servers is for who may connect, as far as it may see. */
  const whoAsks = async ({ req }: Context): Promise<AuthResult> =>
    authenticator.authenticate(new Map(Object.entries(req.header())));
  app.get("/healthz", (context) => context.json({ name: "onym", status: "ok" }));
  app.get("/readyz", async (context) => {
    if (isDraining()) return context.json({ status: "draining" }, 503);
    const who = await whoAsks(context);
    // Once ready, always ready: a server that is tried again is told of as missing.
    const starting = gateway
      .downstreams()
      .filter(({ status, inventory }) => status.kind === "starting" && status.attempt <= 1 && !inventory);
    const failure = await trouble();
    const status = failure !== undefined ? "store-failing" : starting.length === 0 ? "ready" : "starting";
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
  app.get("/", async (context) => {
    const who = await whoAsks(context);
    if (who.outcome === "refused") {
      if (who.challenge !== undefined) context.header("www-authenticate", who.challenge);
      return context.json({ error: who.reason }, who.status);
    }
    return context.json({
      name: "onym",
      endpoints: ["/mcp", "/mcp/PROFILE", "/healthz", "/readyz"],
      servers: gateway
        .downstreams()
        .filter(seenBy(who, gateway))
        .map((downstream) => ({
          ...describeMissing(downstream),
          tools: downstream.inventory?.tools.length ?? 0,
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
  return getRequestListener(app.fetch);
}

/** Servers of which the policy denies everything to a caller are not there for it (POL-9). */
function seenBy(
  { principal, toolboxes }: KnownCaller,
  gateway: Gateway,
): (downstream: Downstream) => boolean {
  const caller = { principal, confinedTo: toolboxes };
  return ({ id }) => gateway.reaches(caller, id);
}
