// The connections of an HTTP server: limited in number and in what they take of a turn of the event loop, with the requests
// on each handled one after the other, and ended where the client does not read what it is sent (SAFE-4, SAFE-5).

import { IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { formatReply } from "../../mcp/message.js";
import type { Log } from "../../model/log.js";
import { leaveTurn } from "../../model/run-slices.js";
import { type CallerShare, isAddressKey, networkOf } from "../sessions/edge-callers.js";
import { describeVictim, findVictim, type OpenConnection } from "./find-victim.js";
import { badRequest, errorOf } from "./responses/refusal.js";
import { type Readable, TurnBudget } from "./turn-budget.js";
import {
  createUnreadTracker,
  NOTED_BYTES,
  UNREAD,
  type UnreadLimits,
  type UnreadTracker,
} from "./unread-tracker.js";

/** `false`: the request is not for this one, and nothing was done. */
export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface ConnectionsOptions {
  /** Maximum open connections. */
  readonly max: number;
  /** An answer that is not read for this long ends its connection, whatever it answers. */
  readonly unreadMs: number;
  readonly log: Log;
}

/** Requests that one connection may send before the first is answered. MCP clients send one. */
export const MAX_PIPELINED = 16;

/**
 * Units of work that the requests of one connection take which wait behind another. A request without a body in pieces takes 1,
 * and 1 more for 8 headers.
 */
export const MAX_AHEAD_UNITS = 96;

/** Pieces of a body, however small. Each is work of its own; clients send chunks of some KB. */
export const MAX_SMALL_PIECES = 1_000;
/** The average of more pieces than that. */
export const MIN_PIECE_BYTES = 32;

/** An event of a request whose body comes in too small pieces: nothing more of it is read. */
export const SCATTERED_EVENT = "scattered";

/** A path with its query. The edge's own are shorter than a hundred characters. */
export const MAX_TARGET_LENGTH = 8_192;

/** Which limit a flood of requests exceeded, for the log. */
type FloodLimit = { readonly max: number } | { readonly maxUnits: number };

/** The first handler that takes a request answers it. Returns the open connections. */
export function guardConnections(
  server: Server,
  { max, unreadMs, log }: ConnectionsOptions,
  handlers: readonly RequestHandler[],
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const connections = new Map<Socket, Connection>();
  const warn = createLimitLog(log);
  const budget = new TurnBudget(() => connections.values());
  const answerers = [refuseLongTarget, refuseExpectation, ...handlers];
  const endUnread = ({ socket, network }: Connection): void => {
    if (socket.destroyed) return;
    const facts = { address: network, bytes: socket.writableLength, limit: "unreadMs" };
    warn(UNREAD, { caller: watchedSockets.get(socket)?.caller.shown, ...facts });
    connections.delete(socket);
    socket.destroy();
  };
  const onScattered = ({ network }: Connection): void =>
    warn("a client sends a body in very small pieces; its connection is ended", { address: network });
  const endFlood = ({ socket, network }: Connection, limit: FloodLimit): void => {
    warn("a client sends requests without end and reads no answer; its connection is ended", {
      address: network,
      ...limit,
    });
    connections.delete(socket);
    socket.destroy();
  };
  const reading = { unreadMs, endUnread, endFlood, onScattered };

  server.on("connection", (socket: Socket) => {
    leaveTurn();
    const connection = new Connection(socket, answerers, budget, reading);
    connections.set(socket, connection);
    sockets.add(socket);
    budget.join(connection);
    socket.once("close", () => {
      connections.delete(socket);
      sockets.delete(socket);
      budget.leave(connection);
      connection.drop();
    });
    if (connections.size <= max) return;
    const others = [...connections.values()].filter((each) => each !== connection);
    const victim = findVictim(others) ?? connection;
    warn(`too many connections are open; one ${describeVictim(victim)} is ended`, {
      address: victim.network,
      limit: "connections",
      max,
    });
    // Remove it from the count now: its close event comes in a later turn, and new connections may come
    // first.
    connections.delete(victim.socket);
    victim.socket.destroy();
  });
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    const connection = connections.get(req.socket);
    // Absent: the connection was ended, with more requests in the same packet.
    connection?.take(req, res);
  };
  server.on("request", take);
  // Node would answer these itself, all of a packet at once.
  server.on("checkExpectation", take);
  return sockets;
}

function refuseLongTarget({ url = "" }: IncomingMessage, res: ServerResponse): boolean {
  if (url.length <= MAX_TARGET_LENGTH) return false;
  const message = `URI Too Long: a path with its query has at most ${MAX_TARGET_LENGTH} characters`;
  const json = formatReply(null, errorOf(badRequest(message)));
  const length = Buffer.byteLength(json);
  res.writeHead(414, { "content-type": "application/json", "content-length": length, connection: "close" });
  res.end(json);
  return true;
}

