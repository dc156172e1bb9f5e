// The sessions of an HTTP edge: limited in number, found by id, dropped when idle for too long.

import { LEGACY_REVISIONS } from "../../mcp/protocol.js";
import { sessionOwnerOf } from "../sessions/caller-key.js";
import type { CallerShare } from "../sessions/create-quotas.js";
import type { HttpSession } from "./create-http-session.js";
import type { HttpExchange } from "./http-exchange.js";
import type { Refusal } from "./responses/refusal.js";
import { badRequest } from "./responses/write-response.js";
import { explainUnknownSession } from "./session-id.js";

interface SessionTable {
  readonly size: number;
  readonly add: (session: HttpSession) => void;
  readonly find: (id: string) => HttpSession | undefined;
  /** Call on any activity of the session. */
  readonly touch: (session: HttpSession, now: number) => void;
  readonly remove: (session: HttpSession) => void;
  /** Drops sessions that have been idle for too long. */
  readonly sweep: (now: number) => void;
  /**
   * Makes room among the sessions of one caller: drops one with nothing in flight, preferably one that was
   * never used, else the longest idle. `false` if all are busy.
   */
  readonly evictOwn: (caller: CallerShare, now: number) => boolean;
  /**
   * Makes room for a caller among all sessions: drops one with nothing in flight, from the caller with the
   * most of them. Otherwise a caller with more sessions than this one loses one that only listens. `false` if
   * all are busy.
   */
  readonly evictFor: (caller: CallerShare, now: number) => boolean;
  readonly close: () => void;
}

/** A client has this long between `initialize` and `notifications/initialized` before its session counts as never used. */
const HANDSHAKE_MS = 5_000;

export function createSessionTable(idleMs: number): SessionTable {
  /** Least recently active first. */
  const sessions = new Map<string, HttpSession>();
  const remove = (session: HttpSession) => {
    if (sessions.delete(session.id)) session.share.release("sessions");
    session.close();
  };
  const hasRequests = ({ inFlight }: HttpSession) => inFlight.count > 0;
  const isBusy = (session: HttpSession) => hasRequests(session) || session.standalone.isAttached();
  /** Picks the first candidate of the caller with the most; never-used sessions come first. */
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

// Finds the session of a request, or the reason why there is none.

type Asking = Pick<HttpExchange, "headers" | "hints">;

type Entered =
  | { readonly kind: "session"; readonly session: HttpSession }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Another caller's session gets the same reply as an unknown one. */
export function findSession(table: SessionTable, { headers, hints }: Asking): Entered {
  const id = headers.get("mcp-session-id");
  if (id === undefined) {
    return refused(
      badRequest(
        "Bad Request: the Mcp-Session-Id header is required. Send initialize first. " +
          `A client of the older SSE transport connects to ${sseAddress(hints)} instead.`,
      ),
    );
  }
  const session = table.find(id);
  if (session === undefined || session.holder !== sessionOwnerOf(hints)) {
    const message = explainUnknownSession(id, "Send initialize again.");
    return refused({ code: "session-not-found", message });
  }
  const version = headers.get("mcp-protocol-version");
  if (version === undefined || (LEGACY_REVISIONS as readonly string[]).includes(version.trim())) {
    return { kind: "session", session };
  }
  const supported = LEGACY_REVISIONS.join(", ");
  return refused(badRequest(`Bad Request: unsupported MCP-Protocol-Version (supported: ${supported})`));
}

/** The HTTP+SSE endpoint for the same names. */
function sseAddress({ profile, as }: HttpExchange["hints"]): string {
  const path = profile === undefined ? "/sse" : `/sse/${encodeURIComponent(profile.slice(0, MAX_SHOWN))}`;
  return as === undefined ? path : `${path}?as=${encodeURIComponent(as.slice(0, MAX_SHOWN))}`;
}

/** Maximum length of a quoted URL part, in characters. */
const MAX_SHOWN = 100;

function refused(refusal: Refusal): Entered {
  return { kind: "refused", refusal };
}
