// An MCP server behind a door that wants bearer tokens: 401 with the way to its authorization server (RFC 9728), else it passes.

import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthorizationServer } from "./serve-authorization.js";

export interface GuardedServer {
  readonly url: string;
  /** Headers of all that came to the MCP endpoint. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** How many were turned away. */
  readonly refused: () => number;
  /** Laid over its metadata. */
  readonly metadata: Map<string, unknown>;
  /** What it says with 401. */
  setChallenge: (challenge: string | undefined) => void;
  readonly close: () => Promise<void>;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export async function serveGuarded(target: string, issuer: AuthorizationServer): Promise<GuardedServer> {
  const headers: IncomingHttpHeaders[] = [];
  const metadata = new Map<string, unknown>();
  let refused = 0;
  const path = new URL(target).pathname;
  const server = createServer((req, res) => {
    if (req.url === WELL_KNOWN + path) {
      const usual = { resource: url, authorization_servers: [issuer.issuer] };
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify({ ...usual, ...Object.fromEntries(metadata) }));
      return;
    }
    if (req.url !== path) {
      res.writeHead(404).end();
      return;
    }
    headers.push(req.headers);
    const [, token = ""] = /^Bearer (.+)$/.exec(req.headers.authorization ?? "") ?? [];
    if (!issuer.takes(token, url)) {
      refused += 1;
      // A server that tells what it was sent: it must not get into a log.
      res.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge });
      res.end(JSON.stringify({ error: `the token ${token} is not good` }));
      return;
    }
    const { host: _, authorization: __, ...passed } = req.headers;
    const onward = request(target, { method: req.method, headers: passed }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    res.on("close", () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = origin + path;
  let challenge: string | undefined = `Bearer resource_metadata="${origin}${WELL_KNOWN}${path}"`;
  return {
    url,
    headers,
    refused: () => refused,
    metadata,
    setChallenge(next) {
      challenge = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
