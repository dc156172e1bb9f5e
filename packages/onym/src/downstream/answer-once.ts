// One answer to one request, whatever comes first: the downstream, the deadline, the caller's cancelling.

import { CODES } from "../rpc/protocol.js";
import { errorReply, type Reply } from "../rpc/reply.js";
import type { Ask } from "./downstream.js";

/** Starts the request. Returns what to do when it is given up; not called once `finish` was. */
export type BeginRequest = (finish: (reply: Reply) => void) => (why: string) => void;

/** What cannot be written is not sent, and nobody waits for its answer. */
export function unwritable(error: unknown): Reply {
  return errorReply(CODES.invalidParams, `The request cannot be sent: ${String(error)}`);
}

export function tooMany(label: string, waiting: number): Reply {
  return errorReply(CODES.internal, `${label} has ${waiting} requests waiting already`);
}

/** `setTimeout` fires at once beyond it. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** `onEnd` is called once, whatever it comes to. */
export function answerOnce(
  { signal, timeoutMs, method }: Pick<Ask, "signal" | "timeoutMs" | "method">,
  label: string,
  begin: BeginRequest,
  onEnd?: () => void,
): Promise<Reply> {
  if (signal.aborted) {
    onEnd?.();
    return Promise.resolve(errorReply(CODES.internal, "The request was cancelled"));
  }
  return new Promise((resolve) => {
    let done = false;
    let giveUp: ((why: string) => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const finish = (reply: Reply): void => {
      if (done) return;
      done = true;
      onEnd?.();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(reply);
    };
    const abandon = (why: string, reply: Reply): void => {
      if (done) return;
      finish(reply);
      giveUp?.(why);
    };
    const onAbort = (): void =>
      abandon("the client cancelled", errorReply(CODES.internal, "The request was cancelled"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      giveUp = begin(finish);
    } catch (error) {
      return finish(unwritable(error));
    }
    if (done || !Number.isFinite(timeoutMs)) return;
    timer = setTimeout(
      () => {
        const text = `${label} did not answer ${method} within ${timeoutMs} ms`;
        abandon("the deadline has passed", errorReply(CODES.internal, text));
      },
      Math.min(timeoutMs, LONGEST_TIMER),
    );
  });
}
