// Calls of modern clients to downstreams that ask back in the old way. The question becomes the result
// (`input_required`), the call waits here, and the client's next request with the same state goes on with it.

import { randomBytes } from "node:crypto";
import { canonicalJson } from "@onym/core";
import type { ServerRequest } from "../../downstream/downstream.js";
import {
  type CancelSignal,
  type CancelSource,
  createCancelSource,
} from "../../mcp/fast-path/cancel-signal.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { RequestContext } from "../router.js";

/** How long a client may think about an answer. */
export const CLIENT_ANSWER_TIMEOUT_MS = 10 * 60_000;
/** When trying again makes sense, for who has too many open. */
const RETRY_DELAY_MS = 5_000;
/** Calls that wait for their clients at once. */
const MAX_SUSPENDED = 1000;
/** Of one caller, where the config does not say. */
const MAX_OWN = 64;

export interface SuspendedCalls {
  /** Begins a call. `work` runs to its end, over as many requests as it takes. */
  readonly begin: (
    call: CallSubject,
    requestContext: SuspendedContext,
    work: SuspendedWork,
  ) => Promise<Reply>;
  /** Goes on with the call that `state` stands for. */
  readonly resume: (call: CallSubject, requestContext: SuspendedContext, state: string) => Promise<Reply>;
  /** Whether a call waits under this state. */
  readonly has: (state: string) => boolean;
  readonly closeAll: () => void;
}

/** What a call is about. A state is only good for the very same subject. */
interface CallSubject {
  readonly method: string;
  readonly params: JsonObject;
  /** Whose call it is: a state is no good to anybody else. */
  readonly principal: string;
  /** By what the share of its caller is counted. */
  readonly callerKey: string;
}

export type SuspendedContext = Pick<RequestContext, "signal" | "notify">;

