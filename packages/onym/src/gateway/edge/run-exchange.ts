// One request through the front: it always comes to a reply, and nothing is sent for it after that.

import type { Log } from "../../observe/log.js";
import { type CancelSignal, createCancelSource } from "../../rpc/cancel-signal.js";
import type { RpcRequest } from "../../rpc/message.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Exchange, Front } from "../front.js";
import { type Carrier, sendNotice } from "./carrier.js";

export interface Run {
  readonly front: Front;
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** Takes what comes before the answer. */
  readonly carrier: Carrier;
  /** Puts a question to the client; the signal is that of the request. */
  readonly ask: ((signal: CancelSignal) => NonNullable<Exchange["ask"]>) | undefined;
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly log: Log;
  /** The front has finished, even where the request was cancelled long before. */
  readonly onEnd: () => void;
}

export interface Running {
  /** `undefined` as soon as it is cancelled: the front may answer late then, and nobody waits for it. */
  readonly reply: Promise<Reply | undefined>;
  /** Does nothing once there is a reply. */
  readonly cancel: () => void;
}

export function runExchange(run: Run): Running {
  const { carrier, ask, headers, onEnd } = run;
  let open = true;
  let resolve: (reply: Reply | undefined) => void;
  const reply = new Promise<Reply | undefined>((settle) => {
    resolve = settle;
  });
  const { signal, cancel } = createCancelSource();
  const exchange: Exchange = {
    signal,
    tell: (notice) => {
      if (open) sendNotice(carrier, notice);
    },
    ask: ask === undefined ? undefined : (question, asking) => ask(signal)(question, asking),
    headers,
  };
  const settle = (replied: Reply): void => {
    open = false;
    onEnd();
    resolve(replied);
  };
  const fail = (error: unknown): void => {
    run.log("error", "a request failed inside the gateway", {
      method: run.request.method,
      error: String(error),
    });
    settle(errorReply(CODES.internal, "Internal error"));
  };
  try {
    run.front.respond(run.request, run.caller, exchange).then(settle, fail);
  } catch (error) {
    // Nobody knows of this run before it is returned.
    queueMicrotask(() => fail(error));
  }
  return {
    reply,
    cancel: () => {
      if (!open) return;
      open = false;
      cancel();
      resolve(undefined);
    },
  };
}
