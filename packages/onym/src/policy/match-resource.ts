// Whether the pattern of a rule matches a resource address (POL-9). Rules that restrict match any form of it, and every
// address that is ambiguous in their scheme; rules that allow match it as it is written.

import { compileGlob, type Matcher, type Reach } from "./match-tool.js";
import { foldText, NETWORK_PORTS, type ResourceAddress } from "./resource-address.js";

/** `ambiguous`: the rule holds because nobody knows what the server makes of the address. */
export type ResourceHit = "itself" | "ambiguous";

export type ResourceMatcher = (address: ResourceAddress) => ResourceHit | undefined;

export function compileResourcePatterns(globs: readonly string[], reach: Reach): ResourceMatcher {
  return reach === "own" ? compileAllowing(globs) : compileRestricting(globs);
}

/** An ambiguous address has to be named letter by letter, or with all others of its scheme. */
function compileAllowing(globs: readonly string[]): ResourceMatcher {
  const isWritten = compileGlobs(globs);
  const isNamed = compileGlobs(globs.filter((glob) => !/[*?]/.test(glob) || WHOLE_SCHEME.test(glob)));
  return ({ uri, isPlain }) => ((isPlain ? isWritten : isNamed)(uri) ? "itself" : undefined);
}

/** `*`, `file:*` and `file:///*` */
const WHOLE_SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/{0,3})?\*$/i;

function compileRestricting(globs: readonly string[]): ResourceMatcher {
  const isWritten = compileGlobs(globs);
  const isForm = compileGlobs([...new Set(globs.flatMap(restrictingForms).flatMap(withoutLastSlash))]);
  const heads = globs.map((glob) => /^[^*?]*/.exec(foldText(decodeGlob(glob)))?.[0] ?? "");
  const mayStart = (start: string): boolean =>
    heads.some((head) => head.startsWith(start) || start.startsWith(head));
  return ({ uri, forms, unclear }) => {
    if (forms.some(isForm) || (forms[0] !== uri && isWritten(uri))) return "itself";
    return unclear.some(mayStart) ? "ambiguous" : undefined;
  };
}

/**
 * A pattern as forms of addresses are written: folded, without escapes, default port, host and drive of a file. Servers
 * that cut off `notes://` read `notes:///a` and `notes://a` alike, so the number of slashes does not count.
 */
function restrictingForms(glob: string): readonly string[] {
  const folded = withoutDefaultPort(foldText(decodeGlob(glob)));
  const start = /^([^/:]*:)\/*/.exec(folded);
  if (start === null) return [folded];
  const [{ length }, scheme = ""] = start;
  const body = folded.slice(length);
  const withSlashes = (rest: string) => ["", "/", "//", "///"].map((slashes) => `${scheme}${slashes}${rest}`);
  if (scheme !== "file:") return withSlashes(body);
  const local = /^file:\/\/[^/]/.test(folded) ? body.replace(/^[^/*?]*\/+/, "") : body;
  return [body, local, local.replace(/^[a-z]:\/+/, "")].flatMap(withSlashes);
}

/** `file:///a/*` is about the folder, too, which may be written without its slash. */
function withoutLastSlash(glob: string): readonly string[] {
  const short = glob.replace(/\/\*?$/, "");
  return short === glob ? [glob] : [glob, short];
}

function withoutDefaultPort(glob: string): string {
  const [whole = "", start = "", scheme = "", port] = /^(([a-z]+):\/\/[^/]*)(:\d+)(?=\/|$)/.exec(glob) ?? [];
  return port !== undefined && NETWORK_PORTS.get(scheme) === port ? start + glob.slice(whole.length) : glob;
}

/** An escape that decodes to `*` or `?` is kept: it is no wildcard. */
function decodeGlob(glob: string): string {
  return glob.replace(/%(?!2[Aa]|3[Ff])[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function compileGlobs(globs: readonly string[]): Matcher {
  const matchers = globs.map(compileGlob);
  return (text) => matchers.some((matches) => matches(text));
}
