// Identifies the caller of each request. Most results are available synchronously; only those that need a
// fetch are promises.

import type { CallerTerms } from "../../model/auth-settings.js";

export type Authenticate = (headers: ReadonlyMap<string, string>) => AuthResult | Promise<AuthResult>;

export type AuthResult = KnownCaller | RefusedCaller;

export interface KnownCaller extends CallerTerms {
  readonly outcome: "known";
  readonly principal: string;
  /** No authentication is required: only the network address of this caller is known. */
  readonly isAnonymous: boolean;
  readonly proof: Proof;
}

/** How long the authentication of a caller is valid. */
export interface Proof {
  /** When it expires, in ms since 1970. */
  readonly until: number | undefined;
  /** The caller can return with a new proof, as OAuth clients do. */
  readonly isRenewable: boolean;
  /** Whether it would admit the same caller with the same rights now, apart from its expiry. */
  readonly counts: () => boolean;
}

export interface RefusedCaller {
  readonly outcome: "refused";
  /** `auth-unavailable`: the token cannot be checked now. */
  readonly code: "unauthenticated" | "forbidden" | "auth-unavailable";
  /** For `WWW-Authenticate`; `undefined` with `auth-unavailable`. */
  readonly challenge: string | undefined;
  /** For people. Contains nothing that the client sent. */
  readonly reason: string;
}

/** The token of `Authorization: Bearer …`; `undefined` if there is none, or more than one. */
export function bearerOf(headers: ReadonlyMap<string, string>): string | undefined {
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(headers.get("authorization") ?? "");
  return match?.[1];
}
