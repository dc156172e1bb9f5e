// How an HTTP server gets its tokens. Their source is not known here.

export interface Credentials {
  /**
   * The current `Authorization` header, read from memory with every request. Empty: send none. `undefined`:
   * call `obtain` first.
   */
  readonly header: () => string | undefined;
  readonly obtain: () => Promise<Obtained>;
  /**
   * The server replied 401 or 403. If it returns the same header, the refusal has nothing to do with tokens.
   */
  readonly refused: (refusal: SignInRefusal) => Promise<Obtained>;
  /** Only a sign-in by the user helps. */
  readonly needsSignIn: () => boolean;
  /** Calls the listener when there are tokens again. One listener. */
  readonly onSignIn: (listener: () => void) => void;
  /** Values that must not appear in any text. */
  readonly secrets: () => readonly string[];
  readonly close: () => void;
}

interface SignInRefusal {
  readonly status: number;
  /** The header that was sent; may be empty. */
  readonly sent: string;
  /** Its WWW-Authenticate. */
  readonly challenge: string | undefined;
}

export type Obtained =
  /** Empty if there is nothing to send. */
  | { readonly kind: "header"; readonly header: string }
  /** For people: one line, escaped, no secrets. */
  | { readonly kind: "trouble"; readonly reason: string; readonly hint: string };
