// Texts of settings as people may see them: values in the places of secrets, and what looks like one, are masked.

import { MASK, maskArguments, maskEntry } from "../../../model/mask-secrets.js";

const SECRET_KEY = /(?:key|token|secret|password|passwd|credential|auth|cookie|session)s?$/i;

/** Every text in a value that must not be shown. */
export function collectSecrets(value: unknown, secrets = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const item of value) collectSecrets(item, secrets);
  if (typeof value !== "object" || value === null) return secrets;
  if (!Array.isArray(value)) noteMasked(value, secrets);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === "string") {
      const isShort = /^(?:true|false|\d{1,5}|)$/.test(member);
      const isSecret = SECRET_KEY.test(key) || maskArguments([member])[0] !== member;
      if (isSecret && !isShort && !/^\$\{[^{}]*\}$/.test(member)) secrets.add(member);
    } else collectSecrets(member, secrets);
  }
  return secrets;
}

/** What the entry of a server would not be shown with. */
function noteMasked(entry: object, secrets: Set<string>): void {
  const plain = withHeaders(entry);
  const masked = maskEntry(plain);
  for (const key of ["env", "environment", "envs", "headers", "http_headers"]) {
    const values = Reflect.get(plain, key);
    if (typeof values !== "object" || values === null) continue;
    for (const [name, text] of Object.entries(values))
      if (typeof text === "string" && text !== "" && !/^\$\{[^{}]*\}$/.test(text) && !isPlain(name, text))
        secrets.add(text);
  }
  const { args } = plain as { readonly args?: unknown };
  if (!Array.isArray(args)) return;
  const shown = (masked as { readonly args?: readonly unknown[] }).args ?? [];
  for (const [index, word] of args.entries())
    if (typeof word === "string" && shown[index] !== word) secrets.add(word);
}

const SECRET_NAME = /key|token|secret|pass|pwd|cred|auth|cookie|session|pin|code|salt|sign/i;
const PLAIN_VALUE =
  /^(?:true|false|on|off|yes|no|\d{1,5}|trace|debug|info|warn|warning|error|silent|production|development|staging|utf-?8)$/i;
const PATH_NAME = /(?:path|file|dir|directory|folder|home|root)$/i;
const PATH_VALUE = /^(?:~|\.{0,2})\/[\w .@/-]*$|^[A-Za-z]:[\\/][\w .@\\/-]*$/;

/** Settings that people want to see in a diff: switches, levels, and paths under the name of one. Anything else may be a secret. */
function isPlain(name: string, value: string): boolean {
  if (SECRET_NAME.test(name)) return false;
  return PLAIN_VALUE.test(value) || (PATH_NAME.test(name) && PATH_VALUE.test(value));
}

/** Only what can be masked: the members of strangers may be anything. */
function withHeaders(entry: object): object {
  const texts = Object.entries(entry).filter(([key, member]) => {
    if (key === "args") return Array.isArray(member) && member.every((word) => typeof word === "string");
    if (key === "url") return typeof member === "string";
    return typeof member === "object" && member !== null && !Array.isArray(member);
  });
  return Object.fromEntries(texts);
}

/** The text with each secret masked, also where it is written with escapes. */
export function maskSecretTexts(text: string, secrets: ReadonlySet<string>): string {
  const spelled = [...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return [...new Set(spelled)]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length)
    .reduce(
      (left, secret) => left.replaceAll(quotedOr(secret), (whole) => whole.replace(secret, () => MASK)),
      text,
    );
}

/** Short values are masked only where they stand alone, or every number of a file would be. */
function quotedOr(secret: string): RegExp {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return secret.length >= 6
    ? new RegExp(escaped, "g")
    : new RegExp(`["']${escaped}["']|(?<=[:=] )${escaped}$`, "gm");
}
