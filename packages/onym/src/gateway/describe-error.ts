// Formats a thrown value for the log. It is a bug in the gateway, so the stack is included.

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
