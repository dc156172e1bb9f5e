// Answers whose results are bytes already: lists that are held so, and large results that are passed on to the letter.

import type { RequestId } from "../../../mcp/message.js";
import type { Reply } from "../../../mcp/reply.js";

/** The pieces of the answer to a request; `undefined` where its result is text. */
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
