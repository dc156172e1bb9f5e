// Whether a pattern matches a tool: by the tool's identity, never by the spelling in a call (POL-1).

import { formatCanonicalName, parseToolName, type Tool, type VersionRequest } from "@onym/core";
import { plainIntegration } from "@onym/core/naming";
import type { ToolPattern, VersionPattern } from "../model/policy-rule.js";

/**
 * `any`: deny and ask, which match every version and every former name. `own`: allow, which requires the present
 * identity, in version 1 if none is written.
 */
export type Reach = "any" | "own";

/** A present or former name of a tool, split into the parts that patterns use. */
export interface NamedIdentity {
  /** The canonical name, or the former one. */
  readonly name: string;
  readonly isFormer: boolean;
  readonly toolbox: string | undefined;
  readonly integration: string;
  readonly integrationVersion: VersionRequest;
  readonly tool: string;
  readonly toolVersion: VersionRequest;
}

/** The name of a tool that a pattern matches; `undefined` if it matches none. */
export type ToolMatcher = (names: readonly NamedIdentity[]) => NamedIdentity | undefined;

export function compileToolPatterns(patterns: readonly ToolPattern[], reach: Reach): ToolMatcher {
  const matchers = patterns.map((pattern) => compilePattern(pattern, reach));
  return (names) => {
    for (const name of names) {
      if (reach === "own" && name.isFormer) continue;
      for (const matches of matchers) if (matches(name)) return name;
    }
    return undefined;
  };
}

/** The tool's own identity first, then its former names. Former names that are not canonical are ignored. */
export function namesOfTool(tool: Tool, formerNames: readonly string[]): readonly NamedIdentity[] {
  const { canonical, toolbox, integration, integrationVersion, toolName, toolVersion } = tool;
  const own: NamedIdentity = {
    name: canonical,
    isFormer: false,
    toolbox,
    integration,
    integrationVersion,
    tool: toolName,
    toolVersion,
  };
  // The integration that the server had, or would have had, before a server with a similar id was added (NAME-8).
  const plain = plainIntegration(tool);
  const set =
    plain === integration
      ? []
      : [{ ...own, name: plainName(tool, plain), isFormer: true, integration: plain }];
  if (formerNames.length === 0 && set.length === 0) return [own];
  // A former name without a toolbox is in the tool's present toolbox.
  return [own, ...set, ...formerNames.flatMap((name) => formerIdentity(name, toolbox))];
}

function plainName(tool: Tool, integration: string): string {
  const { toolbox, integrationVersion, toolName, toolVersion } = tool;
  return formatCanonicalName({ toolbox, integration, integrationVersion, tool: toolName, toolVersion });
}

/** The canonical name of a tool that does not exist, to match patterns against. */
export function formerIdentity(name: string, toolboxOfTool?: string): readonly NamedIdentity[] {
  const parsed = parseToolName(name);
  if (!parsed.ok) return [];
  const { toolbox = toolboxOfTool, integration, integrationVersion, tool, toolVersion } = parsed.value;
  return [
    {
      name,
      isFormer: true,
      toolbox,
      // Stored integrations are lower case (CANON-1), but renames may be declared in any case.
      integration: integration.toLowerCase(),
      integrationVersion,
      tool,
      toolVersion,
    },
  ];
}

function compilePattern(pattern: ToolPattern, reach: Reach): (name: NamedIdentity) => boolean {
  const matchesToolbox = pattern.toolbox === undefined ? undefined : compileGlob(pattern.toolbox);
  const matchesIntegration = compileGlob(pattern.integration);
  const matchesName = compileGlob(pattern.tool);
  const integrationVersion = wantedVersion(pattern.integrationVersion, reach);
  const toolVersion = wantedVersion(pattern.toolVersion, reach);
  return (name) =>
    isVersion(integrationVersion, name.integrationVersion) &&
    isVersion(toolVersion, name.toolVersion) &&
    (matchesToolbox === undefined || (name.toolbox !== undefined && matchesToolbox(name.toolbox))) &&
    matchesIntegration(name.integration) &&
    matchesName(name.tool);
}

function wantedVersion(version: VersionPattern, reach: Reach): number | "any" {
  return version ?? (reach === "any" ? "any" : 1);
}

/** Only a former name can contain `latest`. Which version that was is unknown, so it matches every version. */
function isVersion(wanted: number | "any", version: VersionRequest): boolean {
  return wanted === "any" || version === "latest" || wanted === version;
}

// Globs in rules: `*` matches any text, `?` matches one character, everything else matches itself,
// case-sensitively.

export type Matcher = (text: string) => boolean;

/**
 * Not a regular expression, because the text comes from outside (SAFE-1). The pieces between stars are searched
 * from the left, each once, so the work is linear in the text.
 *
 * @example
 * compileGlob("delete_*")("delete_lead"); // true
 */
export function compileGlob(glob: string): Matcher {
  if (glob === "*") return () => true;
  const [head = "", ...middle] = glob.split("*");
  const tail = middle.pop();
  if (!glob.includes("?") && !PAIR.test(glob)) {
    if (tail === undefined) return (text) => text === glob;
    return (text) => matchesPlain(text, head, middle, tail);
  }
  // A character is a code point, so half of a surrogate pair does not match.
  const pieces: Pieces = {
    head: Array.from(head),
    middle: middle.map(readPiece),
    tail: tail === undefined ? undefined : Array.from(tail),
  };
  return (text) => matchesPieces(PAIR.test(text) ? Array.from(text) : text, pieces);
}

const PAIR = /[\uD800-\uDFFF]/;

function matchesPlain(text: string, head: string, middle: readonly string[], tail: string): boolean {
  const end = text.length - tail.length;
  if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of middle) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}

type Characters = string | readonly string[];

interface Pieces {
  readonly head: readonly string[];
  readonly middle: readonly Piece[];
  /** Absent if there is no star; then the head is the whole glob. */
  readonly tail: readonly string[] | undefined;
}

/** A piece between stars, with its longest part without `?`, which is searched first. */
interface Piece {
  readonly characters: readonly string[];
  readonly literal: string;
  /** Characters before that part. */
  readonly before: number;
}

function readPiece(text: string): Piece {
  const literals = text.split("?");
  const literal = literals.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  const before = Array.from(text.slice(0, text.indexOf(literal))).length;
  return { characters: Array.from(text), literal, before };
}

function matchesPieces(text: Characters, { head, middle, tail }: Pieces): boolean {
  if (tail === undefined) return text.length === head.length && startsAt(text, 0, head);
  const end = text.length - tail.length;
  if (end < head.length || !startsAt(text, 0, head) || !startsAt(text, end, tail)) return false;
  let at = head.length;
  for (const piece of middle) {
    const found = findPiece(text, piece, at, end);
    if (found === undefined) return false;
    at = found + piece.characters.length;
  }
  return true;
}

function findPiece(
  text: Characters,
  { characters, literal, before }: Piece,
  from: number,
  end: number,
): number | undefined {
  for (let at = from; at + characters.length <= end; at += 1) {
    if (typeof text === "string") {
      const found = text.indexOf(literal, at + before);
      if (found < 0) return undefined;
      at = found - before;
      if (at + characters.length > end) return undefined;
    }
    if (startsAt(text, at, characters)) return at;
  }
  return undefined;
}

function startsAt(text: Characters, at: number, piece: readonly string[]): boolean {
  for (let offset = 0; offset < piece.length; offset += 1) {
    if (piece[offset] !== "?" && piece[offset] !== text[at + offset]) return false;
  }
  return true;
}
