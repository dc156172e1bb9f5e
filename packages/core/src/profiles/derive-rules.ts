// Turns the simple patterns that clients publish into name rules: characters, first character, shape, lengths.

import type { NameRules } from "./profile.js";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

/** Words joined by single underscores cannot be expressed by two classes; these two patterns are known. */
const SNAKE_PATTERNS: ReadonlyMap<string, string> = new Map([
  ["^[a-z][a-z0-9]*(_[a-z0-9]+)*$", LOWER],
  ["^[a-z0-9]+(_[a-z0-9]+)*$", LOWER + DIGITS],
]);

const ANY_PATTERN = /^\^\[\\s\\S\]([+*]|\{\d{1,6}(?:,\d{0,6})?\})\$$/;

const CLASS = "\\[((?:[^\\\\\\]^]|\\\\.)(?:[^\\\\\\]]|\\\\.)*)\\]";
const BAN = "((?:\\(\\?!\\.\\*[A-Za-z0-9_./:-]+\\))*)";
const SIMPLE_PATTERN = new RegExp(
  `^\\^${BAN}${CLASS}${BAN}(?:${CLASS})?([+*]|\\{\\d{1,6}(?:,\\d{0,6})?\\})?\\$$`,
);

/**
 * Derives rules from a pattern of the form `^[first][rest]{m,n}$`: one or two classes, a quantifier, and
 * `(?!.*text)` for forbidden texts. `undefined` for every other pattern.
 *
 * @example
 * deriveRules("^[a-zA-Z][a-zA-Z0-9_]{0,63}$")?.maxLength; // 64
 */
export function deriveRules(pattern: string): NameRules | undefined {
  const any = ANY_PATTERN.exec(pattern);
  if (any !== null) {
    const { min, max } = readQuantifier(any[1]);
    return { shape: "any", alphabet: "", first: "", forbidden: [], minLength: min, maxLength: max };
  }
  const snakeFirst = SNAKE_PATTERNS.get(pattern);
  if (snakeFirst !== undefined) {
    const alphabet = `${LOWER}${DIGITS}_`;
    return {
      shape: "snake",
      alphabet,
      first: snakeFirst,
      forbidden: ["__"],
      minLength: 1,
      maxLength: Infinity,
    };
  }
  const simple = SIMPLE_PATTERN.exec(pattern);
  if (simple === null) return undefined;
  const [, banned = "", firstClass = "", bannedLater = "", restClass, quantifier] = simple;
  const leading = expandClass(firstClass);
  const rest = restClass === undefined ? leading : expandClass(restClass);
  if (leading === undefined || rest === undefined) return undefined;
  const { min, max } = readQuantifier(quantifier);
  const lead = restClass === undefined ? 0 : 1;
  // An alphabet cannot express a character that is allowed only in first place.
  if ([...leading].some((character) => !rest.includes(character))) return undefined;
  return {
    shape: isCamel(rest) ? "camel" : "ascii",
    alphabet: rest,
    first: lead === 1 && leading.length < rest.length ? leading : "",
    forbidden: readBans(banned + bannedLater),
    minLength: min + lead,
    maxLength: max + lead,
  };
}

/** The texts of the `(?!.*TEXT)` groups; the argument contains nothing else. */
function readBans(groups: string): readonly string[] {
  return groups
    .split("(?!.*")
    .slice(1)
    .map((group) => group.slice(0, -1));
}

function readQuantifier(quantifier: string | undefined): { min: number; max: number } {
  if (quantifier === undefined) return { min: 1, max: 1 };
  if (quantifier === "+") return { min: 1, max: Infinity };
  if (quantifier === "*") return { min: 0, max: Infinity };
  const [low = "0", high = low] = quantifier.slice(1, -1).split(",");
  return { min: Number(low), max: high === "" ? Infinity : Number(high) };
}

function isCamel(alphabet: string): boolean {
  return !/[^A-Za-z0-9]/.test(alphabet) && /[a-z]/.test(alphabet) && /[A-Z]/.test(alphabet);
}

/**
 * Expands a character class (without its brackets): letters, ranges, `\w`, `\d` and escaped punctuation, all
 * printable ASCII. `undefined` for anything else.
 */
export function expandClass(body: string): string | undefined {
  const found = new Set<string>();
  let at = 0;
  while (at < body.length) {
    const unit = readUnit(body, at);
    if (unit === undefined) return undefined;
    at = unit.next;
    const end = body[at] === "-" && unit.text.length === 1 ? readUnit(body, at + 1) : undefined;
    if (end === undefined) {
      for (const character of unit.text) found.add(character);
      continue;
    }
    const from = unit.text.charCodeAt(0);
    const to = end.text.charCodeAt(0);
    if (end.text.length !== 1 || to < from) return undefined;
    for (let code = from; code <= to; code++) found.add(String.fromCharCode(code));
    at = end.next;
  }
  return [...found].sort().join("");
}

function readUnit(body: string, at: number): { text: string; next: number } | undefined {
  const character = body[at];
  if (character === undefined || character < " " || character > "~") return undefined;
  if (character !== "\\") return { text: character, next: at + 1 };
  const escaped = body[at + 1];
  if (escaped === "w") return { text: `${LOWER}${UPPER}${DIGITS}_`, next: at + 2 };
  if (escaped === "d") return { text: DIGITS, next: at + 2 };
  if (escaped === undefined || /[A-Za-z0-9]/.test(escaped) || escaped < " " || escaped > "~")
    return undefined;
  return { text: escaped, next: at + 2 };
}
