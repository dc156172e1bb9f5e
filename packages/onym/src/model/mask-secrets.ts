// Server entries as people may see them: values in the places of secrets, and what looks like one, are masked.

/** In place of a secret. */
export const MASK = "••••";

/** Keys of entries and of their sign-in that hold no secrets. Whatever stands under any other key may be one. */
const PLAIN: ReadonlySet<string> = new Set([
  ...["type", "transport", "transportType", "cwd", "envFile", "disabled", "enabled", "description"],
  ...["toolbox", "tools", "toolFilters", "integration", "version", "alias", "formerly", "names", "speaksFor"],
  ...["includeTools", "excludeTools", "autoApprove", "alwaysAllow", "disabledTools", "trust"],
  ...["clientId", "scopes", "scope", "callbackPort", "grant"],
]);
const TIMEOUT = /timeout(?:_?(?:ms|sec|seconds))?$/i;
/** Keys under which every value may be a secret, also the whole of a URL. */
const SECRETS = /^(?:envs?|environment|(?:.*_)?headers)$/i;
/** Words of a command line. */
const WORDS: ReadonlySet<string> = new Set(["args", "isolation"]);

/** The entry without its secrets; variables stay, because they are none. */
export function maskEntry<Entry extends object>(entry: Entry): Entry {
  return maskMembers(entry) as Entry;
}

function maskMembers(members: object): object {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, maskMember(key, value)]));
}

function maskMember(key: string, value: unknown): unknown {
  if (SECRETS.test(key)) return maskValue(value);
  if (PLAIN.has(key) || (TIMEOUT.test(key) && typeof value === "number")) return value;
  // Some write the arguments behind the program.
  if (key === "command" && typeof value === "string") return maskArguments(value.split(" ")).join(" ");
  if (WORDS.has(key)) {
    if (typeof value === "string") return maskArguments([value])[0];
    if (Array.isArray(value) && value.every((word) => typeof word === "string")) return maskArguments(value);
    if (Array.isArray(value))
      return value.map((word, at) => maskArguments([String(value[at - 1] ?? ""), String(word)])[1]);
  }
  if (isObject(value)) return maskMembers(value);
  if (Array.isArray(value)) return value.map((item: unknown) => maskMember("", item));
  return typeof value === "string" && isUrl(value) ? maskUrl(value) : maskValue(value);
}

/** Every text and number in it: which of them are secrets is not known. */
function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return MASK;
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(item));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskValue(member)]))
    : value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** Variables stand for secrets and are none; what stands beside them may be. */
function maskText(text: string): string {
  const variables = text.match(/\$\{[^{}$]*\}/g) ?? [];
  if (text === "") return text;
  if (variables.length === 0) return MASK;
  const rest = variables.reduce((left, variable) => left.replace(variable, ""), text).trim();
  return rest === "" || /^(?:Bearer|Basic|token)$/i.test(rest) ? text : `${MASK}${variables.join(MASK)}`;
}

const SECRET_WORD =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|pwd|auth|bearer|credentials?)s?$/i;

/** Tokens of well-known services, and long texts without any shape. */
const SECRET_START = /^(?:sk-|pk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|ya29\.|eyJ)/;

function looksSecret(word: string): boolean {
  if (SECRET_START.test(word)) return true;
  return word.length >= 32 && /^[A-Za-z0-9+_=-]*$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);
}

/** UUIDs are often the whole secret of an address. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** What people write between separators: words, numbers, dates, versions (`mcp`, `MyServer`, `v2`, `oauth2`, `2025`). */
const PLAIN_PART = /^(?:[A-Za-z]{1,20}\d{0,4}|[a-z]+|[A-Z]+|\d{1,8})$/;
/** Characters without such a shape from which a path segment counts as a key. Ids of people and things are shorter. */
const SHORTEST_KEY = 16;

/**
 * Whether a path segment is a token, as in `https://host/s/TOKEN/mcp`. Only digits and letters in a jumble count: an address
 * that is hidden where it need not be explains no failure.
 * @example
 * looksLikeKey("MGI3YzQ2ZmUtOWU1Zi00"); // true
 * looksLikeKey("report-of-2025-11-25-v2-final"); // false
 */
