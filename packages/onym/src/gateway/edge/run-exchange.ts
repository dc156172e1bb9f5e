// One request through the front: it always comes to a reply, and nothing is sent for it after that.

import type { Log } from "../../observe/log.js";
import type { RpcRequest } from "../../rpc/message.js";
import { CODES } from "../../rpc/protocol.js";
import { errorReply, type Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { Exchange, Front } from "../front.js";
import type { Carrier } from "./carrier.js";
import { formatNotice } from "./format-message.js";

export interface Run {
  readonly front: Front;
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Takes what comes before the answer. */
  readonly carrier: Carrier;
  readonly ask: Exchange["ask"];
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly log: Log;
  /** The front has finished, even where the request was aborted long before. */
  readonly onEnd: () => void;
}

/** `undefined` as soon as the signal is aborted: an aborted exchange may answer late, and nobody waits for it. */
export function runExchange(run: Run): Promise<Reply | undefined> {
  const { signal, carrier, ask, headers, onEnd } = run;
  let open = true;
  const exchange: Exchange = {
    signal,
    tell: (notice) => {
      if (open && !signal.aborted) carrier.send(formatNotice(notice));
    },
    ask,
    headers,
  };
  return new Promise((resolve) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    respond(run, exchange).then((reply) => {
      open = false;
      signal.removeEventListener("abort", onAbort);
      onEnd();
      resolve(signal.aborted ? undefined : reply);
    });
  });
}

async function respond({ front, request, caller, log }: Run, exchange: Exchange): Promise<Reply> {
  try {
    return await front.respond(request, caller, exchange);
  } catch (error) {
    log("error", "a request failed inside the gateway", { method: request.method, error: String(error) });
    return errorReply(CODES.internal, "Internal error");
  }
}
