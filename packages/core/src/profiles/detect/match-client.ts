// Matches one text from a client, its name or its user agent, against the detection tables.

import type { Profile } from "../profile.js";
import {
  detectionIndex,
  GENERIC_NAMES,
  LOOSE_WORDS,
  NAME_PARTS,
  NAME_STARTS,
  OPENAI_SURFACES,
  ownIndex,
  SHARED_NAMES,
} from "./detection-index.js";

/** The profile that a text indicates, and with what confidence. */
export interface ClientMatch {
  readonly id: string;
  readonly confidence: "exact" | "shared" | "loose";
  /** The part of the text that was recognised, in lower case. */
  readonly matched: string;
}

/** Matches a `clientInfo.name` (or title). The user's own profiles come first. */
export function matchClientName(name: string, own: readonly Profile[] = []): ClientMatch | undefined {
  const key = name.toLowerCase();
  const { clientNames, starts, dropped } = ownIndex(own);
  const id = clientNames.get(key) ?? starts.find(([start]) => key.startsWith(start))?.[1];
  if (id !== undefined) return { id, confidence: "exact", matched: key };
  if (GENERIC_NAMES.has(key) || dropped.has(key)) return undefined;
  const known = matchExact(key, detectionIndex().clientNames) ?? matchPart(key);
  return known ?? matchWords(key.split(/[\s/@(),;]+/)) ?? matchWords(key.split(/[^a-z0-9]+/));
}

/** Matches a user agent: `Product/1.0 (comment; comment) Other/2.0`. */
export function matchUserAgent(userAgent: string, own: readonly Profile[] = []): ClientMatch | undefined {
  const text = userAgent.toLowerCase();
  const comments = [...text.matchAll(/\(([^()]*)\)/g)].flatMap((comment) => splitList(comment[1] ?? ""));
  const outside = text.replace(/\([^()]*\)/g, " ").trim();
  const { products } = detectionIndex();
  const words = outside.split(/\s+/);
  const named = words.filter((word) => word.includes("/"));
  const candidates = [text, outside, productOf(outside), ...named.map(productOf)];
  const ownProducts = ownIndex(own).products;
  for (const candidate of candidates) {
    const id = ownProducts.get(candidate);
    if (id !== undefined) return { id, confidence: "exact", matched: candidate };
  }
  for (const candidate of candidates) {
    const match = matchExact(candidate, products);
    if (match !== undefined) return refine(match, comments);
  }
  return matchWords(words) ?? matchWords(comments.map(productOf));
}

/** One product name covers several surfaces; the comment distinguishes them. */
function refine(match: ClientMatch, comments: readonly string[]): ClientMatch {
  if (match.matched === "openai-mcp") {
    for (const comment of comments) {
      const id = OPENAI_SURFACES.get(comment);
      if (id !== undefined) return { id, confidence: "exact", matched: `openai-mcp (${comment})` };
    }
  }
  if (match.id === "claude-code" && comments.includes("claude-desktop")) {
    return { id: "claude-desktop", confidence: "exact", matched: "claude-code (claude-desktop)" };
  }
  return match;
}

function matchExact(text: string, names: ReadonlyMap<string, string>): ClientMatch | undefined {
  const id = names.get(text);
  if (id === undefined) return undefined;
  const confidence = SHARED_NAMES.has(text) ? "shared" : LOOSE_WORDS.has(text) ? "loose" : "exact";
  return { id, confidence, matched: text };
}

function matchPart(name: string): ClientMatch | undefined {
  const found =
    NAME_STARTS.find(([start]) => name.startsWith(start)) ?? NAME_PARTS.find(([part]) => name.includes(part));
  return found === undefined ? undefined : { id: found[1], confidence: "exact", matched: found[0] };
}

function matchWords(words: readonly string[]): ClientMatch | undefined {
  for (const word of words) {
    const id = LOOSE_WORDS.get(word);
    if (id !== undefined) return { id, confidence: "loose", matched: word };
  }
  return undefined;
}

function productOf(text: string): string {
  const end = text.indexOf("/");
  return (end < 0 ? text : text.slice(0, end)).trim();
}

function splitList(text: string): string[] {
  return text.split(/[,;]/).map((item) => item.trim());
}
