// Open requests of servers to clients with a session, which respond within the call (up to 2025-11-25). A request is withdrawn when
// its call may no longer go on: decisions, tools and servers change while a user thinks (POL-9).

import type { Reply } from "../../mcp/message.js";

interface OpenRequest {
  /** Whether the response may still reach the server. */
  readonly mayGoOn: () => boolean;
  readonly send: (signal: AbortSignal) => Promise<Reply>;
  /** Aborted when the server withdraws the request. */
  readonly signal: AbortSignal;
}

export interface SessionRequests {
  /** Sends a request; `undefined` if the call may not go on by the time of the response, or before. */
  readonly send: (request: OpenRequest) => Promise<Reply | undefined>;
  /** Withdraws the requests of calls that may no longer go on. Call it when decisions may have changed. */
  readonly endRefused: () => void;
}

export function createSessionRequests(): SessionRequests {
  const open = new Set<() => void>();
  return {
    async send({ mayGoOn, send, signal }) {
      const refused = new AbortController();
      const check = (): void => {
        if (!mayGoOn()) refused.abort();
      };
      open.add(check);
      try {
        const reply = await send(AbortSignal.any([signal, refused.signal]));
        check();
        return refused.signal.aborted ? undefined : reply;
      } finally {
        open.delete(check);
      }
    },
    endRefused() {
      for (const check of [...open]) check();
    },
  };
}
