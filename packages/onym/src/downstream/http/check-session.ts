// Whether a legacy HTTP server turned a request away because it does not know the session any more.

import { isJsonObject } from "../../mcp/json.js";
import { parseJson } from "../../mcp/parse-json.js";
import type { HttpFailure } from "./http-client.js";
import type { HttpAnswer, HttpBody } from "./http-delivery.js";
import { readText } from "./read-messages.js";

export type SessionState =
  /** `isUntaken`: the server said so before it looked at the request, which may be sent again. */
  | { readonly kind: "gone"; readonly isUntaken: boolean }
  /** The answer, to be read on. */
  | { readonly kind: "kept"; readonly answer: HttpAnswer | HttpFailure };

const ERROR_BYTES = 65_536;

/** 404 by the specification; many servers say 400 and speak of the session. */
export function mayHaveLostSession(answer: HttpAnswer | HttpFailure): boolean {
  return answer.kind === "answer" && (answer.status === 404 || answer.status === 400);
}

/**
 * A 400 that speaks of a session may be a tool's own answer about a session of its own. So the server is asked: `ping` is
 * refused in the same way where the session of the connection is gone.
 */
export async function checkSession(
  answer: HttpAnswer | HttpFailure,
  ping: () => Promise<HttpAnswer | HttpFailure>,
): Promise<SessionState> {
  if (answer.kind === "failed" || !mayHaveLostSession(answer)) return { kind: "kept", answer };
  if (answer.status === 404) {
    answer.body.drop();
    return { kind: "gone", isUntaken: true };
  }
  const text = await readText(answer, ERROR_BYTES);
  const kept: SessionState = { kind: "kept", answer: { ...answer, body: bodyOf(text) } };
  if (!/\bsession\b/i.test(text)) return kept;
  const pinged = await ping();
  if (pinged.kind === "failed") return kept;
  pinged.body.drop();
  return mayHaveLostSession(pinged) ? { kind: "gone", isUntaken: hasNoId(text) } : kept;
}

/** An error without the id of the request: it was refused before it was read. */
function hasNoId(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) && (parsed.value["id"] ?? null) === null;
}

/** What was read already, to be read again. */
function bodyOf(text: string): HttpBody {
  return {
    read: ({ onBytes, onEnd }) => {
      onBytes(Buffer.from(text));
      onEnd(true);
    },
    pause: () => {},
    resume: () => {},
    drop: () => {},
  };
}
