// The sessions of an HTTP edge: bounded in number, found by id, dropped when nothing was heard of them for long.

import type { CallerShare } from "../sessions/create-quotas.js";
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
   * Makes room among the sessions of one caller: drops one with nothing in flight, one that was never used rather than the
   * one that has been idle longest. `false` where all are busy.
   */
  readonly evictOwn: (caller: CallerShare, now: number) => boolean;
  /**
   * Makes room for a caller among all: drops one with nothing in flight, of the caller that has most of them. Where there
   * is none, a caller that has more than this one loses one that only listens. `false` where all are busy.
   */
  readonly evictFor: (caller: CallerShare, now: number) => boolean;
  readonly close: () => void;
}

/** A client has this long between `initialize` and `notifications/initialized` before its session counts as never used. */
const HANDSHAKE_MS = 5_000;

export function createSessionTable(idleMs: number): SessionTable {
  /** The one that was heard of last comes last. */
  const sessions = new Map<string, HttpSession>();
  const remove = (session: HttpSession) => {
    if (sessions.delete(session.id)) session.share.release("sessions");
    session.close();
  };
  const hasRequests = ({ inFlight }: HttpSession) => inFlight.count > 0;
  const isBusy = (session: HttpSession) => hasRequests(session) || session.standalone.isAttached();
  /** Of some, the first of the caller that has most; those never used come before the others. */
  const removeOne = (candidates: readonly HttpSession[], now: number): boolean => {
    const wasUsed = ({ session, lastSeen }: HttpSession) => session.ready || now - lastSeen <= HANDSHAKE_MS;
    const [first] = candidates.toSorted(
      (a, b) => b.share.sessions - a.share.sessions || Number(wasUsed(a)) - Number(wasUsed(b)),
    );
    if (first !== undefined) remove(first);
    return first !== undefined;
  };
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
    evictOwn: (caller, now) =>
      removeOne(
        [...sessions.values()].filter((session) => session.share === caller && !isBusy(session)),
        now,
      ),
    evictFor(caller, now) {
      const all = [...sessions.values()];
      return (
        removeOne(
          all.filter((session) => !isBusy(session)),
          now,
        ) ||
        removeOne(
          all.filter((session) => !hasRequests(session) && session.share.sessions > caller.sessions + 1),
          now,
        )
      );
    },
    close() {
      for (const session of [...sessions.values()]) remove(session);
    },
  };
}
