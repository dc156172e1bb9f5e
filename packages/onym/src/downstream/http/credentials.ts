// What a downstream over HTTP needs of whoever keeps its tokens. How they are come by is not known here.

export interface Credentials {
  /**
   * What to send as `Authorization` now: read with every request, from memory. Empty: nothing is to be sent.
   * `undefined`: ask `obtain` first.
   */
  readonly header: () => string | undefined;
  readonly obtain: () => Promise<Obtained>;
  /** The server answered 401 or 403. The same again: the answer is no business of tokens. */
  readonly refused: (refusal: Refusal) => Promise<Obtained>;
  /** Nothing will change by itself: somebody has to sign in. */
  readonly needsSignIn: () => boolean;
  /** Tells when there are tokens again. One listener. */
  readonly onSignIn: (listener: () => void) => void;
  /** What must not be seen in any text. */
  readonly secrets: () => readonly string[];
  readonly close: () => void;
}

interface Refusal {
  readonly status: number;
  /** The header that was sent; empty where there was none. */
  readonly sent: string;
  /** Its WWW-Authenticate. */
  readonly challenge: string | undefined;
}

export type Obtained =
  /** Empty where there is nothing to send. */
  | { readonly kind: "header"; readonly header: string }
  /** For people: one line, escaped, no secrets. */
  | { readonly kind: "trouble"; readonly reason: string; readonly hint: string };
