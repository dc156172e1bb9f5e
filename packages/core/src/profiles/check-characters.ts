// The character checks of a name: what it must not contain, start with, end with or repeat.

import { quoteText } from "../names/escape-text.js";
import type { Severity } from "../names/problem.js";
import { compileProfile } from "./compile-profile.js";
import { joinParts } from "./fit/compile-rules.js";
import type { NameRules, Profile } from "./profile.js";

/** A finding without its fix. All findings about one name share one fix, which is computed later. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly position?: number;
  /** Set if renaming the tool does not help. */
  readonly fix?: string;
}

/** A message lists at most this many different characters. */
const LISTED = 32;

export function checkCharacters(name: string, profile: Profile): Finding[] {
  const { documented } = compileProfile(profile);
  const refused = collectOutside(name, documented.alphabet);
  return [
    ...checkRefused(name, profile, refused),
    ...checkFirst(name, profile, documented),
    ...checkLast(name, profile, documented),
    ...checkSequences(name, profile, documented),
    ...checkEdges(name, profile),
    ...(refused.size === 0 ? checkUnsafe(name, profile) : []),
  ];
}

/** Every character outside the alphabet, once each, in order, with its first position. */
function collectOutside(name: string, alphabet: string): Map<string, number> {
  const found = new Map<string, number>();
  if (alphabet === "") return found;
  const allowed = new Set(alphabet);
  let at = 0;
  for (const character of name) {
    if (!allowed.has(character) && !found.has(character)) found.set(character, at);
    at += character.length;
  }
  return found;
}

function checkRefused(name: string, profile: Profile, refused: ReadonlyMap<string, number>): Finding[] {
  const findings: Finding[] = [];
  const quoted = quoteName(name);
  const space = refused.get(" ");
  const comma = refused.get(",");
  if (space !== undefined) {
    const message = `${quoted} holds a space, which ${ownerOf(profile)} does not allow.`;
    findings.push({ code: "spaces", severity: "error", message, position: space });
  }
  if (comma !== undefined) {
    const message = `${quoted} holds a comma, which ${ownerOf(profile)} does not allow.`;
    findings.push({ code: "commas", severity: "error", message, position: comma });
  }
  const others = [...refused].filter(([character]) => character !== " " && character !== ",");
  const position = others[0]?.[1];
  if (position !== undefined) {
    const message = `${quoted} holds ${listCharacters(others.map(([character]) => character))}, which ${ownerOf(profile)} does not allow.`;
    findings.push({ code: "bad-characters", severity: "error", message, position });
  }
  return findings;
}

function listCharacters(characters: readonly string[]): string {
  const shown = characters.slice(0, LISTED).map((character) => quoteText(character));
  const more = characters.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function checkFirst(name: string, profile: Profile, { first, alphabet }: NameRules): Finding[] {
  const start = name.charAt(0);
  const isRefusedAnyway = alphabet !== "" && !alphabet.includes(start);
  if (first === "" || first.includes(start) || isRefusedAnyway) return [];
  const message = `${quoteName(name)} starts with ${quoteText(start)}, which ${ownerOf(profile)} does not allow there.`;
  return [{ code: "bad-first-character", severity: "error", message, position: 0 }];
}

function checkLast(name: string, profile: Profile, { shape }: NameRules): Finding[] {
  if (shape !== "snake" || !name.endsWith("_")) return [];
  const message = `${quoteName(name)} ends with "_", which ${ownerOf(profile)} does not allow there.`;
  return [{ code: "bad-last-character", severity: "error", message, position: name.length - 1 }];
}

/** A sequence that the pattern rejects is an error; one that the client silently strips is a warning. */
function checkSequences(name: string, profile: Profile, documented: NameRules): Finding[] {
  const texts = new Set([...documented.forbidden, ...profile.rules.forbidden]);
  const words = joinParts(name, profile.rules);
  return [...texts].flatMap((text): Finding[] => {
    if (!words.includes(text)) return [];
    const position = name.indexOf(text);
    const message = `${quoteName(name)} holds ${quoteText(text)}, which ${profile.id} does not keep.`;
    const severity = documented.forbidden.includes(text) ? "error" : "warning";
    return [{ code: "forbidden-sequence", severity, message, position }];
  });
}

function checkEdges(name: string, profile: Profile): Finding[] {
  if (profile.kind !== "specification" || profile.unrestricted) return [];
  return (["dash", "dot"] as const).flatMap((word): Finding[] => {
    const mark = word === "dash" ? "-" : ".";
    if (!name.startsWith(mark) && !name.endsWith(mark)) return [];
    const position = name.startsWith(mark) ? 0 : name.length - 1;
    const message = `${quoteName(name)} starts or ends with a ${word}, which some clients do not allow.`;
    return [{ code: `edge-${word}`, severity: "warning", message, position }];
  });
}

/** The client accepts anything, but some names break further down (Ollama's output parsers). */
function checkUnsafe(name: string, profile: Profile): Finding[] {
  const { alphabet, first } = profile.rules;
  const isHeldBySentPattern = compileProfile(profile).sentAlphabet !== "";
  if (profile.unrestricted || isHeldBySentPattern) return [];
  const outside = collectOutside(name, alphabet);
  const start = name.charAt(0);
  if (outside.size === 0 && first !== "" && !first.includes(start)) outside.set(start, 0);
  const position = outside.values().next().value;
  if (position === undefined) return [];
  const message = `${quoteName(name)} holds ${listCharacters([...outside.keys()])}, which not every model in ${profile.id} keeps.`;
  return [{ code: "unsafe-characters", severity: "warning", message, position }];
}

/** Whose rules they are, in a sentence. */
export function ownerOf({ id }: Pick<Profile, "id">): string {
  return id === "mcp" ? "the MCP specification" : id;
}

// A name in quotes for a message. Only the part that is shown is escaped, so long names cost no more.

/** More characters than a quotation shows at either end. */
const END = 200;

export function quoteName(name: string): string {
  return quoteText(name.length > 2 * END ? name.slice(0, END) + name.slice(-END) : name);
}
