// The library's only error type: for misuse, and for failures that cannot be returned as a result.

/** `code` is stable; `message` says what happened to which name; `hint` says what to do. */
export class OnymError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "OnymError";
    this.code = code;
    this.hint = hint;
  }
}
