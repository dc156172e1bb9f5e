// A request to a server as one line of JSON, and what its response, or its absence, comes to as a reply.

import { unreadSourceOf } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject, type JsonObject, ownValue, TOO_DEEP } from "../../mcp/json.js";
import { errorReply, type Reply, type RpcResponse, withTrouble } from "../../mcp/message.js";
import { CODES, LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";

import type { DownstreamRequest, Notification } from "../downstream.js";
import type { HttpFailure } from "../http/http-client.js";

/** The parts that nearly every request has, serialized once. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  ["tools/call", "name", "arguments", "_meta"].map((word) => [word, JSON.stringify(word)]),
);

function formatWord(word: string): string {
  return WRITTEN.get(word) ?? JSON.stringify(word);
}

/**
 * Arguments are forwarded byte for byte: no number, order or escape changes. They stay bytes if they arrived
 * as bytes.
 */
export function formatRequest(id: number, request: DownstreamRequest): string | Buffer {
  const { method, argumentsText } = request;
  const params = addProgressToken(request, id);
  if (argumentsText === undefined || params["arguments"] !== argumentsText.of)
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const { text: letters } = argumentsText;
  let before = "";
  let line = `{"jsonrpc":"2.0","id":${id},"method":${formatWord(method)},"params":{`;
  let gap = "";
  for (const key of Object.keys(params)) {
    const isArguments = key === "arguments";
    const text = isArguments ? "" : JSON.stringify(params[key]);
    if (text === undefined) continue;
    line += `${gap}${formatWord(key)}:${text}`;
    gap = ",";
    if (!isArguments) continue;
    before = line;
    line = "";
  }
  line += "}}";
  return typeof letters === "string"
    ? before + letters + line
    : Buffer.concat([Buffer.from(before), letters, Buffer.from(line)]);
}

// Onym uses its own progress tokens towards servers, so that two callers' tokens never collide.

/** The params with a token, if the caller wants progress. */
function addProgressToken({ params, origin }: DownstreamRequest, token: number): JsonObject {
  if (!origin.wantsProgress) return params;
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

/** The notification for the caller, without Onym's token. */
export function withoutToken(method: string, params: JsonObject): Notification {
  const { progressToken: _, ...rest } = params;
  return { method, params: rest };
}

// The log level set at a legacy server: the most verbose that any caller requested so far.

/** Sends each increase once; sends nothing on a connection without `logging`. */
export function createLogLevel(
  capabilities: JsonObject,
  tell: (level: LogLevel) => void,
): (wanted: LogLevel | undefined) => void {
  const able = isJsonObject(ownValue(capabilities, "logging"));
  let told: number = LOG_LEVELS.length;
  return (wanted) => {
    if (wanted === undefined || !able) return;
    const index = LOG_LEVELS.indexOf(wanted);
    if (index >= told) return;
    told = index;
    tell(wanted);
  };
}

// Converts a server's response to the reply of its request.

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

// The reply to a request that was sent and will get no response: for a call, it is unknown whether it ran.

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
