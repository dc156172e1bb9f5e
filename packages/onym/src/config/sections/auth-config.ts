// Who may connect, as the rest of the program knows it.

export interface AuthConfig {
  /** The address that clients use. */
  readonly url: string | undefined;
  readonly tokens: readonly TokenConfig[];
  readonly oauth: readonly IssuerConfig[];
}

/** What a caller gets once it is known who it is. */
export interface TermsConfig {
  readonly profile: string | undefined;
  readonly as: string | undefined;
  /** `undefined`: everything. */
  readonly toolboxes: readonly string[] | undefined;
}

export interface TokenConfig extends TermsConfig {
  readonly name: string;
  /** SHA-256 of the token, in lower-case hex. */
  readonly hash: string;
  /** From this moment on it works no more. */
  readonly expiresAt: number | undefined;
}

export interface IssuerConfig {
  readonly issuer: string;
  /** Empty: the address of the gateway. */
  readonly audience: readonly string[];
  readonly jwksUri: string | undefined;
  readonly scopes: readonly string[];
  /** The first that fits; `undefined`: everybody gets everything. */
  readonly map: readonly GrantConfig[] | undefined;
}

export interface GrantConfig extends TermsConfig {
  readonly claims: Readonly<Record<string, string>>;
  readonly scope: string | undefined;
}

/** Whether anybody is confined to toolboxes, so that somebody must see to it. */
export function confinesAnybody(auth: AuthConfig | undefined): boolean {
  const terms = [...(auth?.tokens ?? []), ...(auth?.oauth ?? []).flatMap(({ map }) => map ?? [])];
  return terms.some(({ toolboxes }) => toolboxes !== undefined);
}
