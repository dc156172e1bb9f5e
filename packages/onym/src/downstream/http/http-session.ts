// The session of a legacy HTTP connection: what its requests carry, and how it ends.

import type { CancelSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { HttpClient, HttpFailure } from "./http-client.js";
import type { HttpAnswer } from "./http-delivery.js";

export interface HttpSession {
  /** `undefined` where the server keeps no sessions, or before one has begun. */
  readonly id: string | undefined;
  readonly begin: (id: string | undefined) => void;
  /** The revision that both sides speak from now on. */
  readonly agree: (revision: string) => void;
  readonly post: (body: string | Buffer, signal?: CancelSignal) => Promise<HttpAnswer | HttpFailure>;
  /** Opens the stream of the server's own messages, or takes up a broken one after an event. */
  readonly resume: (
    lastEventId: string | undefined,
    signal: CancelSignal,
  ) => Promise<HttpAnswer | HttpFailure>;
  /** Tells the server, where there is a session, and does not wait long. */
  readonly end: () => Promise<void>;
}

const END_MS = 1000;

export function createHttpSession(client: HttpClient): HttpSession {
  let id: string | undefined;
  let revision: string | undefined;
  /** Of a POST; the same for all, until the session changes. */
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
