// HTTP responses: JSON with a length, refusals as JSON-RPC errors, and empty ones.

import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { RequestId } from "../../../mcp/message.js";
import { CODES } from "../../../mcp/protocol.js";
import { errorReply, formatReply, type Reply } from "../../../mcp/reply.js";
import type { Log } from "../../../model/log.js";
import { HTTP_STATUSES, RPC_CODES } from "../../failure-codes.js";
import { noteWritten } from "../guard-connections.js";
import type { Refusal } from "./refusal.js";

export function writeJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers?: OutgoingHttpHeaders,
): void {
  writeAtTurnEnd(res, () => {
    res.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(json),
      ...headers,
    });
    // As text, so that head and body leave in one write.
    res.end(json);
  });
}

function writeAtTurnEnd(res: ServerResponse, write: () => void): void {
  atTurnEnd(() => {
    // The first response wins, and another path may have sent it.
    if (res.headersSent || res.destroyed) return;
    try {
      write();
      noteWritten(res);
    } catch {
      // A closed connection is better for the client than waiting forever.
      res.destroy();
    }
  });
}

/** The reply to a request, as JSON. */
export function writeReply(res: ServerResponse, id: RequestId | null, reply: Reply, status: number): void {
  const pieces = replyBytes(id, reply);
  if (pieces === undefined) {
    writeJson(res, status, formatResponse(id, reply));
    return;
  }
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  writeAtTurnEnd(res, () => {
    res.writeHead(status, { "content-type": "application/json", "content-length": length });
    res.cork();
    for (const piece of pieces) res.write(piece);
    res.end();
  });
}

export function writeRefusal(res: ServerResponse, refusal: Refusal): void {
  const { code, id = null, headers } = refusal;
  writeJson(res, HTTP_STATUSES[code], formatReply(id, errorOf(refusal)), headers);
}

/** The refusal as a JSON-RPC error, for transports without an HTTP response per message. */
export function errorOf({ code, message, data }: Refusal): Reply {
  return errorReply(RPC_CODES[code], message, data);
}

export function writeNothing(res: ServerResponse, status: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { "content-length": 0 });
  res.end();
}

/** For responses sent before the body was read: do not read the rest. */
export function endingConnection(refusal: Refusal): Refusal {
  return { ...refusal, headers: { ...refusal.headers, connection: "close" } };
}

export function badRequest(message: string): Refusal {
  return { code: "bad-request", message };
}

/** A limit is reached; a retry may succeed later. */
export function busy(message: string): Refusal {
  return { code: "busy", message, headers: { "retry-after": "5" } };
}

/** A reply that cannot be serialized becomes an error that says so. */
export function formatResponse(id: RequestId | null, reply: Reply): string {
  try {
    return formatReply(id, reply);
  } catch {
    return formatReply(
      id,
      errorReply(CODES.internal, "Internal error: the answer cannot be written as JSON"),
    );
  }
}

/** The reply to a request as chunks; `undefined` if its result is text. */
export function replyBytes(id: RequestId | null, reply: Reply): readonly Buffer[] | undefined {
  const pieces = piecesOf(reply);
  if (pieces === undefined) return undefined;
  return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), ...pieces, END];
}

function piecesOf(reply: Reply): readonly Buffer[] | undefined {
  if (reply.kind === "bytes") return reply.pieces;
  return reply.kind === "result" && typeof reply.text === "object" ? [reply.text] : undefined;
}

const END = Buffer.from("}");

// Defers work to the end of this event loop turn, so that writes leave together: each write wakes its reader,
// and one wake-up for many messages is far cheaper than one for each.

let waiting: (() => void)[] = [];

/**
 * Runs in order. `work` handles its own failures; anything it throws is dropped, so that the others still
 * run.
 */
function atTurnEnd(work: () => void): void {
  if (waiting.length === 0) setImmediate(runAll);
  waiting.push(work);
}

function runAll(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) {
    try {
      work();
    } catch {
      // It handled its own failure.
    }
  }
}

// Work for an HTTP request that continues after the handler returned. A failure in it never leaves a client
// waiting.

export function settleWork(res: ServerResponse, work: Promise<void>, log: Log): void {
  work.catch((error: unknown) => failRequest(res, error, log));
}

/** The failure is a bug in the gateway; its details stay in the log. */
export function failRequest(res: ServerResponse, error: unknown, log: Log): void {
  log("error", "a request failed at the edge", { error: String(error) });
  if (res.headersSent) res.destroy();
  else writeRefusal(res, { code: "internal", message: "Internal error" });
}
