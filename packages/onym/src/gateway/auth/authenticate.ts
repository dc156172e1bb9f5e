// What an edge asks about each request: who is this? The answer is at hand for most, so it is only waited for where it
// must be fetched.

import type { CallerTerms } from "../router.js";

export type Authenticate = (headers: ReadonlyMap<string, string>) => AuthResult | Promise<AuthResult>;

export type AuthResult = KnownCaller | RefusedCaller;

export interface KnownCaller extends CallerTerms {
  readonly outcome: "known";
  readonly principal: string;
  /** Nobody has to prove who it is here: all that is known of this caller is where it connects from. */
  readonly isAnonymous: boolean;
  readonly proof: Proof;
}

/** For how long a caller is who it has proved to be. */
export interface Proof {
  /** When it ends by itself, ms since 1970. */
  readonly until: number | undefined;
  /** The caller can come back with another one, as OAuth clients do all the time. */
  readonly isRenewable: boolean;
  /** Whether the same caller with the same rights would be let in by it now, its end aside. */
  readonly counts: () => boolean;
}

export interface RefusedCaller {
  readonly outcome: "refused";
  /** 503: it cannot be told now. */
  readonly status: 401 | 403 | 503;
  /** For `WWW-Authenticate`; `undefined` with 503. */
  readonly challenge: string | undefined;
  /** For people. Holds nothing of what was sent. */
  readonly reason: string;
}

/** The token of `Authorization: Bearer …`; `undefined` where there is none, or more than one. */
export function bearerOf(headers: ReadonlyMap<string, string>): string | undefined {
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(headers.get("authorization") ?? "");
  return match?.[1];
}
