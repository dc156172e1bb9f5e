// The gateway on HTTP, until it is asked to stop: MCP on node:http, everything else through hono.

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Config } from "../config/config.js";
import type { Console } from "../console/create-console.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { createHttpEdge, type EdgeCallers } from "../gateway/http/create-http-edge.js";
import { guardConnections } from "../gateway/http/guard-connections.js";
import { createHealthRoutes } from "../gateway/http/health-routes.js";
import { SERVER_BOUNDS, SERVER_SETTINGS } from "../gateway/http/server-settings.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../gateway/sessions/edge-limits.js";
import type { Log } from "../model/log.js";
import { OnymError } from "../model/onym-error.js";
import { type LogOutput, sayClosing } from "./log-output.js";
import { type Callers, warnIfOpen } from "./parts/open-callers.js";
import type { ServedConsole } from "./parts/open-console.js";
import type { ServedMetrics } from "./parts/open-metrics.js";

export interface HttpService {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly callers: Callers;
  readonly options: Pick<ListenOptions, "host" | "port"> & {
    readonly allowHost?: readonly string[];
    readonly logJson?: boolean;
  };
  readonly output: LogOutput;
  /** Resolves when it should stop. */
  readonly stopRequested: Promise<void>;
  readonly trouble: () => Promise<unknown>;
  readonly metrics: ServedMetrics | undefined;
  readonly console: ServedConsole | undefined;
  readonly describe: () => { readonly text: string; readonly facts: Readonly<Record<string, number>> };
  readonly onListening: (url: string) => void;
}

/** Until it is asked to stop. */
export async function serveHttp(service: HttpService): Promise<void> {
  const {
    gateway,
    config,
    callers,
    options,
    output,
    stopRequested,
    trouble,
    metrics,
    console,
    describe,
    onListening,
  } = service;
  const { log, terminal } = output;
  const server = await listenHttp({
    gateway,
    config,
    host: options.host,
    port: options.port,
    allow: options.allowHost ?? [],
    log,
    callers,
    trouble,
    metrics,
    openConsole: console?.open,
  }).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  onListening(server.url);
  warnIfOpen(options.host, config, terminal);
  output.say(`onym listening on ${server.url}`, { url: server.url });
  // The sign-in key is for the person at the terminal, not for a log.
  if (console !== undefined && options.logJson !== true) output.say(`console ${console.link(server.url)}`);
  let isClosing = false;
  void gateway.waitForServers(config.limits.startMs).then(async () => {
    if (isClosing || (await trouble()) !== undefined) return;
    const { text, facts } = describe();
    output.say(text, facts);
  });
  await stopRequested;
  isClosing = true;
  output.say(sayClosing(config.limits.drainMs));
  await server.close();
}

interface ListeningServer {
  /** Where clients connect. */
  readonly url: string;
  /** Reports not ready, starts nothing new, waits for requests in flight, then closes the gateway. */
  readonly close: () => Promise<void>;
}

interface ListenOptions {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly host: string;
  readonly port: number;
  readonly allow: readonly string[];
  readonly log: Log;
  readonly callers: Callers;
  /** Why all calls are refused. */
  readonly trouble: () => Promise<unknown>;
  readonly openConsole?: ((allow: readonly string[], callers: EdgeCallers) => Console) | undefined;
  readonly metrics?: Pick<ServedMetrics, "contentType" | "text" | "refused"> | undefined;
}

