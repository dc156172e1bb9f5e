// Whether a legacy HTTP server turned a request away because it does not know the session any more.

import type { HttpAnswer, HttpFailure } from "./http-client.js";
import type { HttpBody } from "./http-delivery.js";
import { readText } from "./read-messages.js";

export type SessionState =
  | { readonly kind: "gone" }
  /** The answer, to be read on. */
  | { readonly kind: "kept"; readonly answer: HttpAnswer | HttpFailure };

const ERROR_BYTES = 65_536;

/** 404 by the specification; many servers say 400 and speak of the session. Neither has taken the request. */
export function mayHaveLostSession(answer: HttpAnswer | HttpFailure): boolean {
  return answer.kind === "answer" && (answer.status === 404 || answer.status === 400);
}

export async function checkSession(answer: HttpAnswer | HttpFailure): Promise<SessionState> {
  if (answer.kind === "failed" || !mayHaveLostSession(answer)) return { kind: "kept", answer };
  if (answer.status === 404) {
    answer.body.drop();
    return { kind: "gone" };
  }
  const text = await readText(answer, ERROR_BYTES);
  if (/\bsession\b/i.test(text)) return { kind: "gone" };
  return { kind: "kept", answer: { ...answer, body: bodyOf(text) } };
}

/** What was read already, to be read again. */
function bodyOf(text: string): HttpBody {
  return {
    read: ({ onBytes, onEnd }) => {
      onBytes(Buffer.from(text));
      onEnd(true);
    },
    drop: () => {},
  };
}
