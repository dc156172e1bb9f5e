// Requests of the modern era: every one says who asks, and a question comes as a result that is answered by asking again.

import { toAbortSignal } from "../../mcp/fast-path/cancel-signal.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { CODES, META, MODERN_REVISION } from "../../mcp/protocol.js";
import { errorReply, formatResult, type Reply, resultReply } from "../../mcp/reply.js";
import type { Ask, Asker } from "../downstream.js";
import { pause } from "../pause.js";
import { lackingCapability } from "./lacking-capability.js";

/** How often a downstream may ask back before it has to answer. */
const MAX_ROUNDS = 8;

const COME_BACK_MS = 250;

/** The fields of a result that revisions up to 2025-11-25 do not know. */
const MODERN_FIELDS: ReadonlySet<string> = new Set(["resultType", "ttlMs", "cacheScope"]);

/**
 * Asks a modern downstream. A modern caller gets what the downstream answered; for a legacy caller, which can be asked
 * in the meantime, questions are put to it and the modern fields of the result are taken out.
 */
export function askModern(
  ask: Ask,
  clientInfo: JsonObject,
  send: (ask: Ask) => Promise<Reply>,
): Promise<Reply> {
  // Methods that the modern era has no more, and that need nothing done.
  if (ask.method === "ping" || ask.method === "logging/setLevel") return Promise.resolve(resultReply({}));
  const sendParams = (params: JsonObject): Promise<Reply> =>
    send({ ...ask, params: addEnvelope(params, ask.from, clientInfo) });
  return ask.from.answer === undefined ? sendParams(ask.params) : askThrough(ask, sendParams);
}

/** For a caller of the legacy era. */
async function askThrough(ask: Ask, send: (params: JsonObject) => Promise<Reply>): Promise<Reply> {
  const { from } = ask;
  let params = ask.params;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const reply = await send(params);
    if (reply.kind !== "result") return reply;
    if (reply.result["resultType"] !== "input_required")
      return resultReply(withoutModernFields(reply.result));
    if (ask.signal.aborted) return errorReply(CODES.internal, "The request was cancelled");
    const answers = await answerAll(reply.result, from, toAbortSignal(ask.signal));
    if (answers.kind === "error") return answers.reply;
    // A server that only asks to come back later is busy.
    if (answers.responses === undefined) await pause(COME_BACK_MS, ask.signal);
    const state = ownValue(reply.result, "requestState");
    params = {
      ...ask.params,
      ...(answers.responses !== undefined && { inputResponses: answers.responses }),
      ...(state !== undefined && { requestState: state }),
    };
  }
  return errorReply(CODES.internal, `The server asked back ${MAX_ROUNDS} times without an answer`);
}

export function addEnvelope(params: JsonObject, from: Asker, clientInfo: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return {
    ...params,
    _meta: {
      ...meta,
      [META.protocolVersion]: MODERN_REVISION,
      [META.clientInfo]: clientInfo,
      [META.clientCapabilities]: from.capabilities,
      ...(from.logLevel !== undefined && { [META.logLevel]: from.logLevel }),
    },
  };
}

type Answers =
  | { readonly kind: "answers"; readonly responses: JsonObject | undefined }
  | { readonly kind: "error"; readonly reply: Reply };

async function answerAll(result: JsonObject, from: Asker, signal: AbortSignal): Promise<Answers> {
  const requests = ownValue(result, "inputRequests");
  if (!isJsonObject(requests)) return { kind: "answers", responses: undefined };
  // Questions may depend on what the user did before, and people read one thing at a time.
  const responses: [string, unknown][] = [];
  for (const [key, request] of Object.entries(requests)) {
    const reply = await answerOne(request, from, signal);
    if (reply.kind === "error") return { kind: "error", reply };
    responses.push([key, reply.kind === "result" ? reply.result : JSON.parse(formatResult(reply))]);
  }
  return { kind: "answers", responses: Object.fromEntries(responses) };
}

async function answerOne(
  request: unknown,
  { capabilities, answer }: Asker,
  signal: AbortSignal,
): Promise<Reply> {
  const method = isJsonObject(request) ? request["method"] : undefined;
  if (!isJsonObject(request) || typeof method !== "string" || answer === undefined)
    return errorReply(CODES.internal, "The server asked for input in a form that cannot be read");
  const params = isJsonObject(request["params"]) ? request["params"] : {};
  const lacking = lackingCapability({ method, params }, capabilities);
  if (lacking !== undefined)
    return errorReply(CODES.missingCapability, `The server needs a client with ${lacking}`, {
      requiredCapabilities: lacking.split(".").reduceRight((inner, key) => ({ [key]: inner }), {}),
    });
  return answer({ method, params }, signal);
}

function withoutModernFields(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([key]) => !MODERN_FIELDS.has(key)));
}
