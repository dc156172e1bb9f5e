// Who may connect over HTTP, from the config: Onym's own tokens, and authorization servers.

/** The principal of callers without a token: over stdio, or where nobody needs one. No token may have this name. */
export const LOCAL_PRINCIPAL = "local";

export interface AuthSettings {
  readonly tokens: readonly TokenSettings[];
  readonly oauth: readonly IssuerSettings[];
}

export interface TokenSettings extends CallerTerms {
  readonly name: string;
  /** SHA-256 of the token, in lower-case hex. */
  readonly hash: string;
  /** The token is not valid from this time on. */
  readonly expiresAt: number | undefined;
}

export interface IssuerSettings {
  readonly issuer: string;
  /** Empty: the address of the gateway. */
  readonly audience: readonly string[];
  readonly jwksUri: string | undefined;
  /** The scopes that every token of this server must have. */
  readonly scopes: readonly string[];
  /**
   * What callers get: the first match counts, and a caller without a match is refused. `undefined`: every caller
   * gets everything.
   */
  readonly map: readonly GrantSettings[] | undefined;
}

export interface GrantSettings extends CallerTerms {
  readonly claims: Readonly<Record<string, string>>;
  readonly scope: string | undefined;
}

/** What a caller gets because of its identity. */
export interface CallerTerms {
  /** Takes precedence over the config, but not over what the client asks for (GW-3). */
  readonly profile: string | undefined;
  /** The alias under which this client registers the gateway. */
  readonly as: string | undefined;
  /** The only toolboxes that it can see and call; `undefined`: everything. */
  readonly toolboxes: readonly string[] | undefined;
}
