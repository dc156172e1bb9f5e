// The sessions of an HTTP edge: bounded in number, found by id, dropped when nothing was heard of them for long.

import type { HttpSession } from "./create-http-session.js";

export interface SessionTable {
  readonly size: number;
  readonly add: (session: HttpSession) => void;
  readonly find: (id: string) => HttpSession | undefined;
  readonly remove: (session: HttpSession) => void;
  /** Drops the sessions that have been idle for too long. */
  readonly sweep: (now: number) => void;
  readonly close: () => void;
}

export function createSessionTable(idleMs: number): SessionTable {
  const sessions = new Map<string, HttpSession>();
  const remove = (session: HttpSession) => {
    sessions.delete(session.id);
    session.close();
  };
  const isBusy = ({ conversation, standalone }: HttpSession) =>
    conversation.underWay > 0 || standalone.isAttached();
  return {
    get size() {
      return sessions.size;
    },
    add: (session) => void sessions.set(session.id, session),
    find: (id) => sessions.get(id),
    remove,
    sweep(now) {
      for (const session of [...sessions.values()]) {
        if (isBusy(session)) session.lastSeen = now;
        else if (now - session.lastSeen > idleMs) remove(session);
      }
    },
    close() {
      for (const session of [...sessions.values()]) remove(session);
    },
  };
}
