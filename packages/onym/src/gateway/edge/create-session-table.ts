// The sessions of an HTTP edge: bounded in number, found by id, dropped when nothing was heard of them for long.

import type { HttpSession } from "./create-http-session.js";

export interface SessionTable {
  readonly size: number;
  readonly add: (session: HttpSession) => void;
  readonly find: (id: string) => HttpSession | undefined;
  /** Something was heard of it. */
  readonly touch: (session: HttpSession, now: number) => void;
  readonly remove: (session: HttpSession) => void;
  /** Drops the sessions that have been idle for too long. */
  readonly sweep: (now: number) => void;
  /**
   * Makes room: drops a session with nothing in flight, of the caller that has most of them; one that was never used
   * rather than the one that has been idle longest. `false` where all are busy.
   */
  readonly evict: () => boolean;
  readonly close: () => void;
}

export function createSessionTable(idleMs: number): SessionTable {
  /** The one that was heard of last comes last. */
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
    touch(session, now) {
      session.lastSeen = now;
      sessions.delete(session.id);
      sessions.set(session.id, session);
    },
    remove,
    sweep(now) {
      for (const session of [...sessions.values()]) {
        if (isBusy(session)) session.lastSeen = now;
        else if (now - session.lastSeen > idleMs) remove(session);
      }
    },
    evict() {
      const idle = [...sessions.values()].filter((session) => !isBusy(session));
      const counts = new Map<string, number>();
      for (const { holder } of sessions.values()) counts.set(holder, (counts.get(holder) ?? 0) + 1);
      const countOf = ({ holder }: HttpSession): number => counts.get(holder) ?? 0;
      const [first] = idle.sort(
        (a, b) => countOf(b) - countOf(a) || Number(a.session.ready) - Number(b.session.ready),
      );
      if (first !== undefined) remove(first);
      return first !== undefined;
    },
    close() {
      for (const session of [...sessions.values()]) remove(session);
    },
  };
}
