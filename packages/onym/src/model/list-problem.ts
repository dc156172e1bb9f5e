// What is missing from a server's list, for programs and for people.

export interface ListProblem {
  /** `list-failed`: the list could not be fetched completely. `left-out`: it contains only what fits the limits. */
  readonly code: "list-failed" | "left-out";
  /** The list method: `tools/list`. */
  readonly method: string;
  /** One line for people to read; starts with the method. */
  readonly message: string;
}

export function isListProblem(value: unknown): value is ListProblem {
  if (typeof value !== "object" || value === null) return false;
  const { code, method, message } = value as Partial<Record<keyof ListProblem, unknown>>;
  return (
    (code === "list-failed" || code === "left-out") &&
    typeof method === "string" &&
    typeof message === "string"
  );
}
