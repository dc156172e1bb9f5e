// How clients rewrite the characters of an alias or of a name. One function per way, each linear in its input.

import type { AliasRewrite, NameRewrite } from "./profile.js";

type Rewrite = (text: string) => string;

const REWRITES: Readonly<Record<AliasRewrite | NameRewrite, Rewrite>> = {
  verbatim: (text) => text,
  underscore: (text) => text.replace(/[^A-Za-z0-9_-]/g, "_"),
  "underscore-only": (text) => text.replace(/[^A-Za-z0-9_]/g, "_"),
  alnum: (text) => text.replace(/[^A-Za-z0-9]/g, "_"),
  "keep-dots": (text) => text.replace(/[^A-Za-z0-9_.-]/g, "_"),
  hyphen: (text) => text.replace(/[^A-Za-z0-9_.-]/g, "-"),
  gemini: (text) => text.replace(/[^A-Za-z0-9_.:-]/g, "_"),
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

/** Rewrites a text as a client would. */
export function rewriteText(text: string, how: AliasRewrite | NameRewrite): string {
  return REWRITES[how](text);
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
  // Look-arounds, because a repeated group would take quadratic time on a long run of capitals.
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

/** For texts whose underscores are already single. */
function trimUnderscore(text: string): string {
  return text.replace(/^_/, "").replace(/_$/, "");
}
