// Calls of modern clients to downstreams that ask back in the old way. The question becomes the result
// (`input_required`), the call waits here, and the client's next request with the same state goes on with it.

import { randomBytes } from "node:crypto";
import { canonicalJson } from "@onym/core";
import type { Question } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject, ownValue } from "../../rpc/json.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply, resultReply } from "../../rpc/reply.js";
import type { Exchange } from "../front.js";

/** How long a client may think about an answer. */
const PATIENCE_MS = 10 * 60_000;
const MOST_PARKED = 1000;

export interface ParkedCalls {
  /** Begins a call. `work` runs to its end, over as many exchanges as it takes. */
  readonly begin: (call: CallSubject, exchange: Exchange, work: ParkedWork) => Promise<Reply>;
  /** Goes on with the call that `state` stands for. */
  readonly resume: (call: CallSubject, exchange: Exchange, state: string) => Promise<Reply>;
  readonly isState: (state: unknown) => state is string;
  readonly closeAll: () => void;
}

/** What a call is about. A state is only good for the very same subject. */
export interface CallSubject {
  readonly method: string;
  readonly params: JsonObject;
}

export interface ParkedPorts {
  readonly signal: AbortSignal;
  readonly tell: Exchange["tell"];
  readonly answer: (question: Question, signal: AbortSignal) => Promise<Reply>;
}

export type ParkedWork = (ports: ParkedPorts) => Promise<Reply>;

interface Pending {
  readonly question: Question;
  readonly settle: (reply: Reply) => void;
}

interface Parked {
  readonly subject: string;
  readonly pending: Map<string, Pending>;
  readonly abort: AbortController;
  exchange: Exchange;
  /** Answers the exchange under way. */
  reply: ((reply: Reply) => void) | undefined;
  /** The work ended while no exchange was under way. */
  outcome: Reply | undefined;
  expiry: NodeJS.Timeout | undefined;
}

export function createParkedCalls(): ParkedCalls {
  const parked = new Map<string, Parked>();

  const drop = (state: string, call: Parked): void => {
    clearTimeout(call.expiry);
    parked.delete(state);
    call.abort.abort();
  };

  /** Gives the call to an exchange until it ends, asks or is aborted. */
  const attend = (state: string, call: Parked, exchange: Exchange): Promise<Reply> => {
    clearTimeout(call.expiry);
    call.exchange = exchange;
    if (call.outcome !== undefined) {
      parked.delete(state);
      return Promise.resolve(call.outcome);
    }
    return new Promise((resolve) => {
      const onAbort = (): void => drop(state, call);
      exchange.signal.addEventListener("abort", onAbort, { once: true });
      call.reply = (reply) => {
        call.reply = undefined;
        exchange.signal.removeEventListener("abort", onAbort);
        resolve(reply);
      };
      if (exchange.signal.aborted) onAbort();
    });
  };

  const askBack = (state: string, call: Parked): void => {
    if (call.reply === undefined || call.pending.size === 0) return;
    call.reply(
      resultReply({
        resultType: "input_required",
        inputRequests: Object.fromEntries(
          [...call.pending].map(([key, { question }]) => [
            key,
            { method: question.method, params: question.params },
          ]),
        ),
        requestState: state,
      }),
    );
    call.expiry = setTimeout(() => drop(state, call), PATIENCE_MS).unref();
  };

  return {
    begin(subject, exchange, work) {
      if (parked.size >= MOST_PARKED)
        return Promise.resolve(
          errorReply(CODES.internal, "Too many calls wait for their clients; try again later."),
        );
      const state = `onym-${randomBytes(24).toString("base64url")}`;
      const call: Parked = {
        subject: subjectOf(subject),
        pending: new Map(),
        abort: new AbortController(),
        exchange,
        reply: undefined,
        outcome: undefined,
        expiry: undefined,
      };
      parked.set(state, call);
      const answered = attend(state, call, exchange);
      let asked = 0;
      const answer = (question: Question, signal: AbortSignal): Promise<Reply> =>
        new Promise((resolve) => {
          const key = `question-${++asked}`;
          const settle = (reply: Reply): void => {
            call.pending.delete(key);
            resolve(reply);
          };
          call.pending.set(key, { question, settle });
          signal.addEventListener(
            "abort",
            () => settle(errorReply(CODES.internal, "The question was withdrawn.")),
            {
              once: true,
            },
          );
          // Questions put at once go out together.
          setImmediate(() => askBack(state, call));
        });
      const tell: Exchange["tell"] = (notice) => {
        if (call.reply !== undefined) call.exchange.tell(notice);
      };
      void work({ signal: call.abort.signal, tell, answer }).then((reply) => {
        if (call.reply === undefined) call.outcome = reply;
        else {
          parked.delete(state);
          clearTimeout(call.expiry);
          call.reply(reply);
        }
      });
      return answered;
    },

    resume(subject, exchange, state) {
      const call = parked.get(state);
      if (call === undefined || call.reply !== undefined || call.subject !== subjectOf(subject)) {
        return Promise.resolve(
          errorReply(
            CODES.invalidParams,
            "requestState belongs to no call that waits for this request. It may have expired; call again without it.",
          ),
        );
      }
      const answered = attend(state, call, exchange);
      const responses = ownValue(subject.params, "inputResponses");
      for (const [key, { settle }] of [...call.pending]) {
        const response = isJsonObject(responses) ? ownValue(responses, key) : undefined;
        if (isJsonObject(response)) settle(resultReply(response));
      }
      // What was not answered is asked again.
      if (call.outcome === undefined) askBack(state, call);
      return answered;
    },

    isState: (state): state is string => typeof state === "string" && parked.has(state),

    closeAll() {
      for (const [state, call] of parked) drop(state, call);
    },
  };
}

function subjectOf({ method, params }: CallSubject): string {
  const { _meta, inputResponses, requestState, ...rest } = params;
  return canonicalJson([method, rest]);
}