function refuseExpectation({ headers }: IncomingMessage, res: ServerResponse): boolean {
  if (headers.expect === undefined || /^100-continue$/i.test(headers.expect)) return false;
  res.writeHead(417).end();
  return true;
}

/**
 * For `http.createServer`. Node parses a packet to its end, even if the connection is destroyed at its first request: thousands
 * of requests that nobody will answer. It stops only where a request switches to another protocol, so each request behind
 * the end of its connection says that it does.
 */
export class ParsedRequest extends IncomingMessage {
  declare private switches: boolean | null;
  /** The connection that it came on; absent: it was ended before. */
  guard: Connection | undefined;
  /** Units of work that it took to parse. */
  units = 0;
  private pieces = 0;
  private bytes = 0;
  private isScattered = false;

  get upgrade(): boolean | null {
    return this.switches || this.socket.destroyed;
  }

  set upgrade(switches: boolean | null) {
    this.switches = switches;
  }

  // Node calls it with each piece of the body, and `null` at its end, also behind the end of the connection.
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.isScattered || this.socket.destroyed) return true;
    if (piece === null || this.guard === undefined) return super.push(piece, encoding);
    this.pieces += 1;
    this.bytes += piece.length;
    if (this.pieces % PIECES_PER_UNIT === 0) this.guard.spend(1, this);
    if (this.socket.destroyed) return true;
    this.isScattered = this.pieces > MAX_SMALL_PIECES && this.bytes < this.pieces * MIN_PIECE_BYTES;
    if (!this.isScattered) return super.push(piece, encoding);
    this.guard.endScattered(this);
    return true;
  }
}

/** Starts with a request whose body is complete: now, or in a later turn if this one has no room for so many bytes. */
export function startMessage(req: IncomingMessage, bytes: number, start: () => void): void {
  const guard = req instanceof ParsedRequest ? req.guard : undefined;
  if (guard === undefined) start();
  else guard.startMessage(bytes, start);
}

/** Units of a turn's budget: most of the work is handling a request, not parsing it. */
const HANDLED_UNITS = 8;
const PARSED_UNITS = 1;
/** Pieces of a body, of which a packet may hold thousands. Each takes 0.6 µs, where a request that is handled takes 33 (2026-11). */
const PIECES_PER_UNIT = 4;
const HEADERS_PER_UNIT = 8;
/** Of a message that is parsed: JSON of the worst kind takes 20 ns for a byte. */
const BYTES_PER_UNIT = 1_024;

/** What is done about a client that does not read its answer, and about one that sends too small pieces. */
interface Reading {
  readonly unreadMs: number;
  readonly endUnread: (connection: Connection) => void;
  /** It has sent too much behind a request that is not answered. */
  readonly endFlood: (connection: Connection, limit: FloodLimit) => void;
  readonly onScattered: (connection: Connection) => void;
}

/** One open connection, which answers one request after the other. */
class Connection implements Readable, OpenConnection {
  readonly socket: Socket;
  readonly network: string;
  hasAsked = false;
  unreadSince: number | undefined;
  readonly #handlers: readonly RequestHandler[];
  readonly #budget: TurnBudget;
  readonly #reading: Reading;
  #answering: IncomingMessage | undefined;
  /** The turn whose budget has the handling of what is being answered. */
  #paidTurn = 0;
  #waiting: [IncomingMessage, ServerResponse][] = [];
  /** What it took to parse those that wait. */
  #aheadUnits = 0;

  constructor(socket: Socket, handlers: readonly RequestHandler[], budget: TurnBudget, reading: Reading) {
    this.socket = socket;
    this.network = networkOf(socket.remoteAddress ?? "");
    this.#handlers = handlers;
    this.#budget = budget;
    this.#reading = reading;
  }

  pause(): boolean {
    if (this.socket.destroyed || this.socket.isPaused()) return false;
    this.socket.pause();
    return true;
  }

  resume(): void {
    this.socket.resume();
  }

  get owner(): string {
    const key = watchedSockets.get(this.socket)?.caller.key;
    return key === undefined || isAddressKey(key) ? this.network : key;
  }

  get isGone(): boolean {
    return this.socket.destroyed;
  }

  get isIdle(): boolean {
    return this.#answering === undefined;
  }

  get isReceiving(): boolean {
    return this.#answering?.complete === false;
  }

