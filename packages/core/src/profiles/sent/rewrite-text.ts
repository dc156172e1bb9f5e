// How clients rewrite the characters of an alias or a name. One function per rewrite, each linear in its input.

import type { AliasRewrite, NameRewrite } from "../profile.js";

type Rewrite = (text: string) => string;

const REWRITES: Readonly<Record<AliasRewrite | NameRewrite, Rewrite>> = {
  verbatim: (text) => text,
  underscore: (text) => text.replace(/[^A-Za-z0-9_-]/g, "_"),
  "underscore-only": (text) => text.replace(/[^A-Za-z0-9_]/g, "_"),
  alnum: (text) => text.replace(/[^A-Za-z0-9]/g, "_"),
  "keep-dots": rewriteKeepingDots,
  hyphen: (text) => text.replace(/[^A-Za-z0-9_.-]/g, "-"),
  gemini: (text) => text.replace(/[^A-Za-z0-9_.:-]/g, "_"),
  "one-each": (text) => text.replace(/[^A-Za-z0-9_]/gu, "_"),
  squeeze: (text) => text.replace(/[^A-Za-z0-9_-]/g, "_").replace(/_+/g, "_"),
  punycode: rewriteToPunycode,
  runs: (text) => text.replace(/[^A-Za-z0-9_-]+/g, "_"),
  slug: (text) => trimUnderscore(text.toLowerCase().replace(/[^a-z0-9]+/g, "_")),
  announced: (text) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9_.-]+/g, "_")
      .replaceAll(".", "_"),
  "extension-key": (text) =>
    text
      .replace(/\s/g, "")
      .replace(/[^A-Za-z0-9_-]/g, "_")
      .toLowerCase(),
  delete: rewriteByDeleting,
  letters: rewriteToLetters,
  snake: rewriteToSnake,
  camel: rewriteToCamel,
};

/** Rewrites a text as the client does. */
export function rewriteText(text: string, how: AliasRewrite | NameRewrite): string {
  return REWRITES[how](text);
}

/** Trims edges only if something was replaced. If nothing is left, the name is a checksum of its characters. */
function rewriteKeepingDots(text: string): string {
  const kept = text.replace(/[^A-Za-z0-9_.-]/g, "_");
  if (kept === text && text !== "") return text;
  const trimmed = kept.replace(/_+/g, (run, at: number) => trimEdge(run, at, kept));
  if (trimmed !== "") return trimmed;
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return `server_${Math.abs(sum)}`;
}

function trimEdge(run: string, at: number, text: string): string {
  return at === 0 || at + run.length === text.length ? "" : run;
}

function rewriteByDeleting(text: string): string {
  if (text === "") return "_";
  const kept = text
    .replace(/\s+/g, "_")
    .replace(/[^A-Za-z0-9_-]/g, "")
    .replace(/--+/g, "-");
  if (kept === "") return "_unnamed";
  return /^[A-Za-z_]/.test(kept) ? kept : `_${kept}`;
}

function rewriteToLetters(text: string): string {
  const kept = text.replace(/[^A-Za-z0-9_]/g, "").replaceAll("___", "");
  return /^[A-Za-z]/.test(kept) ? kept : `a${kept}`;
}

function rewriteToSnake(text: string): string {
  // Look-arounds, because a repeated group takes quadratic time on a long run of capitals.
  const words = text
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]|['"]/g, "")
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])/g, "_");
  return trimUnderscore(words.toLowerCase().replace(/[^a-z0-9]+/g, "_"));
}

function rewriteToCamel(text: string): string {
  const camel = text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+([a-z0-9]?)/g, (_run, next: string) => next.toUpperCase());
  return /^[0-9]/.test(camel) ? `_${camel}` : camel;
}

/** Names are not longer than this (SAFE-4), and punycode takes quadratic time. */
const MAX_PUNYCODE_LENGTH = 1024;

/** Uses the terms of RFC 3492 and treats the name as one domain label. */
function rewriteToPunycode(text: string): string {
  const plain = text.slice(0, MAX_PUNYCODE_LENGTH).replace(/[^A-Za-z0-9_\-\u0080-\uffff]/g, "-");
  return /[^\0-\x7f]/.test(plain) ? `xn--${encodePunycode([...plain])}` : plain;
}

function encodePunycode(characters: readonly string[]): string {
  const points = characters.map((character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < 128);
  let output = String.fromCharCode(...basic) + (basic.length > 0 ? "-" : "");
  let [n, delta, bias, handled] = [128, 0, 72, basic.length];
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      output += encodeDelta(delta, bias);
      bias = adaptBias(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

function encodeDelta(delta: number, bias: number): string {
  let [output, rest] = ["", delta];
  for (let k = 36; ; k += 36) {
    const threshold = Math.min(26, Math.max(1, k - bias));
    if (rest < threshold) return output + punycodeDigit(rest);
    output += punycodeDigit(threshold + ((rest - threshold) % (36 - threshold)));
    rest = Math.floor((rest - threshold) / (36 - threshold));
  }
}

/** Punycode digits: letters first, then 0 to 9. */
function punycodeDigit(value: number): string {
  return value < 26 ? String.fromCharCode(97 + value) : String(value - 26);
}

function adaptBias(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35);
  return k + Math.floor((36 * rest) / (rest + 38));
}

/** For texts that contain only single underscores. */
function trimUnderscore(text: string): string {
  return text.replace(/^_/, "").replace(/_$/, "");
}
