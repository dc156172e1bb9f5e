// The console over HTTP: its page at /, its files, and its API. Loaded with the first request, so that a gateway that nobody
// looks at does not pay for it.

import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Authenticator } from "../gateway/auth/create-authenticator.js";
import type { EdgeCallers } from "../gateway/http/create-http-edge.js";
import { checkHost } from "../gateway/http/requests/read-request.js";
import { writeRefusal } from "../gateway/http/responses/write-response.js";
import type { ConsoleContext } from "./console-context.js";
import type { ConsoleSessions } from "./viewer.js";

export interface Console {
  /** `false`: the address is not the console's, and nothing was done. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Ends the streams of who watches. */
  readonly close: () => void;
}

export interface ConsoleOptions {
  readonly context: ConsoleContext;
  readonly sessions: ConsoleSessions;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly allow: readonly string[];
  readonly callers: EdgeCallers;
  /** Whether the config in force has a console. */
  readonly isOn: () => boolean;
}

const BASE = "/console/";
const API = "/console/api/";

/** Nothing from anywhere else, nothing inline, in nobody's frame. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Beside the bundled program, and beside its source. */
const PLACES = ["../console/", "./console/", "../../dist/console/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

export function createConsole(options: ConsoleOptions): Console {
  const { context, sessions, authenticator, allow, callers, isOn } = options;
  const closing = new AbortController();
  let api: Promise<(req: IncomingMessage, res: ServerResponse) => void> | undefined;
  const loadApi = async () => {
    const [{ createApi }, { getRequestListener }] = await Promise.all([
      import("./api/api.js"),
      import("@hono/node-server"),
    ]);
    return getRequestListener(
      createApi({ context, sessions, authenticator, callers, closing: closing.signal }).fetch,
    );
  };
  return {
    handle(req, res) {
      const [path = ""] = (req.url ?? "").split("?", 1);
      const isPage = path === "/" && (req.headers.accept ?? "").includes("text/html");
      if ((!isPage && !path.startsWith(BASE)) || !isOn()) return false;
      const refused = checkHost(req, allow);
      if (refused !== undefined) {
        writeRefusal(res, refused);
        return true;
      }
      if (path.startsWith(API)) {
        api ??= loadApi();
        api.then(
          (handle) => handle(req, res),
          (error: unknown) => {
            api = undefined;
            context.log("error", `the console cannot be loaded: ${String(error)}`);
            res.writeHead(500).end();
          },
        );
        return true;
      }
      void serveFile(isPage ? "index.html" : path.slice(BASE.length), req, res);
      return true;
    },
    close: () => closing.abort(),
  };
}

async function serveFile(name: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== "GET" && req.method !== "HEAD") {
    res.writeHead(405, { ...HEADERS, allow: "GET, HEAD" }).end();
    return;
  }
  const bytes = /^[\w-]+(?:\.[\w-]+)+$/.test(name) ? await readFrom(name) : undefined;
  const type = TYPES[extname(name)];
  if (bytes === undefined || type === undefined) {
    res.writeHead(404, { ...HEADERS, "content-type": "text/plain" }).end("There is nothing here.");
    return;
  }
  // Names of files change with their contents, that of the page does not.
  const cache = name === "index.html" ? "no-cache" : "public, max-age=31536000, immutable";
  res.writeHead(200, {
    ...HEADERS,
    "content-type": type,
    "content-length": bytes.length,
    "cache-control": cache,
  });
  res.end(req.method === "HEAD" ? undefined : bytes);
}

async function readFrom(name: string): Promise<Buffer | undefined> {
  for (const place of PLACES) {
    const bytes = await readFile(join(place, name)).catch(() => undefined);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}
