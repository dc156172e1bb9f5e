// Who looks at the console with a request: by the token of a session of the console, or as a caller of the gateway.

import { bearerOf } from "../../gateway/auth/authenticate.js";
import type { Authenticator } from "../../gateway/auth/create-authenticator.js";
import type { EdgeCallers } from "../../gateway/http/create-http-edge.js";
import { type CallerShare, callerKey } from "../../gateway/sessions/edge-callers.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { ConsoleContext } from "../console-context.js";
import type { ConsoleSessions, Viewer } from "../viewer.js";

/** A viewer, its share of the gateway, and until when it is signed in. */
export interface SignedIn {
  readonly viewer: Viewer;
  readonly share: CallerShare;
  /** Calls `end` when it is no longer let in; returns a function that stops that. */
  readonly hold: (end: () => void) => () => void;
  readonly isSignedIn: () => boolean;
}

interface FindViewerOptions {
  readonly context: Pick<ConsoleContext, "config">;
  readonly sessions: ConsoleSessions;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly callers: Pick<EdgeCallers, "quotas" | "admissions">;
}

/** `undefined` if nobody is signed in. */
export async function findViewer(
  headers: ReadonlyMap<string, string>,
  { context, sessions, authenticator, callers }: FindViewerOptions,
): Promise<SignedIn | undefined> {
  const { quotas, admissions } = callers;
  const token = bearerOf(headers);
  if (token === undefined) return undefined;
  if (sessions.isSession(token))
    return {
      viewer: { principal: LOCAL_PRINCIPAL, confinedTo: undefined, isOperator: true },
      share: quotas.of({ key: "console", isShared: false }),
      hold: () => () => {},
      isSignedIn: () => sessions.isSession(token),
    };
  // Without "auth" everybody is let in as a caller. Here that takes the link.
  if (context.config().auth === undefined) return undefined;
  const who = await authenticator.authenticate(headers);
  if (who.outcome === "refused" || who.isAnonymous) return undefined;
  return {
    viewer: { principal: who.principal, confinedTo: who.toolboxes, isOperator: false },
    share: quotas.of(callerKey(who.principal, undefined)),
    hold: (end) => admissions.hold(who.proof, "proof", end),
    isSignedIn: () => true,
  };
}
