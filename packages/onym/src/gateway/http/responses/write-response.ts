// Short HTTP answers: JSON with a length, refusals as JSON-RPC errors, and nothing at all.

import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { atTurnEnd } from "../../../mcp/framing/at-turn-end.js";
import type { RequestId } from "../../../mcp/message.js";
import { errorReply, formatReply, type Reply } from "../../../mcp/reply.js";
import { formatResponse } from "./format-message.js";
import { HTTP_CODES, type Refusal } from "./refusal.js";
import { replyBytes } from "./reply-bytes.js";
import { noteWritten } from "./unread-bytes.js";

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
    // As text, because then head and body leave in one write.
    res.end(json);
  });
}

function writeAtTurnEnd(res: ServerResponse, write: () => void): void {
  atTurnEnd(() => {
    // The first answer counts, and it may have come another way meanwhile.
    if (res.headersSent || res.destroyed) return;
    try {
      write();
      noteWritten(res);
    } catch {
      // A client that waits for ever is worse off than one that knows.
      res.destroy();
    }
  });
}

/** The answer to a request, as JSON. */
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
  const { status, id = null, headers } = refusal;
  writeJson(res, status, formatReply(id, errorOf(refusal)), headers);
}

/** The same where there is no HTTP answer of its own. */
export function errorOf({ code, message, data }: Refusal): Reply {
  return errorReply(code, message, data);
}

export function writeNothing(res: ServerResponse, status: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { "content-length": 0 });
  res.end();
}

/** For answers before the body was read: what is left of it is not worth reading. */
export function endingConnection(refusal: Refusal): Refusal {
  return { ...refusal, headers: { ...refusal.headers, connection: "close" } };
}

export function badRequest(message: string): Refusal {
  return { status: 400, code: HTTP_CODES.refused, message };
}

/** A limit is reached: later there may be room again. */
export function busy(message: string): Refusal {
  return { status: 503, code: HTTP_CODES.refused, message, headers: { "retry-after": "5" } };
}
