// What can be wrong with foreign text or an operator's settings. Returned as a value, never thrown.

export type Severity = "error" | "warning" | "info";

/** One finding: what is wrong, where, and what to do about it. */
export interface Problem {
  /** Stable and kebab-case, for programs. */
  readonly code: string;
  readonly severity: Severity;
  /** What happened, to which name. Foreign text inside is already escaped for display. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** UTF-16 offset of the first offending character, if the problem is about one text. */
  readonly position?: number;
}

/** The result of every `parse…`: a value, or the problem that explains why there is none. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };
