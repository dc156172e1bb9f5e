// The reply to a request that was sent and will get no response: for a call, it is unknown whether it ran.

import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, withTrouble } from "../../mcp/reply.js";
import type { DownstreamRequest } from "../downstream.js";
import type { HttpFailure } from "../http/http-client.js";

/**
 * Says so in the message and in `data`: a caller that takes it for a refusal would repeat a call that already
 * ran.
 */
export function unanswered(
  { method }: Pick<DownstreamRequest, "method">,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): Reply {
  if (method !== "tools/call")
    return errorReply(CODES.internal, message, Object.keys(data).length === 0 ? undefined : data);
  return errorReply(CODES.internal, `${message}. The call may have run: its outcome is unknown.`, {
    ...data,
    outcome: "unknown",
  });
}

/** The connection or the stream ended first. */
export function brokenOff(request: Pick<DownstreamRequest, "method">, label: string): Reply {
  const reply = unanswered(request, `${label} broke off before it answered ${request.method}`);
  return withTrouble(reply, { kind: "failed", what: "an answer that broke off" });
}

/** An HTTP request without a response, or refused for lack of a token; the hint says how to get one. */
export function explainFailedRequest(
  request: Pick<DownstreamRequest, "method">,
  label: string,
  { reason, hint, mayHaveRun }: HttpFailure,
): Reply {
  const reply = mayHaveRun
    ? unanswered(request, `${label} broke off before it answered ${request.method}: ${reason}`)
    : errorReply(CODES.internal, `${label} could not be asked: ${reason}. ${hint}`);
  return withTrouble(reply, { kind: "failed", what: reason });
}
