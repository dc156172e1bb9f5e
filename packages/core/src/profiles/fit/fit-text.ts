// Makes the characters of a text legal for a profile (NAME-2). Does not limit its length.

import type { CompiledRules } from "./compile-rules.js";

/** The text with only legal characters and no forbidden sequence. Legal text is returned as the same string. */
export function fitText(text: string, compiled: CompiledRules): string {
  switch (compiled.rules.shape) {
    case "any":
      return text;
    case "snake":
      return toSnake(text);
    case "camel":
      return toCamel(text);
    case "ascii":
      return withoutForbidden(replaceOutside(text, compiled), compiled);
  }
}

/** Gives a fitted text a legal first character and the minimum length. The result may be longer. */
export function fitStart(text: string, compiled: CompiledRules): string {
  const { rules, first, filler } = compiled;
  if (rules.shape === "any") return text === "" && rules.minLength > 0 ? "tool" : text;
  let name = text === "" ? "tool" : text;
  if (first[name.charCodeAt(0)] !== 1) {
    const letter = first[0x74] === 1 ? "t" : (rules.first[0] ?? rules.alphabet[0] ?? "t");
    name = isSeparator(name.charCodeAt(0)) ? letter + name : letter + filler + name;
  }
  // Short names grow at the front, because their ends distinguish them.
  while (name.length < rules.minLength) name = `t${filler}${name}`;
  return name;
}

function replaceOutside(text: string, { allowed, filler, foldsCase }: CompiledRules): string {
  const source = foldsCase ? text.toLowerCase() : text;
  let at = 0;
  while (at < source.length && allowed[source.charCodeAt(at)] === 1) at++;
  if (at === source.length) return source;

  let fitted = "";
  let from = 0;
  while (at < source.length) {
    const kept = source.slice(from, at);
    // A run of them is replaced at once: a name may be full of one character.
    let replaced = 0;
    for (; at < source.length && allowed[source.charCodeAt(at)] !== 1; at++) {
      // A surrogate pair is one character, so one filler replaces it.
      const next = source.charCodeAt(at + 1);
      if (isHighSurrogate(source.charCodeAt(at)) && next >= 0xdc00 && next < 0xe000) at++;
      replaced++;
    }
    fitted += kept + (replaced === 1 ? filler : filler.repeat(replaced));
    from = at;
    while (at < source.length && allowed[source.charCodeAt(at)] === 1) at++;
  }
  return fitted + source.slice(from);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function withoutForbidden(text: string, { rules, allowed }: CompiledRules): string {
  let fitted = text;
  for (let before = ""; before !== fitted; ) {
    before = fitted;
    for (const sequence of rules.forbidden) {
      // `--` becomes `__` if that is allowed; otherwise characters are removed until the sequence is gone.
      const replaced = sequence.replace(/-/g, "_");
      const isFree = allowed[0x5f] === 1 && !rules.forbidden.some((other) => replaced.includes(other));
      const substitute = isFree ? replaced : sequence.slice(1);
      while (fitted.includes(sequence)) fitted = fitted.replaceAll(sequence, substitute);
    }
  }
  return fitted;
}

const PLAIN_WORDS = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

/** `getUserByID` → `get_user_by_id`; everything except letters and digits separates words. */
function toSnake(text: string): string {
  if (PLAIN_WORDS.test(text)) return text.includes("-") ? text.replaceAll("-", "_") : text;
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

function toCamel(text: string): string {
  const snake = toSnake(text);
  let camel = "";
  let from = 0;
  for (let at = snake.indexOf("_"); at >= 0; at = snake.indexOf("_", from)) {
    camel += snake.slice(from, at) + snake.charAt(at + 1).toUpperCase();
    from = at + 2;
  }
  return camel + snake.slice(from);
}

function isSeparator(unit: number): boolean {
  return unit === 0x5f || unit === 0x2d || unit === 0x2e;
}
