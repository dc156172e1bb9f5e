// What was thrown, for the log: a bug of ours, so with the way to it.

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
