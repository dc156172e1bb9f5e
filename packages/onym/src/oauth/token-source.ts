// Where tokens for a server come from: kept from a sign-in, or got with the client's own secret.

import type { Tokens } from "./grant.js";

export interface TokenSource {
  readonly load: () => Promise<LoadedTokens>;
  /** Others in place of this access token, which is too old or was refused. */
  readonly renew: (spent: string) => Promise<LoadedTokens>;
}

export type LoadedTokens =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  | { readonly kind: "none" }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** For people: one line each, escaped, no secrets. */
export interface Trouble {
  readonly reason: string;
  readonly hint: string;
  /** Nothing will change by itself. */
  readonly needsSignIn: boolean;
  /** The store could not be read, so that nobody knows whether there are tokens. */
  readonly isUnknown?: boolean;
}
