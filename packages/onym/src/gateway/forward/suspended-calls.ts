// Calls of modern clients to servers that send legacy requests to the client. The request becomes the result
// (`input_required`), the call is suspended here, and the client's next request with the same state resumes
// it.

import { randomBytes } from "node:crypto";
import type { ServerRequest } from "../../downstream/downstream.js";
import { type CancelSignal, type CancelSource, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import { isJsonObject, ownValue } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { OngoingDecision } from "../calls/guard.js";
import type { RequestContext } from "../router.js";
import { type CompareOptions, compareCalls, type ResumableCall } from "./resumable-call.js";

/** How long a client may take to answer. */
export const CLIENT_ANSWER_TIMEOUT_MS = 10 * 60_000;
/** When a caller with too many suspended calls may retry. */
const RETRY_DELAY_MS = 5_000;
/** Maximum suspended calls in total. */
const MAX_SUSPENDED = 1000;
/** Maximum per caller, if the config does not say. */
const MAX_OWN = 64;
/** Of one call, in number and in characters of JSON: all of them are one result for the client (SAFE-5). */
export const MAX_OPEN_REQUESTS = 32;
export const MAX_REQUESTS_LENGTH = 4_194_304;

export interface SuspendedCalls {
  /**
   * Starts a call. `work` runs to its end, over as many requests as it takes. `reconsider`: what is decided about the call
   * now, for `endRefused`.
   */
  readonly begin: (
    call: ResumableCall,
    requestContext: SuspendedContext,
    work: SuspendedWork,
    reconsider?: Reconsider,
  ) => Promise<Reply>;
  /** Resumes the call of `state`. */
  readonly resume: (call: ResumableCall, requestContext: SuspendedContext, state: string) => Promise<Reply>;
  /** Whether a call is suspended under this state. */
  readonly has: (state: string) => boolean;
  /** Ends the calls that wait for their clients and may no longer go on. Call it when decisions may have changed. */
  readonly endRefused: () => void;
  readonly closeAll: () => void;
}

type Reconsider = () => OngoingDecision;

export type SuspendedContext = Pick<RequestContext, "signal" | "notify" | "held" | "whileAdmitted">;

export interface SuspendedCallPorts {
  readonly signal: CancelSignal;
  readonly notify: RequestContext["notify"];
  readonly sendRequest: (serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>;
}

type SuspendedWork = (ports: SuspendedCallPorts) => Promise<Reply>;

interface Pending {
  readonly serverRequest: ServerRequest;
  readonly length: number;
  readonly respond: (reply: Reply) => void;
}

interface SuspendedCall {
  readonly state: string;
  readonly begun: ResumableCall;
  /** Counts as its caller's until the call ends: `begun` keeps its params (SAFE-5). */
  readonly held: SuspendedContext["held"];
  readonly reconsider: Reconsider | undefined;
  /** The decision when the client was last asked. */
  decision: OngoingDecision | undefined;
  readonly pending: Map<string, Pending>;
  readonly giveUp: CancelSource;
  /** The request that currently waits for the call, and how to reply to it. */
  open: { readonly requestContext: SuspendedContext; readonly reply: (reply: Reply) => void } | undefined;
  /** The work ended while no request waited for it. */
  outcome: Reply | undefined;
  /** Stops what would end the call while it waits: the time, or that its caller is no longer admitted. */
  stopWaiting: () => void;
}

export interface SuspendedCallsOptions extends CompareOptions {
  /** Maximum suspended calls per caller (SAFE-5). */
  readonly maxOwn?: () => number;
  readonly max?: number;
  /** Called for a request whose state belongs to another call. */
  readonly onRefused?: (call: ResumableCall) => void;
}

export function createSuspendedCalls(options: SuspendedCallsOptions = {}): SuspendedCalls {
  return new SuspendedCallTable(options);
}

class SuspendedCallTable implements SuspendedCalls {
  readonly #options: SuspendedCallsOptions;
  /** Calls whose client was asked and has not returned, or has returned once. */
  readonly #suspended = new Map<string, SuspendedCall>();

  constructor(options: SuspendedCallsOptions) {
    this.#options = options;
  }

  readonly begin: SuspendedCalls["begin"] = (begun, requestContext, work, reconsider) => {
    const call: SuspendedCall = {
      state: `onym-${randomBytes(24).toString("base64url")}`,
      begun,
      held: requestContext.held,
      reconsider,
      decision: undefined,
      pending: new Map(),
      giveUp: createCancelSource(),
      open: undefined,
      outcome: undefined,
      stopWaiting: () => {},
    };
    const answered = this.#attend(call, requestContext);
    let asked = 0;
    const ports: SuspendedCallPorts = {
      signal: call.giveUp.signal,
      notify: (notification) => call.open?.requestContext.notify(notification),
      sendRequest: (serverRequest, signal) =>
        this.#addServerRequest(call, `question-${++asked}`, serverRequest, signal),
    };
    work(ports).then(
      (reply) => this.#finish(call, reply),
      () => this.#finish(call, errorReply(CODES.internal, "The call failed inside the gateway.")),
    );
    return answered;
  };

  readonly resume: SuspendedCalls["resume"] = (resumed, requestContext, state) => {
    const call = this.#suspended.get(state);
    const match =
      call === undefined || call.open !== undefined
        ? "other"
        : compareCalls(call.begun, resumed, this.#options);
    if (call !== undefined && match === "changed") this.#drop(call);
    if (call === undefined || match !== "same") {
      this.#options.onRefused?.(resumed);
      return Promise.resolve(STATE_OF_NO_CALL);
    }
    call.stopWaiting();
    const answered = this.#attend(call, requestContext);
    if (call.outcome !== undefined) {
      this.#finish(call, call.outcome);
      return answered;
    }
    const responses = ownValue(resumed.params, "inputResponses");
    for (const [key, { respond }] of [...call.pending]) {
      const response = isJsonObject(responses) ? ownValue(responses, key) : undefined;
      if (isJsonObject(response)) respond(resultReply(response));
    }
    // Ask again for what was not answered.
    this.#requestInput(call);
    return answered;
  };

  readonly has: SuspendedCalls["has"] = (state) => this.#suspended.has(state);

  readonly endRefused = (): void => {
    // A request that waits for the call is decided on by itself.
    for (const call of [...this.#suspended.values()])
      if (call.open === undefined && !mayGoOn(call)) this.#drop(call);
  };

  readonly closeAll = (): void => {
    for (const call of [...this.#suspended.values()]) this.#drop(call);
  };

  /** Attaches a request to the call until the call ends, asks or is aborted. */
  #attend(call: SuspendedCall, requestContext: SuspendedContext): Promise<Reply> {
    return new Promise((resolve) => {
      const onAbort = (): void => this.#drop(call);
      const reply = (answer: Reply): void => {
        call.open = undefined;
        requestContext.signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      call.open = { requestContext, reply };
      requestContext.signal.addEventListener("abort", onAbort, { once: true });
      if (requestContext.signal.aborted) onAbort();
    });
  }

  #addServerRequest(
    call: SuspendedCall,
    key: string,
    serverRequest: ServerRequest,
    signal: AbortSignal,
  ): Promise<Reply> {
    return new Promise((resolve) => {
      if (call.pending.size >= MAX_OPEN_REQUESTS) return resolve(TOO_MANY_REQUESTS);
      const withdraw = (): void => respond(errorReply(CODES.internal, "The server request was withdrawn."));
      const respond = (reply: Reply): void => {
        if (call.pending.delete(key)) call.held?.releaseServerRequest(length);
        signal.removeEventListener("abort", withdraw);
        resolve(reply);
      };
      const { length } = JSON.stringify(serverRequest.params);
      if (signal.aborted) return withdraw();
      const refusal = takeServerRequest(call, length);
      if (refusal !== undefined) return resolve(refusal);
      call.pending.set(key, { serverRequest, length, respond });
      signal.addEventListener("abort", withdraw, { once: true });
      // Requests sent in the same turn go out together.
      setImmediate(() => this.#requestInput(call));
    });
  }

  #requestInput(call: SuspendedCall): void {
    if (call.open === undefined || call.pending.size === 0) return;
    const refusal = this.#suspended.has(call.state) ? undefined : this.#takeRoom(call);
    if (refusal !== undefined) {
      for (const { respond } of [...call.pending.values()]) respond(refusal);
      return;
    }
    this.#suspended.set(call.state, call);
    call.decision = call.reconsider?.();
    this.#wait(call, call.open.requestContext);
    call.open.reply(inputRequired(call));
  }

  /** The refusal if too many calls are suspended already. */
  #takeRoom({ begun, held }: SuspendedCall): Reply | undefined {
    const { maxOwn = () => MAX_OWN, max = MAX_SUSPENDED } = this.#options;
    const { callerKey } = begun.caller;
    const isOwn = (each: SuspendedCall): boolean => each.begun.caller.callerKey === callerKey;
    const own = [...this.#suspended.values()].filter(isOwn).length;
    if (own >= maxOwn())
      return errorReply(
        CODES.internal,
        `${own} calls of this caller wait for answers of its clients, as many as may. Answer one of them, or try again later.`,
        { limit: "callerQuestions", max: own, retryAfterMs: RETRY_DELAY_MS },
      );
    if (this.#suspended.size >= max)
      return errorReply(CODES.internal, "Too many calls wait for their clients; try again later.");
    const maxBytes = held?.suspend();
    return maxBytes === undefined
      ? undefined
      : errorReply(
          CODES.internal,
          `Calls of this caller that wait for answers of its clients have ${maxBytes} bytes, as many as may. Answer one of them, or try again later.`,
          { limit: "requestBytes", max: maxBytes, retryAfterMs: RETRY_DELAY_MS },
        );
  }

  /** Ends the call if its client takes too long, or may no longer be here. */
  #wait(call: SuspendedCall, { whileAdmitted }: SuspendedContext): void {
    const expiry = setTimeout(() => this.#drop(call), CLIENT_ANSWER_TIMEOUT_MS).unref();
    const release = whileAdmitted?.(() => this.#drop(call));
    call.stopWaiting = () => {
      clearTimeout(expiry);
      release?.();
    };
  }

  #finish(call: SuspendedCall, outcome: Reply): void {
    for (const { respond } of [...call.pending.values()])
      respond(errorReply(CODES.internal, "The call has ended."));
    if (call.open === undefined) {
      call.outcome = outcome;
      return;
    }
    this.#forget(call);
    call.open.reply(outcome);
  }

  #drop(call: SuspendedCall): void {
    this.#forget(call);
    call.giveUp.cancel();
  }

  #forget(call: SuspendedCall): void {
    call.stopWaiting();
    if (this.#suspended.delete(call.state)) call.held?.endSuspension();
  }
}

const STATE_OF_NO_CALL = errorReply(
  CODES.invalidParams,
  "requestState belongs to no call that waits for this request. It may have expired; call again without it.",
);

const TOO_MANY_REQUESTS = errorReply(
  CODES.internal,
  `This call has ${MAX_OPEN_REQUESTS} open server requests, as many as it may.`,
  { max: MAX_OPEN_REQUESTS },
);

/** All open server requests of the call, as the result of the client's request. */
function inputRequired({ pending, state }: SuspendedCall): Reply {
  const requests = [...pending].map(
    ([key, { serverRequest }]) =>
      [key, { method: serverRequest.method, params: serverRequest.params }] as const,
  );
  return resultReply({
    resultType: "input_required",
    inputRequests: Object.fromEntries(requests),
    requestState: state,
  });
}

/** Counts a server request, or returns its refusal. */
function takeServerRequest({ pending, held }: SuspendedCall, length: number): Reply | undefined {
  const open = [...pending.values()].reduce((sum, each) => sum + each.length, 0);
  if (open + length > MAX_REQUESTS_LENGTH)
    return errorReply(CODES.internal, "The open server requests of this call are too large together.", {
      max: MAX_REQUESTS_LENGTH,
    });
  const max = held?.takeServerRequest(length);
  if (max === undefined) return undefined;
  const text = "The calls of this caller that wait for its clients are too large together.";
  return errorReply(CODES.internal, text, { limit: "requestBytes", max, retryAfterMs: RETRY_DELAY_MS });
}

function mayGoOn({ decision: before, reconsider }: SuspendedCall): boolean {
  const now = reconsider?.();
  return now === undefined || isStillAllowed(before, now);
}

/** Approved calls go on until something else is decided. */
export function isStillAllowed(before: OngoingDecision | undefined, now: OngoingDecision): boolean {
  if (now.kind === "allow") return true;
  return now.kind === "ask" && before?.kind === "ask" && before.mark === now.mark;
}
