// Converts a server's response to the reply of its request.

import { unreadSourceOf } from "../../mcp/fast-path/unread-object.js";
import { TOO_DEEP } from "../../mcp/json.js";
import type { RpcResponse } from "../../mcp/message.js";
import { type Reply, withTrouble } from "../../mcp/reply.js";
import type { DownstreamRequest } from "../downstream.js";
import { unanswered } from "./unanswered.js";

/**
 * A result that is nested too deeply is an error for callers; a listing may still read its entries one by
 * one.
 */
export function toReply(
  { error, result = {}, resultText }: RpcResponse,
  request: DownstreamRequest,
  label: string,
): Reply {
  if (error !== undefined) return { kind: "error", error };
  // Only unparsed results are bytes.
  const source = typeof resultText === "object" ? unreadSourceOf(result) : undefined;
  if (source?.isDeep !== true) return { kind: "result", result, text: resultText };
  const reply = unanswered(request, `${label} answered ${request.method} with a result ${TOO_DEEP.reason}`);
  const troubled = withTrouble(reply, { kind: "failed", what: `a result ${TOO_DEEP.reason}` });
  return troubled.kind === "error" ? { ...troubled, deepResult: source } : troubled;
}
