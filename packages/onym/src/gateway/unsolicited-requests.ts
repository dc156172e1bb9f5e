// Questions of a downstream outside any request, such as roots/list after the handshake: they go to the one client
// that could be meant. Where there are several, none is guessed.

import type { Downstream, Question, UnaskedReceiver } from "../downstream/downstream.js";
import { CODES } from "../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../mcp/reply.js";
import type { Log } from "../model/log.js";
import type { Session } from "./caller.js";
import { nameAsker } from "./forward/label-server-requests.js";

const NEEDED: ReadonlyMap<string, string> = new Map([
  ["roots/list", "roots"],
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
]);

export async function answerUnasked(input: {
  readonly question: Question;
  readonly signal: AbortSignal;
  /** Who made every request so far: a question that is not about roots is about one of them. */
  readonly receiver: UnaskedReceiver;
  readonly sessions: ReadonlySet<Session>;
  /** Modern callers whose requests are under way: the question may be about one of these. */
  readonly visitors?: { readonly size: number };
  readonly downstream: Downstream;
  /** Whether a client may see anything of the server that asks (POL-9). */
  readonly reaches: (session: Session) => boolean;
  readonly log: Log;
}): Promise<Reply> {
  const { question, signal, receiver, sessions, visitors = { size: 0 }, downstream, reaches, log } = input;
  const needed = NEEDED.get(question.method);
  const [only] = sessions;
  if (
    sessions.size === 1 &&
    visitors.size === 0 &&
    only?.ready === true &&
    reaches(only) &&
    (needed === "roots" || isReceiver(only, receiver)) &&
    needed !== undefined &&
    Object.hasOwn(only.capabilities, needed)
  )
    return only.outlet.ask(nameAsker(question, downstream.id), signal);
  if (question.method === "roots/list") return resultReply({ roots: [] });
  log("debug", "question of a server, for no one client", {
    server: downstream.id.server,
    method: question.method,
  });
  return errorReply(
    CODES.methodNotFound,
    `${question.method} cannot be answered now: it belongs to no request, and ${
      sessions.size + visitors.size > 1 ? "several clients are connected" : "no connected client supports it"
    }.`,
  );
}

export function isReceiver({ id }: Session, receiver: UnaskedReceiver): boolean {
  return receiver === "anybody" || (receiver !== "nobody" && receiver.caller === id);
}
