// The answers to a batch: its requests run in turns, and what they are answered has a limit (SAFE-4, SAFE-5).

import { errorReply, type Message, type Reply, type RequestId, type RpcRequest } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { lengthOf } from "../http/responses/create-stream-log.js";
import { errorOf, type Refusal } from "../http/responses/refusal.js";
import type { FormattedMessage } from "../http/responses/sse-writer.js";
import { formatMessage } from "../http/responses/write-response.js";

export interface BatchPorts {
  /** Calls `finish` once, with `undefined` if there is no reply. */
  readonly answer: (request: RpcRequest, finish: (reply: Reply | undefined) => void) => void;
  /** Takes what is no request. */
  readonly accept: (message: Exclude<Message, { kind: "request" }>) => void;
  /** Counts one more request; the refusal if its caller makes too many. */
  readonly countNext: () => Refusal | undefined;
}

/** An answer to each request that was not cancelled, in the order of the requests. */
export async function answerBatch(
  messages: readonly Message[],
  { answer, accept, countNext }: BatchPorts,
): Promise<readonly FormattedMessage[]> {
  const room = new BatchRoom();
  const answerOne = (request: RpcRequest): Promise<FormattedMessage | undefined> =>
    new Promise((resolve) => {
      answer(request, (reply) => resolve(reply === undefined ? undefined : room.format(request.id, reply)));
    });
  const answers: (FormattedMessage | undefined | Promise<FormattedMessage | undefined>)[] = [];
  for (const each of messages) {
    if (each.kind !== "request") {
      accept(each);
      continue;
    }
    const { message } = each;
    // The first was counted when it arrived.
    const tooFast = answers.length > 0 ? countNext() : undefined;
    if (room.isFull) answers.push(room.format(message.id, TOO_MUCH_FOR_A_BATCH));
    else answers.push(tooFast === undefined ? answerOne(message) : room.format(message.id, errorOf(tooFast)));
    // As many turns as if they had come one by one (SAFE-4).
    await new Promise(setImmediate);
  }
  return (await Promise.all(answers)).filter((each) => each !== undefined);
}

/** As one message; `undefined` if there is none. Lists that callers share stay the bytes that they are (SAFE-4). */
export function joinAnswers(answers: readonly FormattedMessage[]): FormattedMessage | undefined {
  if (answers.length === 0) return undefined;
  if (answers.every((answer) => typeof answer === "string")) return `[${answers.join(",")}]`;
  const pieces = answers.flatMap((answer, at) => [
    at === 0 ? BATCH_START : COMMA,
    ...(typeof answer === "string" ? [Buffer.from(answer)] : answer),
  ]);
  return [...pieces, BATCH_END];
}

const BATCH_START = Buffer.from("[");
const COMMA = Buffer.from(",");
const BATCH_END = Buffer.from("]");

/** Counts the answers of one batch: once one is too much, it and all later ones say so instead. */
class BatchRoom {
  #length = 0;
  isFull = false;

  format(id: RequestId, reply: Reply): FormattedMessage {
    const answer = formatMessage(id, reply);
    const length = typeof answer === "string" ? Buffer.byteLength(answer) : lengthOf(answer);
    this.isFull ||= this.#length + length > MAX_BATCH_BYTES;
    if (this.isFull) return formatMessage(id, TOO_MUCH_FOR_A_BATCH);
    this.#length += length;
    return answer;
  }
}

/** Maximum bytes of all answers of a batch. What comes after that is not run. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

const TOO_MUCH_FOR_A_BATCH = errorReply(
  CODES.internal,
  `The answers of this batch would have more than ${MAX_BATCH_BYTES} bytes. Send this request by itself.`,
  { limit: "batchBytes", max: MAX_BATCH_BYTES },
);
