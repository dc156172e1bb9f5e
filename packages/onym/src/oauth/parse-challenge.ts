// What a server says with 401 and 403 in WWW-Authenticate (RFC 6750, RFC 9728), as far as a client acts on it.

export interface Challenge {
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

const PARAMETER = /([A-Za-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
const LONGEST = 8_192;

/** `undefined` where it does not ask for a bearer token. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const start = header === undefined ? -1 : header.slice(0, LONGEST).search(/(?:^|,\s*)Bearer(?:\s|,|$)/i);
  if (header === undefined || start < 0) return undefined;
  const found = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.slice(start, LONGEST).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted === undefined ? plain : quoted.replace(/\\(.)/g, "$1"));
  }
  return {
    resourceMetadata: found.get("resource_metadata"),
    scope: found.get("scope"),
    error: found.get("error"),
  };
}
