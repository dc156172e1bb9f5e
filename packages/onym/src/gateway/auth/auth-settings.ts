// Who may connect over HTTP, as the operator says it: tokens of Onym's own, and authorization servers.

import type { CallerTerms } from "../router.js";

export interface AuthSettings {
  readonly tokens: readonly TokenSettings[];
  readonly oauth: readonly IssuerSettings[];
}

export interface TokenSettings extends CallerTerms {
  readonly name: string;
  /** SHA-256 of the token, in lower-case hex. */
  readonly hash: string;
  /** From this moment on it works no more. */
  readonly expiresAt: number | undefined;
}

export interface IssuerSettings {
  readonly issuer: string;
  /** Empty: the address of the gateway. */
  readonly audience: readonly string[];
  readonly jwksUri: string | undefined;
  /** What every token of it must have. */
  readonly scopes: readonly string[];
  /** What callers get: the first that fits, and whom none fits is refused. `undefined`: everybody gets everything. */
  readonly map: readonly GrantSettings[] | undefined;
}

export interface GrantSettings extends CallerTerms {
  readonly claims: Readonly<Record<string, string>>;
  readonly scope: string | undefined;
}
