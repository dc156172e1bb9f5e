// Reads the HTTP response to a request: the notifications and server requests that belong to the request, then its
// reply.

import { isJsonObject, type MessageText, parseJson } from "../../mcp/json.js";
import {
  errorReply,
  type ReadMessage,
  type Reply,
  type RpcNotification,
  type RpcRequest,
  readMessage,
  type Trouble,
  withTrouble,
} from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { ConnectionContext } from "../connection.js";
import type { DownstreamRequest } from "../downstream.js";
import { ProgressRelay } from "../protocol/progress-relay.js";
import { toReply, unanswered } from "../protocol/request.js";
import type { HttpAnswer } from "./http-delivery.js";
import { isEventStream, type MessagesEnd, readMessages, readText } from "./read-messages.js";

export interface ReplyReading {
  /** Called once. */
  readonly onRead: (read: ReadReply) => void;
  readonly answer: HttpAnswer;
  readonly id: number;
  readonly request: DownstreamRequest;
  readonly context: Pick<ConnectionContext, "label" | "limits" | "hide" | "log" | "pace" | "clock">;
  /** A notification that belongs to no request, although it came with one. */
  readonly onNotification: (notification: RpcNotification) => void;
  readonly onRequest: (request: RpcRequest) => void;
}

export type ReadReply =
  | { readonly kind: "reply"; readonly reply: Reply }
  /** The stream ended before the reply; with an event id it may be resumed. */
  | {
      readonly kind: "broken";
      readonly lastEventId: string | undefined;
      readonly retryMs: number | undefined;
    };

const ERROR_BYTES = 65_536;

/** Calls back instead of returning a promise, because it runs for every call. */
export function readReply(reading: ReplyReading): void {
  const { answer, id, request, context, onNotification, onRequest, onRead } = reading;
  const { label, limits } = context;
  if (answer.status === 202 || answer.status === 204) {
    answer.body.discard();
    const what = `HTTP ${answer.status} without an answer`;
    onRead(
      failed(request, `${label} accepted ${request.method} without an answer (HTTP ${answer.status})`, what),
    );
    return;
  }
  if (answer.status < 200 || answer.status > 299) {
    readFailure(reading).then(
      (failure) => onRead({ kind: "reply", reply: failure }),
      () => onRead(failed(request, `${label} answered HTTP ${answer.status}`, `HTTP ${answer.status}`)),
    );
    return;
  }
  let reply: Reply | undefined;
  let progress: ProgressRelay | undefined;
  const { origin } = request;
  const deliver = (notification: RpcNotification): void => {
    const { pace, clock } = context;
    const { method, params = {} } = notification;
    if (method === "notifications/progress" && params["progressToken"] === id) {
      pace.countDroppable();
      if (!origin.wantsProgress) return;
      progress ??= new ProgressRelay(origin, clock);
      progress.pass(params);
    } else if (method === "notifications/message") {
      pace.countDroppable();
      if (pace.admitsLog()) origin.notify({ method, params });
    } else {
      pace.countUnsolicited();
      if (method !== "notifications/progress") onNotification(notification);
    }
  };
  const take = (read: ReadMessage): boolean => {
    if (read.kind === "response" && read.message.id === id) {
      reply ??= toReply(read.message, request, label);
      return true;
    }
    if (read.kind === "notification") deliver(read.message);
    else {
      context.pace.countUnsolicited();
      if (read.kind === "request") onRequest(read.message);
      else context.log("debug", `${label} sent no message that belongs here`);
    }
    return false;
  };
  const onMessage = (value: unknown, text?: MessageText): boolean => take(readMessage(value, text));
  const onEnd = (end: MessagesEnd): void => {
    progress?.end();
    if (reply !== undefined) onRead({ kind: "reply", reply });
    else if (end.kind === "ended" && isOther(answer)) onRead(otherContent(reading));
    else if (end.kind === "ended") onRead({ ...end, kind: "broken" });
    else if (end.kind === "done")
      onRead(failed(request, `${label} did not answer ${request.method}`, "an answer to something else"));
    else onRead(failed(request, `${label} sent ${end.what}`, "an answer that is too large"));
  };
  const { pace, clock } = context;
  readMessages({ answer, frameBytes: limits.frameBytes, pace, clock, onMessage, onEnd });
}

/** Neither JSON nor an event stream: an HTML page, for example. */
function isOther(answer: HttpAnswer): boolean {
  const type = answer.header("content-type") ?? "";
  return type !== "" && !/\bjson\b/i.test(type) && !isEventStream(answer);
}

function otherContent({ answer, request, context: { label, hide } }: ReplyReading): ReadReply {
  const what = `${hide((answer.header("content-type") ?? "").slice(0, 100))} instead of JSON (HTTP ${answer.status})`;
  return failed(request, `${label} answered ${request.method} with ${what}`, what);
}

/** Protocol errors may come with a matching HTTP status. */
async function readFailure({ answer, request, context }: ReplyReading): Promise<Reply> {
  const { label, hide } = context;
  const text = await readText(answer, ERROR_BYTES);
  // If it is not JSON, show the text.
  const parsed = parseJson(text);
  const value = parsed.ok ? parsed.value : undefined;
  const read = readMessage(value);
  const trouble = troubleOf(answer);
  if (read.kind === "response" && read.message.error !== undefined)
    return { kind: "error", error: read.message.error, trouble };
  const said = isJsonObject(value) && typeof value["error"] === "string" ? value["error"] : text;
  const shown = /^\s*</.test(said) ? "" : hide(said, 200);
  const message = `${label} answered HTTP ${answer.status}${shown === "" ? "" : `: ${shown}`}`;
  const wait = trouble?.kind === "failed" ? trouble.retryAfterMs : undefined;
  const data = { httpStatus: answer.status, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  // 4xx means that the server did not process the request; otherwise it may have.
  const isRefused = answer.status >= 400 && answer.status < 500;
  const reply = isRefused ? errorReply(CODES.internal, message, data) : unanswered(request, message, data);
  return trouble === undefined ? reply : withTrouble(reply, trouble);
}

/** 5xx, and statuses that refuse every caller. Any other 4xx concerns only this request. */
function troubleOf(answer: HttpAnswer): Trouble | undefined {
  const { status } = answer;
  if (status < 500 && status !== 429 && status !== 401) return undefined;
  return {
    kind: "failed",
    what: `HTTP ${status}`,
    retryAfterMs: readRetryAfter(answer.header("retry-after")),
  };
}

/** In seconds, or as a date. Longer values are capped. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

export function readRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}

function failed(request: DownstreamRequest, text: string, what: string): ReadReply {
  return { kind: "reply", reply: withTrouble(unanswered(request, text), { kind: "failed", what }) };
}
