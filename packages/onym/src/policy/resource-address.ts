// What a resource URI means (POL-9). A caller chooses how to write it and its server how to read it. A URI is plain if all
// servers read it alike, but for a few forms that are listed here. Any other is ambiguous, and is not interpreted.

export interface ResourceAddress {
  /** As written. */
  readonly uri: string;
  readonly isPlain: boolean;
  /** What servers may take a plain URI for, each as `foldText` writes it. None if it is ambiguous. */
  readonly forms: readonly string[];
  /**
   * The starts of other URIs that some server may take it for, whatever follows them: `file:`. An empty one stands for
   * all, because even the scheme is not clear.
   */
  readonly unclear: readonly string[];
}

/** Longer URIs are ambiguous. */
const MAX_LENGTH = 8_192;
/** A single letter is no scheme, but a drive of Windows. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]+):/;
/** Schemes whose hosts and slashes URL parsers repair, with their default ports. */
export const NETWORK_PORTS: ReadonlyMap<string, string> = new Map([
  ["http", ":80"],
  ["https", ":443"],
  ["ws", ":80"],
  ["wss", ":443"],
  ["ftp", ":21"],
]);

/**
 * @example
 * readAddress("FILE:///Pub/a%20b?v=1").forms; // ["file:///pub/a b?v=1", "file:///pub/a b"]
 * readAddress("file:///pub/../etc"); // { isPlain: false, forms: [], unclear: ["file:"], … }
 */
export function readAddress(uri: string): ResourceAddress {
  const wrapped = unwrap(uri);
  if (wrapped === undefined) return { uri, isPlain: false, forms: [], unclear: [""] };
  if (wrapped === uri) return readUnwrapped(uri);
  // `onym://docs/readme` may be a server's own address. What another Onym's server makes of `readme` is not known.
  if (!SCHEME.test(wrapped)) return { ...readUnwrapped(uri), unclear: [""] };
  const { forms, unclear } = readUnwrapped(wrapped);
  return { uri, isPlain: false, forms, unclear: [...unclear, "onym:"] };
}

/** `onym://KEY/ADDRESS`: what another Onym calls an address of one of its servers. */
const WRAPPER = /^onym:\/\/([^/]*)\//i;
const PLAIN_KEY = /^[\w.!~'()*%-]+$/;
const MAX_WRAPPERS = 16;

/** The address of the last server in a row of gateways; `undefined` if the row is too long, or odd. */
function unwrap(uri: string): string | undefined {
  let inner = uri;
  for (let depth = 0; depth <= MAX_WRAPPERS; depth += 1) {
    const wrapper = WRAPPER.exec(inner);
    if (wrapper === null) return inner;
    const [{ length }, key = ""] = wrapper;
    if (!PLAIN_KEY.test(key)) return undefined;
    inner = inner.slice(length);
  }
  return undefined;
}

function readUnwrapped(uri: string): ResourceAddress {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return { uri, isPlain: false, forms: [], unclear: [""] };
  const rest = uri.slice(scheme.length + 1);
  const parts = uri.length > MAX_LENGTH ? undefined : readParts(scheme, rest);
  const inner = scheme.includes("+") ? scheme.split("+").map((part) => `${part}:`) : [];
  if (parts !== undefined) {
    const opaque = parts.start === "://" ? [] : [`${scheme}://`, ...opaqueSchemes(parts)];
    const nested = schemesIn(parts.paths[0] ?? "");
    return {
      uri,
      isPlain: true,
      forms: formsOf(parts),
      unclear: [...new Set([...inner, ...opaque, ...nested])],
    };
  }
  const nested = nestedSchemes(rest);
  const unclear = nested === undefined ? [""] : [...new Set([`${scheme}:`, ...inner, ...nested])];
  return { uri, isPlain: false, forms: [], unclear };
}

/** Without case, and normalized: file systems and servers may compare names so. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // `ß` and `ẞ` become `ss`; the sigma at the end of a word becomes that within it.
  const folded = text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll("ς", "σ");
}

interface Parts {
  readonly scheme: string;
  /** `:`, or `://` where an authority follows, which may be empty. Servers that cut off `file://` misread the others. */
  readonly start: string;
  /** The ways to write the authority; one that is empty if there is none. */
  readonly authorities: readonly string[];
  readonly paths: readonly string[];
  /** Query and fragment. */
  readonly tail: string;
}

