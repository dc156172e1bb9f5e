// One request to a server: how it is serialized, and its reply, whether the server responds, the deadline passes or the
// caller cancels.

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import { unreadSourceOf } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject, type JsonObject, ownValue, TOO_DEEP } from "../../mcp/json.js";
import { errorReply, type Reply, type RpcResponse, type Trouble, withTrouble } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES, type Era, LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";
import { formatDuration } from "../../model/clock.js";
import type { DownstreamRequest, Notification, RequestOrigin, UnsolicitedReceiver } from "../downstream.js";
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
  const { text: raw } = argumentsText;
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
  return typeof raw === "string"
    ? before + raw + line
    : Buffer.concat([Buffer.from(before), raw, Buffer.from(line)]);
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
  send: (level: LogLevel) => void,
): (wanted: LogLevel | undefined) => void {
  const able = isJsonObject(ownValue(capabilities, "logging"));
  let lowest: number = LOG_LEVELS.length;
  return (wanted) => {
    if (wanted === undefined || !able) return;
    const index = LOG_LEVELS.indexOf(wanted);
    if (index >= lowest) return;
    lowest = index;
    send(wanted);
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
  if (METHODS.get(method)?.runsTool !== true)
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

// One reply to one request, whichever comes first: the server's response, the deadline, the caller's
// cancellation.

/** Only the first call counts. */
export type Finish = (reply: Reply) => void;

/** Starts the request. Returns the function that abandons it, which is not called after `finish`. */
export type BeginRequest = (finish: Finish) => (why: string) => void;

/** A request that cannot be serialized is not sent. */
export function unwritable(error: unknown): Reply {
  return withTrouble(
    errorReply(CODES.invalidParams, `The request cannot be sent: ${String(error)}`),
    UNKNOWN,
  );
}

const UNKNOWN: Trouble = { kind: "unknown" };

/** `onEnd` is called once, whatever the result. */
export function answerOnce(
  bounds: Bounds,
  label: string,
  begin: BeginRequest,
  onEnd?: () => void,
): Promise<Reply> {
  if (bounds.signal.aborted) {
    onEnd?.();
    return Promise.resolve(withTrouble(errorReply(CODES.internal, "The request was cancelled"), UNKNOWN));
  }
  return new Promise((resolve) => {
    const waiting = new Waiting(bounds, label, resolve, onEnd);
    waiting.begin(begin);
  });
}

type Bounds = Pick<DownstreamRequest, "signal" | "timeoutMs" | "method" | "place">;

/** A class, because one is created for every call. */
class Waiting {
  readonly #bounds: Bounds;
  readonly #label: string;
  readonly #resolve: (reply: Reply) => void;
  readonly #onEnd: (() => void) | undefined;
  #isDone = false;
  #giveUp: ((why: string) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    bounds: Bounds,
    label: string,
    resolve: (reply: Reply) => void,
    onEnd: (() => void) | undefined,
  ) {
    this.#bounds = bounds;
    this.#label = label;
    this.#resolve = resolve;
    this.#onEnd = onEnd;
  }

  begin(begin: BeginRequest): void {
    const { signal, timeoutMs } = this.#bounds;
    signal.addEventListener("abort", this.#cancel, { once: true });
    try {
      this.#giveUp = begin(this.#finish);
    } catch (error) {
      this.#finish(unwritable(error));
      return;
    }
    if (!this.#isDone && Number.isFinite(timeoutMs))
      this.#timer = startDeadline(timeoutMs, () => this.#expire());
  }

  readonly #finish = (reply: Reply): void => {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#onEnd?.();
    clearTimeout(this.#timer);
    this.#bounds.signal.removeEventListener("abort", this.#cancel);
    this.#resolve(reply);
  };

  readonly #cancel = (): void =>
    this.#abandon(
      "the client cancelled",
      withTrouble(unanswered(this.#bounds, "The request was cancelled"), UNKNOWN),
    );

  #expire(): void {
    const { method, timeoutMs } = this.#bounds;
    const text = `${this.#label} did not answer ${method} within ${formatDuration(timeoutMs)}`;
    const what = `no answer within ${formatDuration(timeoutMs)}`;
    this.#abandon(
      "the deadline has passed",
      withTrouble(unanswered(this.#bounds, text), { kind: "failed", what }),
    );
  }

  #abandon(why: string, reply: Reply): void {
    if (this.#isDone) return;
    this.#finish(reply);
    this.#bounds.place?.giveUp();
    this.#giveUp?.(why);
  }
}

/** The longest delay of `setTimeout`: it fires at once for a longer one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer for a request's deadline. It does not keep the process alive. */
export function startDeadline(ms: number, expire: () => void): NodeJS.Timeout {
  return setTimeout(expire, Math.min(ms, MAX_TIMER_MS)).unref();
}

// Requests that Onym makes for itself: handshakes and lists. They belong to no caller.

/** Onym itself. */
export const OWN_ORIGIN: RequestOrigin = {
  id: "onym",
  callerKey: "onym",
  capabilities: {},
  logLevel: undefined,
  wantsProgress: false,
  notify: () => {},
  sendRequest: undefined,
};

/** A signal that never aborts. */
export const NEVER = createCancelSource().signal;

export function buildOwnRequest(
  method: string,
  params: JsonObject,
  bounds: { readonly timeoutMs?: number; readonly signal?: CancelSignal } = {},
): DownstreamRequest {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal = NEVER } = bounds;
  return { method, params, origin: OWN_ORIGIN, signal, timeoutMs };
}

export function isOwnRequest(request: DownstreamRequest): boolean {
  return request.origin === OWN_ORIGIN;
}

/**
 * The era of the client behind a request. Only a legacy client takes server requests; a modern one, and Onym itself, gets the
 * server's result as it is.
 */
export function callerEra({ sendRequest }: RequestOrigin): Era {
  return sendRequest === undefined ? "modern" : "legacy";
}

/** Tracks whether only one caller has used a connection so far. */
export class ConnectionUse {
  #receiver: UnsolicitedReceiver = "anybody";
  #last: string | undefined;

  note({ origin }: DownstreamRequest): void {
    if (this.#last === origin.id || origin === OWN_ORIGIN) return;
    this.#receiver = this.#last === undefined ? { caller: origin.id } : "nobody";
    this.#last = origin.id;
  }

  get receiver(): UnsolicitedReceiver {
    return this.#receiver;
  }
}
