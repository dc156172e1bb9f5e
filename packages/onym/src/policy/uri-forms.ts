// The URIs that a server may treat as equal to a given one. The caller chooses the spelling and the server its
// meaning, so another spelling must not evade a rule (POL-9).

import type { Matcher, Reach } from "./match-tool.js";

/** Longer URIs are not analysed. No allow rule matches them, and every restricting rule does. */
const MAX_LENGTH = 8_192;
/** Escapes, backslashes, dot segments, and double slashes other than the scheme's. */
const MAY_DIFFER = /[%\\]|\/\.{1,2}(?:[/?#]|$)|[^:]\/\//;
/**
 * What some servers ignore or read differently: queries, a trailing slash, user names, ports, numeric hosts, a
 * trailing dot in a host.
 */
const MAY_BE_DROPPED = /[?#@]|\/$|:\d|\/\/[\d[]|[^!-~]|\.[/:]/;
/** `http:/host` and `http:///host`, which URL parsers read as `http://host`. */
const MISSES_SLASHES = /^(?:https?|wss?|ftp):(?!\/\/[^/])/;
/** How many times nested encodings of a URI are decoded. */
const MAX_DECODINGS = 3;

/**
 * The URI as written, and with escapes decoded, dot segments and double slashes removed, and scheme and host in
 * lower case. Empty if it is too long.
 *
 * @example
 * uriForms("FILE:///pub/%2e%2e/etc"); // ["FILE:///pub/%2e%2e/etc", "file:///pub/../etc", "file:///etc", …]
 */
export function uriForms(uri: string): readonly string[] {
  if (uri.length > MAX_LENGTH) return [];
  // Almost always there is only one form, and lists may contain very many URIs.
  if (!MAY_DIFFER.test(uri) && lowerUriStart(uri) === uri) return [uri];
  const forms = new Set([uri]);
  let text = uri;
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    const lower = lowerUriStart(text.replaceAll("\\", "/"));
    forms.add(lower);
    forms.add(withoutDots(lower));
    const decoded = decodeEscapes(text);
    if (decoded === text) break;
    text = decoded;
  }
  return [...forms];
}

/** A restricting rule (`any`) matches if any form matches; an allow rule (`own`) only if all do. */
export function matchesForms(forms: readonly string[], matches: Matcher, reach: Reach): boolean {
  if (forms.length === 0) return reach === "any";
  if (reach === "own") return forms.every(matches);
  return forms.some((form) => matches(form) || shorterForms(form).some(matches));
}

/**
 * The shorter URIs that a server may use if it ignores parts. Only for restricting rules: an allow rule matches the
 * URI with its query.
 */
function shorterForms(form: string): readonly string[] {
  const local = withoutFileHost(form);
  if (!MAY_BE_DROPPED.test(form) && !MISSES_SLASHES.test(form)) return local === form ? [] : [local];
  const whole = local === form ? [form] : [form, local];
  if (URL.canParse(form)) {
    const url = new URL(form);
    url.username = "";
    url.password = "";
    if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
    const href = withoutFileHost(url.href);
    whole.push(href, decodeEscapes(href));
  }
  return whole.flatMap((text) => {
    const [bare = ""] = text.replaceAll("\0", "#").split(/[?#]/, 1);
    return bare.endsWith("/") ? [text, bare, bare.slice(0, -1)] : [text, bare];
  });
}

/**
 * The forms of a rule's glob to match against: as written, with scheme and host in lower case, and without escapes,
 * because URIs are decoded too. An escape that decodes to `*` or `?` is kept. In a restricting rule (`any`), a file
 * URI matches on every host.
 */
export function globForms(glob: string, reach: Reach): readonly string[] {
  const parts = glob.split(/(%2[Aa]|%3[Ff])/);
  const decoded = parts.map((part, at) => (at % 2 === 0 ? decodeEscapes(part) : part)).join("");
  const forms = [glob, lowerUriStart(glob), lowerUriStart(decoded)];
  return [...new Set(reach === "any" ? [...forms, ...forms.map(withoutFileHost)] : forms)];
}

/** `file:/a`, `file:a` and `file://HOST/a` → `file:///a`: most servers use only the path. */
function withoutFileHost(uri: string): string {
  if (!uri.startsWith("file:") || /^file:\/\/\/[^/]/.test(uri)) return uri;
  return `file:///${cutStart(uri).path.replace(/^\/+/, "")}`;
}

/** Escapes that are not valid UTF-8 are kept. */
function decodeEscapes(text: string): string {
  return text.replace(/%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+/g, (found) => {
    try {
      return decodeURIComponent(found);
    } catch {
      return found;
    }
  });
}

/** `SCHEME://HOST` → `scheme://host`; the rest keeps its case. */
function lowerUriStart(uri: string): string {
  const { start, path } = cutStart(uri);
  return `${start.toLowerCase()}${path}`;
}

function withoutDots(uri: string): string {
  const { start, path } = cutStart(uri);
  const end = path.search(/[?#]/);
  const [head, tail] = end < 0 ? [path, ""] : [path.slice(0, end), path.slice(end)];
  const kept: string[] = [];
  const parts = head.split("/");
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    if (part === ".." && kept.length > 1) kept.pop();
    // The first part, before the first slash, always stays. The last part may be empty, for a folder.
    const isKept = at === 0 || (part !== "." && part !== ".." && part !== "");
    if (isKept) kept.push(part);
    else if (isLast) kept.push("");
  }
  return `${start}${kept.join("/")}${tail}`;
}

function cutStart(uri: string): { readonly start: string; readonly path: string } {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(uri)?.[0] ?? "";
  if (!uri.startsWith("//", scheme.length)) return { start: scheme, path: uri.slice(scheme.length) };
  const host = uri.slice(scheme.length + 2).search(/[/?#]/);
  const at = host < 0 ? uri.length : scheme.length + 2 + host;
  return { start: uri.slice(0, at), path: uri.slice(at) };
}
