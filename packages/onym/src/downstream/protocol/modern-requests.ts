// Requests of the modern era: each names its client, and a server asks for input with a result that the next
// request answers.

import { toAbortSignal } from "../../mcp/fast-path/in-flight.js";
import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { shortMember } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { changedReply, errorReply, formatResult, type Reply, resultReply } from "../../mcp/message.js";
import { CODES, META, MODERN_REVISION } from "../../mcp/protocol.js";
import type { DownstreamRequest, RequestOrigin } from "../downstream.js";
import { pause } from "../pause.js";
import { callerEra } from "./request.js";
import { lackingCapability } from "./server-requests.js";

/** How often a server may ask for input before it has to answer. */
const MAX_ROUNDS = 8;

const COME_BACK_MS = 250;

/** The fields of a result that revisions up to 2025-11-25 do not know. */
const NO_MODERN_FIELDS = { resultType: undefined, ttlMs: undefined, cacheScope: undefined };

/**
 * Sends a request to a modern server. A modern caller gets the server's result unchanged. For a legacy
 * caller, server requests are sent to the client, and the modern fields are removed from the result.
 */
export function sendModernRequest(
  request: DownstreamRequest,
  clientInfo: JsonObject,
  send: (request: DownstreamRequest) => Promise<Reply>,
): Promise<Reply> {
  // Methods that the modern era dropped and that need no action.
  if (request.method === "ping" || request.method === "logging/setLevel")
    return Promise.resolve(resultReply({}));
  const sendParams = (params: JsonObject): Promise<Reply> =>
    send({ ...request, params: addEnvelope(params, request.origin, clientInfo) });
  return callerEra(request.origin) === "modern"
    ? sendParams(request.params)
    : askThrough(request, sendParams);
}

/** For a caller of the legacy era. */
async function askThrough(
  request: DownstreamRequest,
  send: (params: JsonObject) => Promise<Reply>,
): Promise<Reply> {
  const { origin } = request;
  let params = request.params;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const reply = await send(params);
    if (reply.kind !== "result") return reply;
    if (shortMember(reply.result, "resultType") !== "input_required")
      return changedReply(reply.result, NO_MODERN_FIELDS);
    if (!isReadable(reply.result))
      return errorReply(
        CODES.internal,
        "The server asked for input in a message that is too large to be read",
      );
    if (request.signal.aborted) return errorReply(CODES.internal, "The request was cancelled");
    const answers = await answerAll(reply.result, origin, toAbortSignal(request.signal));
    if (answers.kind === "error") return answers.reply;
    // A server that only asks for a retry is busy.
    if (answers.responses === undefined) await pause(COME_BACK_MS, request.signal);
    if (origin.isDenied?.() === true) return errorReply(CODES.internal, "The request is no longer allowed");
    const state = ownValue(reply.result, "requestState");
    params = {
      ...request.params,
      ...(answers.responses !== undefined && { inputResponses: answers.responses }),
      ...(state !== undefined && { requestState: state }),
    };
  }
  return errorReply(CODES.internal, `The server asked back ${MAX_ROUNDS} times without an answer`);
}

export function addEnvelope(params: JsonObject, origin: RequestOrigin, clientInfo: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return {
    ...params,
    _meta: {
      ...meta,
      [META.protocolVersion]: MODERN_REVISION,
      [META.clientInfo]: clientInfo,
      [META.clientCapabilities]: origin.capabilities,
      ...(origin.logLevel !== undefined && { [META.logLevel]: origin.logLevel }),
    },
  };
}

type Answers =
  | { readonly kind: "answers"; readonly responses: JsonObject | undefined }
  | { readonly kind: "error"; readonly reply: Reply };

async function answerAll(result: JsonObject, origin: RequestOrigin, signal: AbortSignal): Promise<Answers> {
  const requests = ownValue(result, "inputRequests");
  if (!isJsonObject(requests)) return { kind: "answers", responses: undefined };
  // One at a time: a request may depend on an earlier answer, and users read one after the other.
  const responses: [string, unknown][] = [];
  for (const [key, request] of Object.entries(requests)) {
    const reply = await answerOne(request, origin, signal);
    if (reply.kind === "error") return { kind: "error", reply };
    responses.push([key, reply.kind === "result" ? reply.result : JSON.parse(formatResult(reply))]);
  }
  return { kind: "answers", responses: Object.fromEntries(responses) };
}

async function answerOne(
  request: unknown,
  { capabilities, sendRequest }: RequestOrigin,
  signal: AbortSignal,
): Promise<Reply> {
  const method = isJsonObject(request) ? request["method"] : undefined;
  if (!isJsonObject(request) || typeof method !== "string" || sendRequest === undefined)
    return errorReply(CODES.internal, "The server asked for input in a form that cannot be read");
  const params = isJsonObject(request["params"]) ? request["params"] : {};
  const lacking = lackingCapability({ method, params }, capabilities);
  if (lacking !== undefined)
    return errorReply(CODES.missingCapability, `The server needs a client with ${lacking}`, {
      requiredCapabilities: lacking.split(".").reduceRight((inner, key) => ({ [key]: inner }), {}),
    });
  return sendRequest({ method, params }, signal);
}
