// The session of a legacy HTTP connection: its request headers, and how it ends.

import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import { isJsonObject, parseJson } from "../../mcp/json.js";
import type { HttpClient, HttpFailure } from "./http-client.js";
import type { HttpAnswer, HttpBody } from "./http-delivery.js";
import { readText } from "./read-messages.js";

export interface ServerSession {
  /** `undefined` if the server has no sessions, or before one is open. */
  readonly id: string | undefined;
  readonly begin: (id: string | undefined) => void;
  /** Sets the negotiated revision. */
  readonly agree: (revision: string) => void;
  readonly post: (body: string | Buffer, signal?: CancelSignal) => Promise<HttpAnswer | HttpFailure>;
  /** Opens the stream of the server's own messages, or resumes a broken one after an event. */
  readonly resume: (
    lastEventId: string | undefined,
    signal: CancelSignal,
  ) => Promise<HttpAnswer | HttpFailure>;
  /** Ends the session at the server, if there is one, with a short timeout. */
  readonly end: () => Promise<void>;
}

const END_MS = 1000;

export function createServerSession(client: HttpClient): ServerSession {
  let id: string | undefined;
  let revision: string | undefined;
  /** The headers of a POST; the same until the session changes. */
  let posting: ReadonlyMap<string, string> | undefined;
  const headers = (more: readonly (readonly [string, string])[]): ReadonlyMap<string, string> => {
    const built = new Map(more);
    if (id !== undefined) built.set("mcp-session-id", id);
    if (revision !== undefined) built.set("mcp-protocol-version", revision);
    return built;
  };
  return {
    get id() {
      return id;
    },
    begin: (begun) => {
      id = begun;
      revision = undefined;
      posting = undefined;
    },
    agree: (agreed) => {
      revision = agreed;
      posting = undefined;
    },
    post: (body, signal) => {
      posting ??= headers([
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
      ]);
      return client.request({ method: "POST", headers: posting, body, signal });
    },
    resume: (lastEventId, signal) =>
      client.request({
        method: "GET",
        headers: headers([
          ["accept", "text/event-stream"],
          ...(lastEventId === undefined ? [] : [["last-event-id", lastEventId] as const]),
        ]),
        signal,
      }),
    end: async () => {
      if (id === undefined) return;
      const answer = await client.request({
        method: "DELETE",
        headers: headers([]),
        signal: AbortSignal.timeout(END_MS),
      });
      if (answer.kind === "answer") answer.body.drop();
    },
  };
}

// Checks whether a legacy HTTP server refused a request because it no longer knows the session.

type SessionState =
  /** `isUntaken`: the server refused before it processed the request, which may be sent again. */
  | { readonly kind: "gone"; readonly isUntaken: boolean }
  /** The response, to be read further. */
  | { readonly kind: "kept"; readonly answer: HttpAnswer | HttpFailure };

const ERROR_BYTES = 65_536;

/** 404 by the specification; many servers send 400 and mention the session. */
export function mayHaveLostSession(answer: HttpAnswer | HttpFailure): boolean {
  return answer.kind === "answer" && (answer.status === 404 || answer.status === 400);
}

/**
 * A 400 that mentions a session may be a tool's own reply about some other session. So ask the server: it
 * refuses `ping` in the same way if the connection's session is gone.
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

/** An error without the request's id: it was refused before it was parsed. */
function hasNoId(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) && (parsed.value["id"] ?? null) === null;
}

/** Makes text that was already read readable again. */
function bodyOf(text: string): HttpBody {
  return {
    read: ({ onBytes, onEnd }) => {
      onBytes(Buffer.from(text));
      onEnd(true);
    },
    pause: () => {},
    resume: () => {},
    drop: () => {},
    discard: () => {},
  };
}