/** `undefined` if the URI is ambiguous. */
function readParts(scheme: string, rest: string): Parts | undefined {
  const end = rest.search(/[?#]/);
  const head = readHead(end < 0 ? rest : rest.slice(0, end));
  const tail = end < 0 ? "" : readTail(rest.slice(end));
  if (head === undefined || tail === undefined) return undefined;
  const slashes = /^\/*/.exec(head)?.[0] ?? "";
  const isNetwork = NETWORK_PORTS.has(scheme);
  const isFile = scheme === "file";
  const body = head.slice(slashes.length);
  if (slashes.length > 3 || isUneven(body) || (slashes !== "" && body.includes(";"))) return undefined;
  if (isNetwork ? slashes !== "//" : isFile && slashes === "") return undefined;
  if (slashes !== "//") {
    const path = slashes === "" ? body : `/${body}`;
    const start = `:${slashes.slice(1)}`;
    const paths = isFile ? readFilePaths(path) : [path];
    return paths === undefined ? undefined : { scheme, start, authorities: [""], paths, tail };
  }
  const at = body.indexOf("/");
  const authorities = readAuthority(scheme, at < 0 ? body : body.slice(0, at));
  const path = at < 0 ? "" : body.slice(at);
  const paths = isFile ? readFilePaths(path) : [path];
  if (authorities === undefined || paths === undefined) return undefined;
  return { scheme, start: "://", authorities, paths, tail };
}

/** Characters that some servers drop, replace, expand or take for a separator. A space is read alike by all. */
const ODD = /[\p{C}\p{DI}"*<>\\^`|%]|(?! )\p{Z}/u;
/** Characters that code pages turn into a slash or a backslash. */
const SLASH_LIKE = /[¥₩⁄∕∖⧵⧸]/;
const PUNCTUATION = /[!-,./:-@[-^`{-~]/;

/** Authority and path, decoded and folded. */
function readHead(text: string): string | undefined {
  const decoded = decodeEscapes(text, /[/\\.%?#:@;]/);
  if (decoded === undefined || ODD.test(decoded) || SLASH_LIKE.test(decoded)) return undefined;
  // Full-width and other look-alikes of separators.
  const foreign = isAscii(decoded) ? "" : decoded.replace(/[ -~]+/g, "").normalize("NFKC");
  return PUNCTUATION.test(foreign) ? undefined : foldText(decoded);
}

/** Most servers drop query and fragment; for those that do not, they are part of the path. */
function readTail(text: string): string | undefined {
  const decoded = decodeEscapes(text, /[\\#%]/);
  if (decoded === undefined || /[\p{C}\p{DI}\\%]|\/\.| $/u.test(decoded)) return undefined;
  return foldText(decoded);
}

/** Dot segments, segments that Windows shortens, and empty ones, except at the end. */
function isUneven(body: string): boolean {
  return /[. ](?:\/|$)|(?:^|\/) |\/\//.test(body);
}

/** A drive may be left out. Other colons lead to streams, and `~1` to short names of Windows. */
function readFilePaths(path: string): readonly string[] | undefined {
  const local = path.replace(/^\/[a-z]:(?=\/|$)/, "");
  if (!path.startsWith("/") || /:|~\d/.test(local)) return undefined;
  return local === path ? [path] : [path, local];
}

/** As written, and without what servers may leave out: user, default port, and the host of a file. */
function readAuthority(scheme: string, authority: string): readonly string[] | undefined {
  if (authority === "") return NETWORK_PORTS.has(scheme) || scheme === "file" ? undefined : [""];
  const found = /^(?:[^@]+@)?([^@:[\]]+|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?$/.exec(authority);
  if (found === null) return undefined;
  const [, host = "", port = ""] = found;
  const usual = NETWORK_PORTS.get(scheme);
  if (scheme === "file") return host === authority && isPlainHost(host) ? [host, ""] : undefined;
  if (usual !== undefined && !isPlainHost(host)) return undefined;
  // Of other schemes any port may be the default.
  const short = port === usual || usual === undefined ? host : `${host}${port}`;
  return [...new Set([authority, short])];
}

/** Names and numbers that URL parsers leave as they are, in the characters that people see. */
function isPlainHost(host: string): boolean {
  if (host.length > 255 || !/^[a-z0-9._-]+$|^\[/.test(host)) return false;
  if (host.endsWith(".") || host.includes("xn--")) return false;
  const url = `http://${host}/`;
  return URL.canParse(url) && new URL(url).hostname === host;
}

function formsOf({ scheme, start, authorities, paths, tail }: Parts): readonly string[] {
  const fragment = tail.indexOf("#");
  const query = fragment < 0 ? tail : tail.slice(0, fragment);
  const forms = new Set<string>();
  for (const authority of authorities)
    for (const path of paths) {
      const whole = `${scheme}${start}${authority}${path}`;
      const bare = path.endsWith("/") ? whole.slice(0, -1) : whole;
      for (const form of [`${whole}${tail}`, `${whole}${query}`, bare]) forms.add(form);
    }
  return [...forms];
}

/** `file:` of `/cache/file:///a` */
function schemesIn(text: string): readonly string[] {
  // A pattern for all of it would take time in proportion to the square of the text.
  return text
    .split(":")
    .slice(0, -1)
    .flatMap((before) => {
      let start = before.length;
      while (start > 0 && /[a-z0-9+.-]/i.test(before.charAt(start - 1))) start -= 1;
      const scheme = before.slice(start).replace(/^[^a-z]+/i, "");
      return scheme.length < 2 ? [] : [`${scheme.toLowerCase()}:`];
    });
}

const MAX_DECODINGS = 4;

/** The schemes of addresses within an ambiguous one, however they are escaped; `undefined` if they are not clear. */
function nestedSchemes(rest: string): readonly string[] | undefined {
  if (/^[^/?#]*(?:[:\uff1a]|%3a|%25)/i.test(rest)) return undefined;
  if (rest.length > MAX_LENGTH) return /[:%\uff1a]/.test(rest) ? undefined : [];
  let text = rest.normalize("NFKC");
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, decodeLeniently).normalize("NFKC");
    // URL parsers drop control characters.
    if (decoded === text) return [text, text.replace(/[\p{C}\p{DI}]/gu, "")].flatMap(schemesIn);
    text = decoded;
  }
  return undefined;
}

function decodeLeniently(escapes: string): string {
  return Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8");
}

/** `file:` of `view-source:file:///a` */
function opaqueSchemes({ paths: [path = ""] }: Parts): readonly string[] {
  const [opaque = ""] = path.split("/", 1);
  return opaque
    .split(":")
    .slice(0, -1)
    .map((part) => `${part}:`);
}

/** `undefined` if an escape is not valid, or decodes to one of the forbidden characters. */
function decodeEscapes(text: string, forbidden: RegExp): string | undefined {
  if (!text.includes("%")) return text;
  try {
    let isHarmless = true;
    const decoded = text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
      const found = decodeURIComponent(escapes);
      isHarmless &&= !forbidden.test(found);
      return found;
    });
    return isHarmless ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function isAscii(text: string): boolean {
  return !/[^\0-~]/.test(text);
}