  /** Ends the connection if too many are waiting. */
  take(req: IncomingMessage, res: ServerResponse): void {
    this.hasAsked = true;
    if (req instanceof ParsedRequest) req.guard = this;
    const isFirst = this.#answering === undefined;
    if (isFirst) this.#answering = req;
    this.spend(headerUnitsOf(req) + (isFirst ? HANDLED_UNITS : PARSED_UNITS), req);
    if (isFirst) this.#answer(req, res);
    else if (this.#waiting.length + 1 >= MAX_PIPELINED) this.#reading.endFlood(this, { max: MAX_PIPELINED });
    else this.#waiting.push([req, res]);
  }

  /** Ends the connection if what waits behind a request took too much. */
  spend(units: number, req: IncomingMessage): void {
    this.#budget.spend(units, this);
    if (req === this.#answering) return;
    if (req instanceof ParsedRequest) req.units += units;
    this.#aheadUnits += units;
    if (this.#aheadUnits > MAX_AHEAD_UNITS && !this.isGone)
      this.#reading.endFlood(this, { maxUnits: MAX_AHEAD_UNITS });
  }

  /** Ends it because of the small pieces of a body. Who reads the body answers; where nobody does, the client gets nothing. */
  endScattered(req: IncomingMessage): void {
    this.#reading.onScattered(this);
    this.socket.pause();
    if (!req.emit(SCATTERED_EVENT)) this.socket.destroy();
  }

  /** The client is gone: drop its waiting requests. */
  drop(): void {
    this.#waiting = [];
    this.#aheadUnits = 0;
  }

  /** Handling it was paid for with its header; in a later turn it is work of that turn. */
  startMessage(bytes: number, start: () => void): void {
    const handled = this.#paidTurn === this.#budget.turn ? 0 : HANDLED_UNITS;
    this.#budget.startMessage(handled + Math.floor(bytes / BYTES_PER_UNIT), this, () => {
      if (!this.socket.destroyed) start();
    });
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    this.#answering = req;
    this.#paidTurn = this.#budget.turn;
    res.once("close", this.#next);
    res.once("prefinish", () => this.#watchComplete(res));
    for (const handle of this.#handlers) if (handle(req, res)) return;
  }

  // The answer is complete, and none of it may stay unread. A large one may be watched for its backlog since before: with the
  // same timeout, so whichever comes first ends the connection. It restarts whenever the client reads, however little.
  #watchComplete(res: ServerResponse): void {
    if (this.socket.writableLength === 0) return;
    this.unreadSince = performance.now();
    res.setTimeout(this.#reading.unreadMs, () => this.#reading.endUnread(this));
    noteWritten(res);
  }

  readonly #next = (): void => {
    const wasUnread = this.unreadSince !== undefined;
    const answered = this.#answering;
    this.#answering = undefined;
    this.unreadSince = undefined;
    // It was refused before its body was there, which nobody needs.
    if (answered?.complete === false) answered.destroy();
    const next = this.#waiting.shift();
    if (next === undefined || this.socket.destroyed) return;
    // The timeout was for the last answer; the next one may take longer.
    if (wasUnread) this.socket.setTimeout(0);
    this.#answering = next[0];
    this.#aheadUnits -= next[0] instanceof ParsedRequest ? next[0].units : 0;
    this.#budget.startLater(HANDLED_UNITS, this, () => {
      if (!this.socket.destroyed) this.#answer(...next);
    });
  };
}

/** What the header of a request takes of its turn beside its handling. */
function headerUnitsOf({ rawHeaders }: IncomingMessage): number {
  return Math.floor(rawHeaders.length / 2 / HEADERS_PER_UNIT);
}

/** The interval between two log lines that say the same. */
const LOG_INTERVAL_MS = 10_000;

function createLimitLog(log: Log): (text: string, facts: Parameters<Log>[2]) => void {
  const loggedAt = new Map<string, number>();
  return (text, facts) => {
    const now = performance.now();
    if (now - (loggedAt.get(text) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    loggedAt.set(text, now);
    log("warn", text, facts);
  };
}

// Bytes sent to clients that they have not read: limited per connection, per caller and in total (SAFE-5). A
// small response costs one comparison; only larger backlogs are tracked.

export interface UnreadBytes {
  /** Counts the bytes on this connection for this caller from now on. */
  readonly watch: (socket: Socket, caller: CallerShare) => void;
}

interface WatchedSocket {
  readonly caller: CallerShare;
  readonly tracker: UnreadTracker;
}

const watchedSockets = new WeakMap<Socket, WatchedSocket>();

export function createUnreadBytes(limits: UnreadLimits, log: Log): UnreadBytes {
  const tracker = createUnreadTracker(limits, log);
  return {
    watch(socket, caller) {
      if (watchedSockets.get(socket)?.caller !== caller) watchedSockets.set(socket, { caller, tracker });
    },
  };
}

/** Call after each write. May end this connection, or another one. */
export function noteWritten(res: ServerResponse): void {
  if (res.writableLength <= NOTED_BYTES) return;
  const found = watchedSockets.get(res.req.socket);
  found?.tracker.note(res, found.caller);
}

/**
 * Whether a stream may send more; ends the connection of a client with too many unread bytes.
 * @param waiting Bytes of it that are not written yet.
 */
export function mayWriteMore(res: ServerResponse, waiting = 0): boolean {
  if (res.writableLength + waiting <= NOTED_BYTES) return true;
  const found = watchedSockets.get(res.req.socket);
  return found === undefined || found.tracker.admits(res, found.caller, waiting);
}