function looksLikeKey(segment: string): boolean {
  if (UUID.test(segment)) return true;
  if (segment.length < SHORTEST_KEY) return false;
  if (SECRET_START.test(segment)) return true;
  if (!/\d/.test(segment) || !/[A-Za-z]/.test(segment)) return false;
  const jumbled = segment.split(/[^A-Za-z0-9]/).filter((part) => !PLAIN_PART.test(part));
  return jumbled.join("").length >= SHORTEST_KEY;
}

/** A piece of a word or an address: what stands in its place, and what of it is secret. */
interface Piece {
  readonly shown: string;
  readonly secrets: readonly string[];
}

function plain(text: string): Piece {
  return { shown: text, secrets: [] };
}

function hidden(text: string, shown = MASK): Piece {
  return { shown, secrets: shown === text ? [] : [text] };
}

function show(pieces: readonly Piece[]): string {
  return pieces.map(({ shown }) => shown).join("");
}

/** `--token x`, `--api-key=x`, `Authorization: Bearer x`, and what looks like a token wherever it stands. */
export function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((word, index) => show(readWord(word, args[index - 1])));
}

/** What `maskArguments` masks of them. */
export function secretsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((word, index) => readWord(word, args[index - 1]).flatMap(({ secrets }) => secrets));
}

/** What is masked of an address. */
export function secretsInUrl(url: string): readonly string[] {
  return readUrl(url).flatMap(({ secrets }) => secrets);
}

function readWord(word: string, before = ""): readonly Piece[] {
  if (/^-{1,2}[^=]+$/.test(before) && SECRET_WORD.test(before) && !word.startsWith("-"))
    return [hidden(word, maskText(word))];
  const at = word.search(/[=:]/);
  const name = at > 0 ? word.slice(0, at) : "";
  if (name !== "" && (SECRET_WORD.test(name) || /^(?:proxy-)?authorization$/i.test(name))) {
    const value = word.slice(at + 1).trim();
    return [plain(word.slice(0, at + 1)), hidden(value, maskText(value))];
  }
  if (isUrl(word)) return readUrl(word);
  return [looksSecret(word) ? hidden(word) : plain(word)];
}

/** The value of an environment variable. */
export function maskVariable(name: string, value: string): string {
  if (SECRET_WORD.test(name) || looksSecret(value)) return maskText(value);
  return maskUrl(value);
}

function maskUrl(url: string): string {
  return show(readUrl(url));
}

/** `name=value`, or a word alone, in a query or a fragment. */
const PARAMETER = /([?&#])([^=&#?]*)(?:=([^&#]*))?/g;

/** Secret are who signs in with it, the values of its query and fragment, and path segments that are keys. */
function readUrl(url: string): readonly Piece[] {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url) ?? [];
  const [authority = ""] = scheme === "" ? [] : (/^[^/?#]*/.exec(url.slice(scheme.length)) ?? []);
  const rest = url.slice(scheme.length + authority.length);
  const readPath = scheme === "" ? (text: string) => [plain(text)] : readSegments;
  const pieces = [plain(scheme), ...readAuthority(authority)];
  let end = 0;
  for (const { 0: whole, 1: sign = "", 2: name = "", 3: value, index } of rest.matchAll(PARAMETER)) {
    const next = index + whole.length;
    // A `?` within a path, or nothing to mask.
    if (value === undefined ? name === "" || rest[next] === "?" : value === "") continue;
    pieces.push(...readPath(rest.slice(end, index)));
    end = next;
    if (value !== undefined) pieces.push(plain(`${sign}${name}=`), hidden(value, maskText(value)));
    else pieces.push(plain(sign), looksSecret(name) ? hidden(name) : plain(name));
  }
  return [...pieces, ...readPath(rest.slice(end))];
}

function readAuthority(authority: string): readonly Piece[] {
  const at = authority.lastIndexOf("@");
  if (at < 0) return [plain(authority)];
  const login = authority.slice(0, at);
  const colon = login.indexOf(":");
  const parts = colon < 0 ? [] : [login.slice(0, colon), login.slice(colon + 1)];
  return [{ shown: MASK, secrets: [login, ...parts] }, plain(authority.slice(at))];
}

function readSegments(path: string): readonly Piece[] {
  return path.split(/(\/)/).map((segment) => {
    const withoutVariables = segment.replace(/\$\{[^{}$]*\}/g, "");
    return looksLikeKey(withoutVariables) ? hidden(segment, maskText(segment)) : plain(segment);
  });
}
