// Open questions of servers to clients with a session, which answer within the call (up to 2025-11-25). A question ends when its
// call may no longer go on: decisions, tools and servers change while a user thinks (POL-9).

import type { Reply } from "../../mcp/message.js";

interface OpenQuestion {
  /** Whether the answer may still reach the server. */
  readonly mayGoOn: () => boolean;
  readonly put: (signal: AbortSignal) => Promise<Reply>;
  /** Aborted when the server withdraws the question. */
  readonly signal: AbortSignal;
}

export interface SessionQuestions {
  /** Asks the client; `undefined` if the call may not go on by the answer, or before. */
  readonly ask: (question: OpenQuestion) => Promise<Reply | undefined>;
  /** Withdraws the questions of calls that may no longer go on. Call it when decisions may have changed. */
  readonly endRefused: () => void;
}

export function createSessionQuestions(): SessionQuestions {
  const open = new Set<() => void>();
  return {
    async ask({ mayGoOn, put, signal }) {
      const refused = new AbortController();
      const look = (): void => {
        if (!mayGoOn()) refused.abort();
      };
      open.add(look);
      try {
        const reply = await put(AbortSignal.any([signal, refused.signal]));
        look();
        return refused.signal.aborted ? undefined : reply;
      } finally {
        open.delete(look);
      }
    },
    endRefused() {
      for (const look of [...open]) look();
    },
  };
}
