// Requests of a server outside any client request, such as roots/list after the handshake. They go to the
// only possible client; with several candidates, the gateway does not guess.

import type { Downstream, ServerRequest, UnsolicitedReceiver } from "../downstream/downstream.js";
import { errorReply, type Reply, resultReply } from "../mcp/message.js";
import { CODES } from "../mcp/protocol.js";
import type { Log } from "../model/log.js";
import type { Session } from "./caller.js";
import { labelServerRequest } from "./forward/label-server-requests.js";

const NEEDED: ReadonlyMap<string, string> = new Map([
  ["roots/list", "roots"],
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
]);

export async function answerUnsolicited(input: {
  readonly serverRequest: ServerRequest;
  readonly signal: AbortSignal;
  /** Which clients made requests so far: a server request that is not about roots concerns one of them. */
  readonly receiver: UnsolicitedReceiver;
  readonly sessions: ReadonlySet<Session>;
  /** Modern callers with requests in flight: the server request may concern one of them. */
  readonly modernCallers?: { readonly size: number };
  readonly downstream: Downstream;
  /** Whether a client may see anything of the requesting server (POL-9). */
  readonly reaches: (session: Session) => boolean;
  readonly log: Log;
}): Promise<Reply> {
  const {
    serverRequest,
    signal,
    receiver,
    sessions,
    modernCallers = { size: 0 },
    downstream,
    reaches,
    log,
  } = input;
  const needed = NEEDED.get(serverRequest.method);
  const [only] = sessions;
  if (
    sessions.size === 1 &&
    modernCallers.size === 0 &&
    only?.ready === true &&
    reaches(only) &&
    (needed === "roots" || isReceiver(only, receiver)) &&
    needed !== undefined &&
    Object.hasOwn(only.capabilities, needed)
  )
    return only.channel.sendRequest(labelServerRequest(serverRequest, downstream.id), signal);
  if (serverRequest.method === "roots/list") return resultReply({ roots: [] });
  log("debug", "server request for no one client", {
    server: downstream.id.server,
    method: serverRequest.method,
  });
  return errorReply(
    CODES.methodNotFound,
    `${serverRequest.method} cannot be answered now: it belongs to no request, and ${
      sessions.size + modernCallers.size > 1
        ? "several clients are connected"
        : "no connected client supports it"
    }.`,
  );
}

/**
 * Servers request the roots again; their request reaches the only client. One that asked before the client was
 * ready got none.
 */
export function announceRoots(sessions: ReadonlySet<Session>, downstreams: Iterable<Downstream>): void {
  const [only] = sessions;
  if (sessions.size !== 1 || only?.ready !== true || !Object.hasOwn(only.capabilities, "roots")) return;
  for (const downstream of downstreams) downstream.notify("notifications/roots/list_changed");
}

export function isReceiver({ id }: Session, receiver: UnsolicitedReceiver): boolean {
  return receiver === "anybody" || (receiver !== "nobody" && receiver.caller === id);
}
