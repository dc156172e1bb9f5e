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

/** `--token x`, `--api-key=x`, `Authorization: Bearer x`, and what looks like a token wherever it stands. */
export function maskArguments(args: readonly string[]): readonly string[] {
  return args.map((word, index) => {
    const before = args[index - 1] ?? "";
    if (/^-{1,2}[^=]+$/.test(before) && SECRET_WORD.test(before) && !word.startsWith("-"))
      return maskText(word);
    const at = word.search(/[=:]/);
    const name = at > 0 ? word.slice(0, at) : "";
    if (name !== "" && (SECRET_WORD.test(name) || /^(?:proxy-)?authorization$/i.test(name)))
      return `${word.slice(0, at + 1)}${maskText(word.slice(at + 1).trim())}`;
    if (isUrl(word)) return maskUrl(word);
    return looksSecret(word) ? MASK : word;
  });
}

/** The value of an environment variable. */
export function maskVariable(name: string, value: string): string {
  if (SECRET_WORD.test(name) || looksSecret(value)) return maskText(value);
  return maskUrl(value);
}

/** Who signs in with it, and the values of its query and fragment. */
function maskUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/([?&#][^=&#?]*=)([^&#]+)/g, (_, start: string, value: string) => start + maskText(value))
    .replace(/([?&#])([^=&#?]+)(?=[&#]|$)/g, (whole, start: string, word: string) =>
      looksSecret(word) ? start + MASK : whole,
    );
}
