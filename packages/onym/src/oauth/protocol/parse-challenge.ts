// What a server says with 401 and 403 in WWW-Authenticate (RFC 6750, RFC 9728), as far as a client acts on it.

export interface Challenge {
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

const MAX_LENGTH = 8_192;

/** `undefined` where it does not ask for a bearer token. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const start = header === undefined ? -1 : header.slice(0, MAX_LENGTH).search(/(?:^|,\s*)Bearer(?:\s|,|$)/i);
  if (header === undefined || start < 0) return undefined;
  const found = readParameters(header.slice(start, MAX_LENGTH));
  return {
    resourceMetadata: found.get("resource_metadata"),
    scope: found.get("scope"),
    error: found.get("error"),
  };
}

/** The first value of each name. */
function readParameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // Takes every run of letters whole, so that none is tried from each of its places.
  const names = /([A-Za-z_]+)(\s*=\s*)?/g;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    if (match[2] === undefined) continue;
    const at = names.lastIndex;
    const read = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at);
    if (read === undefined) continue;
    const name = (match[1] ?? "").toLowerCase();
    if (!found.has(name)) found.set(name, read.value);
    names.lastIndex = read.end;
  }
  return found;
}

interface ReadValue {
  readonly value: string;
  readonly end: number;
}

function readPlain(text: string, at: number): ReadValue | undefined {
  let end = at;
  while (end < text.length && !/[\s,"]/.test(text.charAt(end))) end++;
  return end === at ? undefined : { value: text.slice(at, end), end };
}

/** `undefined` where the quotes are not closed. */
function readQuoted(text: string, at: number): ReadValue | undefined {
  let value = "";
  for (let index = at; index < text.length; index++) {
    if (text[index] === '"') return { value, end: index + 1 };
    if (text[index] === "\\") index++;
    value += text.charAt(index);
  }
  return undefined;
}
