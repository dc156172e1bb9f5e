// A real HTTP server with the edge on it, on a port of its own.

import { createServer, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createHttpEdge,
  type HttpEdgeOptions,
} from "../../packages/onym/src/gateway/http/create-http-edge.js";
import { guardConnections } from "../../packages/onym/src/gateway/http/guard-connections.js";
import { SERVER_SETTINGS } from "../../packages/onym/src/gateway/http/server-settings.js";
import { DEFAULT_EDGE_LIMITS } from "../../packages/onym/src/gateway/sessions/edge-limits.js";
import type { EdgeClock } from "../../packages/onym/src/model/clock.js";
import { silentLog } from "../../packages/onym/src/model/log.js";
import { createEchoRouter, type EchoRouter } from "./echo-router.js";

export interface ServedEdge {
  readonly router: EchoRouter;
  readonly origin: string;
  readonly url: string;
  readonly port: number;
  readonly clock: TestClock;
  /** Cuts every connection, as a network does. */
  readonly breakConnections: () => void;
  /** Who may connect has changed. */
  readonly review: () => void;
  readonly closeEdge: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Time that passes when a test says so. */
interface TestClock extends EdgeClock {
  readonly pass: (ms: number) => void;
  /** Sets the machine's clock, while no time passes. */
  readonly setForward: (ms: number) => void;
}

interface EdgeOptions extends Omit<HttpEdgeOptions, "router"> {
  /** How many are accepted at once. */
  readonly connections?: number;
  /** Of the server below the edge, where they are not its own. */
  readonly settings?: ServerOptions;
}

export async function serveEdge(given: EdgeOptions = {}): Promise<ServedEdge> {
  const { connections = 1000, settings = {}, ...options } = given;
  const router = createEchoRouter();
  const clock = createTestClock();
  const edge = createHttpEdge({ router, clock, ...options });
  const server = createServer({ ...SERVER_SETTINGS, ...settings });
  const { limits: { unreadMs } = DEFAULT_EDGE_LIMITS, log = silentLog } = options;
  guardConnections(server, { max: connections, unreadMs, log }, [
    edge.handle,
    ({ url = "" }, res) => {
      const [, bytes] = /^\/page\?bytes=(\d+)$/.exec(url) ?? [];
      if (bytes !== undefined) {
        res.end(Buffer.alloc(Number(bytes), "x"));
        return true;
      }
      if (url === "/never") return true;
      res.writeHead(418).end("not the edge's");
      return true;
    },
  ]);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    router,
    origin,
    url: `${origin}/mcp`,
    port,
    clock,
    breakConnections: () => server.closeAllConnections(),
    review: edge.review,
    closeEdge: edge.close,
    async close() {
      await edge.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function createTestClock(): TestClock {
  let now = 0;
  let set = 0;
  const timers = new Set<{ at: number; readonly every: number | undefined; readonly run: () => void }>();
  const add = (ms: number, every: number | undefined, run: () => void) => {
    const timer = { at: now + ms, every, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    now: () => now + set,
    elapsed: () => now,
    setForward(ms) {
      set += ms;
    },
    after: (ms, run) => add(ms, undefined, run),
    every: (ms, run) => add(ms, ms, run),
    pass(ms) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        if (timer.every === undefined) timers.delete(timer);
        else timer.at = now + timer.every;
        timer.run();
      }
    },
  };
}
