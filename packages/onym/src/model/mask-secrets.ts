// Server entries as people may see them: values in the places of secrets, and what looks like one, are masked.

/** In place of a secret. */
export const MASK = "••••";

interface ShownEntry {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

/** The entry without its secrets; variables stay, because they are none. */
export function maskEntry<Entry extends object>(entry: Entry): Entry {
  const { args, env, headers, url } = entry as ShownEntry;
  return {
    ...entry,
    ...(args === undefined ? {} : { args: maskArguments(args) }),
    ...(env === undefined ? {} : { env: maskValues(env) }),
    ...(headers === undefined ? {} : { headers: maskValues(headers) }),
    ...(url === undefined ? {} : { url: maskUrl(url) }),
  };
}

function maskValues(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? maskText(value) : value,
    ]),
  );
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
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return maskUrl(word);
    return looksSecret(word) ? MASK : word;
  });
}

/** The value of an environment variable. */
export function maskVariable(name: string, value: string): string {
  if (SECRET_WORD.test(name) || looksSecret(value)) return maskText(value);
  return maskUrl(value);
}

/** Who signs in with it, and the values of its query. */
function maskUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&][^=&#?]*=)([^&#]+)/g, (_, start: string, value: string) => start + maskText(value));
}
