// What the gateway serves over HTTP beside MCP: whether it lives and is ready, and how its servers are.

import type { IncomingMessage, ServerResponse } from "node:http";
import { CODES } from "../rpc/protocol.js";
import type { Gateway } from "./create-gateway.js";
import { checkHost } from "./edge/check-host.js";
import { type Refusal, writeRefusal } from "./edge/write-answer.js";
import { describeMissing } from "./requests/list-reply.js";

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

export interface SideOptions {
  readonly gateway: Gateway;
  readonly allow: readonly string[];
}

/** Loaded with the first request, so that a client that only speaks MCP does not pay for it. */
export function createSideRoutes(options: SideOptions): Listener {
  let listener: Promise<Listener> | undefined;
  return (req, res) => {
    const refused = checkHost(req.headers, options.allow);
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

async function loadRoutes({ gateway }: SideOptions): Promise<Listener> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import("hono"), import("@hono/node-server")]);
  const app = new Hono();
  app.get("/healthz", (context) => context.json({ name: "onym", status: "ok" }));
  app.get("/readyz", (context) => {
    // Once ready, always ready: a server that is tried again is told of as missing.
    const starting = gateway
      .downstreams()
      .filter(({ status, inventory }) => status.kind === "starting" && status.attempt <= 1 && !inventory);
    return context.json(
      {
        status: starting.length === 0 ? "ready" : "starting",
        missing: gateway.view().missing.map(describeMissing),
      },
      starting.length === 0 ? 200 : 503,
    );
  });
  app.get("/", (context) =>
    context.json({
      name: "onym",
      endpoints: ["/mcp", "/mcp/PROFILE", "/healthz", "/readyz"],
      servers: gateway.downstreams().map((downstream) => ({
        ...describeMissing(downstream),
        tools: downstream.inventory?.tools.length ?? 0,
      })),
    }),
  );
  app.notFound((context) =>
    context.json({ error: "There is nothing here. MCP clients connect to /mcp." }, 404),
  );
  return getRequestListener(app.fetch);
}
