// The addresses that a server may take one address for. A caller chooses how it writes an address, and the server decides
// what it means: a rule must not be evaded by another spelling (POL-9).

import type { Matcher } from "./compile-glob.js";
import type { Reach } from "./match-tool.js";

/** Longer ones are not taken apart. No rule allows them, and every rule that restricts is about them. */
const MAX_LENGTH = 8_192;
/** Escapes, backslashes, dot segments, doubled slashes after those of the scheme. */
const MAY_DIFFER = /[%\\]|\/\.{1,2}(?:[/?#]|$)|[^:]\/\//;
/** What some servers read otherwise, or not at all: queries, a last slash, user names, ports, hosts in digits or with a last dot. */
const MAY_BE_DROPPED = /[?#@]|\/$|:\d|\/\/[\d[]|[^!-~]|\.[/:]/;
/** `http:/host` and `http:///host`, which URL parsers read as `http://host`. */
const MISSES_SLASHES = /^(?:https?|wss?|ftp):(?!\/\/[^/])/;
/** How often an address may be encoded over itself and still be read. */
const MAX_DECODINGS = 3;

/**
 * The address as written, and as it reads with escapes decoded, dot segments and doubled slashes removed, and scheme and
 * host in lower case. Empty for one that is too long to be looked at.
 *
 * @example
 * uriForms("FILE:///pub/%2e%2e/etc"); // ["FILE:///pub/%2e%2e/etc", "file:///pub/../etc", "file:///etc", …]
 */
export function uriForms(uri: string): readonly string[] {
  if (uri.length > MAX_LENGTH) return [];
  // Nearly always there is one form: lists may hold very many addresses.
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

/** What restricts (`any`) holds for any form; what allows (`own`) needs every one of them. */
export function matchesForms(forms: readonly string[], matches: Matcher, reach: Reach): boolean {
  if (forms.length === 0) return reach === "any";
  if (reach === "own") return forms.every(matches);
  return forms.some((form) => matches(form) || shorterForms(form).some(matches));
}

/**
 * What is left of an address where a server looks at less than all of it. Only for what restricts: a rule that allows
 * is about the address with its query.
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
 * The globs that a rule with this glob has to be held against: as written, with scheme and host in lower case, and without
 * escapes, because addresses are decoded too. What decodes to a `*` or `?` stays as it is. Where it restricts (`any`), a
 * file is meant on whatever host.
 */
export function globForms(glob: string, reach: Reach): readonly string[] {
  const parts = glob.split(/(%2[Aa]|%3[Ff])/);
  const decoded = parts.map((part, at) => (at % 2 === 0 ? decodeEscapes(part) : part)).join("");
  const forms = [glob, lowerUriStart(glob), lowerUriStart(decoded)];
  return [...new Set(reach === "any" ? [...forms, ...forms.map(withoutFileHost)] : forms)];
}

/** `file:/a`, `file:a` and `file://HOST/a` → `file:///a`: most servers look at the path alone. */
function withoutFileHost(uri: string): string {
  if (!uri.startsWith("file:") || /^file:\/\/\/[^/]/.test(uri)) return uri;
  return `file:///${cutStart(uri).path.replace(/^\/+/, "")}`;
}

/** Escapes that are no UTF-8 stay as they are. */
function decodeEscapes(text: string): string {
  return text.replace(/%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+/g, (found) => {
    try {
      return decodeURIComponent(found);
    } catch {
      return found;
    }
  });
}

/** `SCHEME://HOST` → `scheme://host`; the rest has its case. */
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
    // The first part is before the first slash: it stays, empty or not. The last may be empty, for a folder.
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
