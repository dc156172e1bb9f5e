// One answer to one request, whatever comes first: the downstream, the deadline, the caller's cancelling.

import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, type Trouble, withTrouble } from "../../mcp/reply.js";
import type { DownstreamRequest } from "../downstream.js";
import { addDeadline, Deadline, dropDeadline } from "./deadlines.js";
import { unanswered } from "./unanswered.js";

/** The first counts. */
export type Finish = (reply: Reply) => void;

/** Starts the request. Returns what to do when it is given up; not called once `finish` was. */
export type BeginRequest = (finish: Finish) => (why: string) => void;

/** What cannot be written is not sent, and nobody waits for its answer. */
export function unwritable(error: unknown): Reply {
  return withTrouble(
    errorReply(CODES.invalidParams, `The request cannot be sent: ${String(error)}`),
    UNKNOWN,
  );
}

const UNKNOWN: Trouble = { kind: "unknown" };

/** `onEnd` is called once, whatever it comes to. */
export function answerOnce(
  ask: Bounds,
  label: string,
  begin: BeginRequest,
  onEnd?: () => void,
): Promise<Reply> {
  if (ask.signal.aborted) {
    onEnd?.();
    return Promise.resolve(withTrouble(errorReply(CODES.internal, "The request was cancelled"), UNKNOWN));
  }
  return new Promise((resolve) => {
    const waiting = new Waiting(ask, label, resolve, onEnd);
    waiting.begin(begin);
  });
}

type Bounds = Pick<DownstreamRequest, "signal" | "timeoutMs" | "method">;

/** A class, because one is made for every call. */
class Waiting extends Deadline {
  readonly #ask: Bounds;
  readonly #label: string;
  readonly #resolve: (reply: Reply) => void;
  readonly #onEnd: (() => void) | undefined;
  #isDone = false;
  #giveUp: ((why: string) => void) | undefined;

  constructor(ask: Bounds, label: string, resolve: (reply: Reply) => void, onEnd: (() => void) | undefined) {
    super();
    this.#ask = ask;
    this.#label = label;
    this.#resolve = resolve;
    this.#onEnd = onEnd;
  }

  begin(begin: BeginRequest): void {
    const { signal, timeoutMs } = this.#ask;
    signal.addEventListener("abort", this.#cancel, { once: true });
    try {
      this.#giveUp = begin(this.#finish);
    } catch (error) {
      this.#finish(unwritable(error));
      return;
    }
    if (!this.#isDone && Number.isFinite(timeoutMs)) addDeadline(this, timeoutMs);
  }

  readonly #finish = (reply: Reply): void => {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#onEnd?.();
    dropDeadline(this);
    this.#ask.signal.removeEventListener("abort", this.#cancel);
    this.#resolve(reply);
  };

  readonly #cancel = (): void =>
    this.#abandon(
      "the client cancelled",
      withTrouble(unanswered(this.#ask, "The request was cancelled"), UNKNOWN),
    );

  expire(): void {
    const { method, timeoutMs } = this.#ask;
    const text = `${this.#label} did not answer ${method} within ${timeoutMs} ms`;
    const what = `no answer within ${timeoutMs} ms`;
    this.#abandon(
      "the deadline has passed",
      withTrouble(unanswered(this.#ask, text), { kind: "failed", what }),
    );
  }

  #abandon(why: string, reply: Reply): void {
    if (this.#isDone) return;
    this.#finish(reply);
    this.#giveUp?.(why);
  }
}
