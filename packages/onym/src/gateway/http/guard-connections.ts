// The connections of an HTTP server: limited in number, with the requests on each handled one after the other
// (SAFE-5).

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../../model/log.js";
import { networkOf } from "../sessions/caller-key.js";

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

export interface ConnectionsOptions {
  /** Maximum open connections. */
  readonly max: number;
  readonly log: Log;
}

/** Requests that one connection may send before the first is answered. MCP clients send one. */
export const MAX_PIPELINED = 16;

/** Wraps the server's request listener. Returns the open connections. */
export function guardConnections(
  server: Server,
  { max, log }: ConnectionsOptions,
  listener: Listener,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const connections = new Map<Socket, Connection>();
  const tell = createTeller(log);

  server.on("connection", (socket: Socket) => {
    const connection = new Connection(socket, listener);
    connections.set(socket, connection);
    sockets.add(socket);
    socket.once("close", () => {
      connections.delete(socket);
      sockets.delete(socket);
      connection.drop();
    });
    if (connections.size <= max) return;
    const victim = findVictim(connections.values()) ?? connection;
    tell("too many connections are open; one that does nothing is ended", {
      address: victim.network,
      limit: "connections",
      max,
    });
    // Remove it from the count now: its close event comes in a later turn, and new connections may come
    // first.
    connections.delete(victim.socket);
    victim.socket.destroy();
  });
  server.on("request", (req, res) => {
    const connection = connections.get(req.socket);
    // The connection was ended, with more requests in the same packet.
    if (connection === undefined) return;
    if (connection.take(req, res)) return;
    tell("a client sends requests without end and reads no answer; its connection is ended", {
      address: connection.network,
      max: MAX_PIPELINED,
    });
    connections.delete(req.socket);
    req.socket.destroy();
  });
  return sockets;
}

/** A class, because every request reads it. */
class Connection {
  readonly socket: Socket;
  readonly network: string;
  /** It has sent the header of at least one request. */
  hasAsked = false;
  readonly #listener: Listener;
  #isAnswering = false;
  #waiting: [IncomingMessage, ServerResponse][] = [];

  constructor(socket: Socket, listener: Listener) {
    this.socket = socket;
    this.network = networkOf(socket.remoteAddress ?? "");
    this.#listener = listener;
  }

  get isIdle(): boolean {
    return !this.#isAnswering;
  }

  /** `false` if too many are waiting. */
  take(req: IncomingMessage, res: ServerResponse): boolean {
    this.hasAsked = true;
    if (!this.#isAnswering) this.#answer(req, res);
    else if (this.#waiting.length + 1 >= MAX_PIPELINED) return false;
    else this.#waiting.push([req, res]);
    return true;
  }

  /** The client is gone: drop its waiting requests. */
  drop(): void {
    this.#waiting = [];
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    this.#isAnswering = true;
    res.once("close", this.#next);
    this.#listener(req, res);
  }

  readonly #next = (): void => {
    this.#isAnswering = false;
    const next = this.#waiting.shift();
    if (next !== undefined && !this.socket.destroyed) this.#answer(...next);
  };
}

/**
 * The oldest connection that never sent a request, else the oldest idle one; from the address with the most
 * of them.
 */
function findVictim(all: Iterable<Connection>): Connection | undefined {
  const idle = [...all].filter(({ isIdle }) => isIdle);
  const counts = new Map<string, number>();
  for (const { network } of idle) counts.set(network, (counts.get(network) ?? 0) + 1);
  const countOf = ({ network }: Connection): number => counts.get(network) ?? 0;
  let victim: Connection | undefined;
  for (const each of idle) {
    if (victim === undefined || countOf(each) > countOf(victim)) victim = each;
    else if (countOf(each) === countOf(victim) && victim.hasAsked && !each.hasAsked) victim = each;
  }
  return victim;
}

/** The interval between two log lines that say the same. */
const TELL_MS = 10_000;

function createTeller(log: Log): (text: string, facts: Parameters<Log>[2]) => void {
  const told = new Map<string, number>();
  return (text, facts) => {
    const now = performance.now();
    if (now - (told.get(text) ?? Number.NEGATIVE_INFINITY) < TELL_MS) return;
    told.set(text, now);
    log("warn", text, facts);
  };
}