async function listenHttp(options: ListenOptions): Promise<ListeningServer> {
  const { gateway, config, host, port, log, callers, metrics } = options;
  const { authenticator } = callers;
  const { authenticate } = authenticator;
  const allow = [...options.allow, ...callers.hosts, ...ownAddresses(host)];
  const limits = edgeLimitsOf(config);
  const edge = createHttpEdge({
    router: gateway.router,
    authenticate,
    limits,
    allow,
    log,
    onRefusal: metrics?.refused,
  });
  callers.onChange(edge.review);
  let isDraining = false;
  const healthRoutes = createHealthRoutes({
    gateway,
    allow,
    authenticator,
    callers: edge.callers,
    trouble: options.trouble,
    isDraining: () => isDraining,
    metrics,
  });
  const page = options.openConsole?.(allow, edge.callers);
  const server = createServer(SERVER_SETTINGS);
  Object.assign(server, SERVER_BOUNDS);
  const max = maxConnections({ wanted: config.limits.connections, servers: config.servers.length, log });
  const sockets = guardConnections(server, { max, unreadMs: limits.unreadMs, log }, [
    edge.handle,
    ...(page === undefined ? [] : [page.handle]),
    healthRoutes,
  ]);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      void cannotListen(error, host, port).then(reject);
    });
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`;
  callers.listensOn(url);
  return {
    url,
    async close() {
      // Report not ready first: load balancers check that. Keep listening until the last call has ended, so
      // that new clients learn to go elsewhere.
      isDraining = true;
      edge.drain();
      page?.close();
      await gateway.close();
      // The close of node:http would cut off replies that are not sent yet; this one only stops listening.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await edge.close();
      await allWritten(sockets, WRITE_MS);
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(force);
    },
  };
}

/** Its own listening addresses are allowed hosts: only the gateway can serve pages from them. */
function ownAddresses(host: string): readonly string[] {
  const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address);
  if (!/^(0\.0\.0\.0|::)$/.test(host)) return [bracketed(host)];
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => bracketed(address)),
  );
}

/** How long clients may take to read their replies before the process ends. */
const WRITE_MS = 5_000;
const LOOK_MS = 20;

async function allWritten(sockets: ReadonlySet<Socket>, ms: number): Promise<void> {
  // Replies of this turn are written at its end.
  await new Promise((resolve) => setImmediate(resolve));
  const end = Date.now() + ms;
  while (Date.now() < end && [...sockets].some(({ writableLength }) => writableLength > 0))
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

export function edgeLimitsOf({ limits }: Config): EdgeLimits {
  const { requestBytes, sessions, sessionIdleMs, streams } = limits;
  const { callerSessions, callerStreams, callerPending, callerQuestions, callerRate } = limits;
  const { connectionUnreadBytes, callerUnreadBytes, unreadBytes, unreadMs } = limits;
  return {
    ...DEFAULT_EDGE_LIMITS,
    requestBytes,
    sessions,
    sessionIdleMs,
    streams,
    callerSessions,
    callerStreams,
    callerPending,
    callerQuestions,
    callerRate,
    connectionUnreadBytes,
    callerUnreadBytes,
    unreadBytes,
    unreadMs,
  };
}

/** @throws OnymError `cannot-listen`. Another program may still come first; listening says the same then. */
export async function checkAddress({ host, port }: Pick<ListenOptions, "host" | "port">): Promise<void> {
  if (port === 0) return;
  const probe = new NetServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (error) => void cannotListen(error, host, port).then(reject));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

async function cannotListen({ code }: NodeJS.ErrnoException, host: string, port: number): Promise<OnymError> {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program has the port",
    EACCES: "that is not allowed",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "there is no such host",
  };
  const other = code === "EADDRINUSE" && (await isOnymThere(host, port));
  const reason = other ? "an Onym runs there already" : (reasons[code ?? ""] ?? code ?? "unknown reason");
  const hint = "Choose another with --port (0 picks a free one) or --host.";
  return new OnymError(
    "cannot-listen",
    `Onym cannot listen on ${host}:${port}: ${reason}.`,
    other ? `Let clients connect to that one, or end it. ${hint}` : hint,
  );
}

async function isOnymThere(host: string, port: number): Promise<boolean> {
  const { countMissing } = await import("../control/count-missing.js");
  const near = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host;
  const name = near.includes(":") && !near.startsWith("[") ? `[${near}]` : near;
  return (await countMissing(`http://${name}:${port}/`)) !== undefined;
}

// Limits the accepted HTTP connections: to the config's value, and low enough to leave file descriptors for
// servers and the store.

interface ConnectionNeeds {
  /** From the config. */
  readonly wanted: number;
  /** The number of configured servers. */
  readonly servers: number;
  readonly log: Log;
}

/** For the store, the lock, the control socket, requests of commands, and modules that are loaded late. */
const RESERVED = 16;
/** A process needs three pipes, and briefly twice as many on a restart; HTTP needs a few connections. */
const RESERVED_PER_SERVER = 6;
const MIN_CONNECTIONS = 4;

function maxConnections({ wanted, servers, log }: ConnectionNeeds): number {
  const files = readOpenFiles();
  if (files === undefined) return wanted;
  const room = files.max - files.open - RESERVED - servers * RESERVED_PER_SERVER;
  const max = Math.max(MIN_CONNECTIONS, Math.min(wanted, room));
  if (max < wanted)
    log("warn", `only ${max} connections are accepted at once: this process may open ${files.max} files`, {
      limit: "connections",
      wanted,
      hint: "Raise it with ulimit -n.",
    });
  return max;
}

/** Open files and their limit; `undefined` if unknown. */
function readOpenFiles(): { readonly open: number; readonly max: number } | undefined {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return max === undefined ? undefined : { open: readdirSync("/proc/self/fd").length, max: Number(max) };
  } catch {
    return undefined;
  }
}