export interface SuspendedCallPorts {
  readonly signal: CancelSignal;
  readonly notify: RequestContext["notify"];
  readonly answer: (serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>;
}

type SuspendedWork = (ports: SuspendedCallPorts) => Promise<Reply>;

interface Pending {
  readonly serverRequest: ServerRequest;
  readonly settle: (reply: Reply) => void;
}

interface Call {
  readonly state: string;
  readonly subject: CallSubject;
  readonly pending: Map<string, Pending>;
  readonly giveUp: CancelSource;
  /** The requestContext under way, and how to answer it. */
  open: { readonly requestContext: SuspendedContext; readonly reply: (reply: Reply) => void } | undefined;
  /** The work ended while no requestContext was under way. */
  outcome: Reply | undefined;
  expiry: NodeJS.Timeout | undefined;
}

export interface SuspendedLimits {
  /** Calls of one caller that wait for their clients at once (SAFE-5). */
  readonly maxOwn?: () => number;
  readonly max?: number;
}

export function createSuspendedCalls(limits: SuspendedLimits = {}): SuspendedCalls {
  const { maxOwn = () => MAX_OWN, max = MAX_SUSPENDED } = limits;
  /** Those whose client was asked and is not back yet, or is back for the first time. */
  const suspended = new Map<string, Call>();

  const forget = (call: Call): void => {
    clearTimeout(call.expiry);
    suspended.delete(call.state);
  };
  const drop = (call: Call): void => {
    forget(call);
    call.giveUp.cancel();
  };

  const checkRoom = ({ callerKey }: CallSubject): Reply | undefined => {
    const own = [...suspended.values()].filter(({ subject }) => subject.callerKey === callerKey).length;
    if (own >= maxOwn())
      return errorReply(
        CODES.internal,
        `${own} calls of this caller wait for answers of its clients, as many as may. Answer one of them, or try again later.`,
        { limit: "callerQuestions", max: own, retryAfterMs: RETRY_DELAY_MS },
      );
    return suspended.size < max
      ? undefined
      : errorReply(CODES.internal, "Too many calls wait for their clients; try again later.");
  };

  /** Gives the call to an requestContext until it ends, asks or is aborted. */
  const attend = (call: Call, requestContext: SuspendedContext): Promise<Reply> =>
    new Promise((resolve) => {
      const onAbort = (): void => drop(call);
      const reply = (answer: Reply): void => {
        call.open = undefined;
        requestContext.signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      call.open = { requestContext, reply };
      requestContext.signal.addEventListener("abort", onAbort, { once: true });
      if (requestContext.signal.aborted) onAbort();
    });

  const finish = (call: Call, outcome: Reply): void => {
    if (call.open === undefined) {
      call.outcome = outcome;
      return;
    }
    forget(call);
    call.open.reply(outcome);
  };

  const askBack = (call: Call): void => {
    if (call.open === undefined || call.pending.size === 0) return;
    const refusal = suspended.has(call.state) ? undefined : checkRoom(call.subject);
    if (refusal !== undefined) {
      for (const { settle } of [...call.pending.values()]) settle(refusal);
      return;
    }
    suspended.set(call.state, call);
    call.expiry = setTimeout(() => drop(call), CLIENT_ANSWER_TIMEOUT_MS).unref();
    const requests = [...call.pending].map(
      ([
        key,
        {
          serverRequest: { method, params },
        },
      ]) => [key, { method, params }],
    );
    call.open.reply(
      resultReply({
        resultType: "input_required",
        inputRequests: Object.fromEntries(requests),
        requestState: call.state,
      }),
    );
  };

  const put = (call: Call, key: string, serverRequest: ServerRequest, signal: AbortSignal): Promise<Reply> =>
    new Promise((resolve) => {
      const withdraw = (): void => settle(errorReply(CODES.internal, "The question was withdrawn."));
      const settle = (reply: Reply): void => {
        call.pending.delete(key);
        signal.removeEventListener("abort", withdraw);
        resolve(reply);
      };
      if (signal.aborted) return withdraw();
      call.pending.set(key, { serverRequest, settle });
      signal.addEventListener("abort", withdraw, { once: true });
      // Questions put at once go out together.
      setImmediate(() => askBack(call));
    });

  return {
    begin(subject, requestContext, work) {
      const call: Call = {
        state: `onym-${randomBytes(24).toString("base64url")}`,
        subject,
        pending: new Map(),
        giveUp: createCancelSource(),
        open: undefined,
        outcome: undefined,
        expiry: undefined,
      };
      const answered = attend(call, requestContext);
      let asked = 0;
      const ports: SuspendedCallPorts = {
        signal: call.giveUp.signal,
        notify: (notification) => call.open?.requestContext.notify(notification),
        answer: (serverRequest, signal) => put(call, `question-${++asked}`, serverRequest, signal),
      };
      work(ports).then(
        (reply) => finish(call, reply),
        () => finish(call, errorReply(CODES.internal, "The call failed inside the gateway.")),
      );
      return answered;
    },

    resume(subject, requestContext, state) {
      const call = suspended.get(state);
      if (call === undefined || call.open !== undefined || !isSame(call.subject, subject))
        return Promise.resolve(
          errorReply(
            CODES.invalidParams,
            "requestState belongs to no call that waits for this request. It may have expired; call again without it.",
          ),
        );
      clearTimeout(call.expiry);
      const answered = attend(call, requestContext);
      if (call.outcome !== undefined) {
        finish(call, call.outcome);
        return answered;
      }
      const responses = ownValue(subject.params, "inputResponses");
      for (const [key, { settle }] of [...call.pending]) {
        const response = isJsonObject(responses) ? ownValue(responses, key) : undefined;
        if (isJsonObject(response)) settle(resultReply(response));
      }
      // What was not answered is asked again.
      askBack(call);
      return answered;
    },

    has: (state) => suspended.has(state),

    closeAll() {
      for (const call of [...suspended.values()]) drop(call);
    },
  };
}

function isSame(a: CallSubject, b: CallSubject): boolean {
  return textOf(a) === textOf(b);
}

function textOf({ method, params, principal }: CallSubject): string {
  const { _meta, inputResponses, requestState, ...rest } = params;
  return canonicalJson([principal, method, rest]);
}
