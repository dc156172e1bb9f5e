// `onym://KEY/URI`: a URI of one server, distinct from the same URI of another.

const SCHEME = "onym://";
/** With the `u` flag, whole pairs do not match. */
const LONE = /[\uD800-\uDFFF]/u;

/**
 * The KEY of a server: its percent-encoded id, after its toolbox if it has one. Keys are unique: `__` in a
 * server id outside toolboxes is encoded, so it cannot look like a toolbox.
 * @example
 * formatResourceKey({ server: "fs", toolbox: "dev" }); // "dev__fs"
 * formatResourceKey({ server: "my files", toolbox: undefined }); // "my%20files"
 */
export function formatResourceKey(id: {
  readonly server: string;
  readonly toolbox: string | undefined;
}): string {
  const encode = (text: string): string => encodeText(text).replaceAll("__", "_%5F");
  return id.toolbox === undefined ? encode(id.server) : `${encode(id.toolbox)}__${encode(id.server)}`;
}

/** The rest stays verbatim, so that templates still work. */
export function wrapUri(key: string, uri: string): string {
  return `${SCHEME}${key}/${uri}`;
}

/** Whether the text uses Onym's own scheme, in any case. */
export function isOwnScheme(text: string): boolean {
  return text.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}

/** Onym's own scheme in lower case, so that a URI of a server has one wrapped form. */
export function normalizeAddress(text: string): string {
  return isOwnScheme(text) ? SCHEME + text.slice(SCHEME.length) : text;
}

export function unwrapUri(text: string): { readonly key: string; readonly uri: string } | undefined {
  if (!isOwnScheme(text)) return undefined;
  const end = text.indexOf("/", SCHEME.length);
  if (end < 0) return undefined;
  return { key: text.slice(SCHEME.length, end), uri: text.slice(end + 1) };
}

/** Like `encodeURIComponent`, which throws on a lone surrogate; that is encoded as its own three bytes. */
function encodeText(text: string): string {
  return [...text]
    .map((character) => (LONE.test(character) ? encodeLone(character) : encodeURIComponent(character)))
    .join("");
}

function encodeLone(character: string): string {
  const code = character.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
}
