// The header `WWW-Authenticate` of a refusal: what is missing, and where a client learns how to get it (RFC 6750, RFC 9728).

export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** Where the protected-resource metadata is. */
  readonly metadata?: string | undefined;
}

/** All values are ours or the operator's, checked when the config was read: none needs escaping. */
export function buildChallenge({ error, description, scopes = [], metadata }: Challenge): string {
  const fields = {
    error,
    error_description: description,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
    resource_metadata: metadata,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value}"`],
  );
  return given.length === 0 ? 'Bearer realm="onym"' : `Bearer ${given.join(", ")}`;
}
