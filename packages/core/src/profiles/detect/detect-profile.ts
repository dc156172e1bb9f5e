// Detects which client is calling from what it says about itself (GW-3). All of it can be forged, so detection only
// selects names and never grants permissions.

import { escapeText } from "../../names/escape-text.js";
import { findProfile, universalProfile } from "../find-profile.js";
import type { Profile } from "../profile.js";
import { ALIAS_STARTS, ANTHROPIC_SURFACES, ownIndex } from "./detection-index.js";
import { matchClientName, matchUserAgent } from "./match-client.js";
import { type DetectionHints, type ReadHints, readHints } from "./read-hints.js";

/**
 * `exact`: the client's own name or header. `shared`: a name that several products use. `loose`: a word inside a
 * longer text. `none`: nothing recognised.
 */
export type DetectionConfidence = "exact" | "shared" | "loose" | "none";

/** One thing that the client sent, and how it was interpreted. */
export interface DetectionEvidence {
  readonly source: "clientInfo" | "userAgent" | "header";
  /** What was sent, escaped for display. */
  readonly text: string;
  /** What was recognised in it, or why nothing was. */
  readonly matched: string;
}

export interface Detection {
  readonly profile: Profile;
  readonly confidence: DetectionConfidence;
  /** The deciding evidence comes first. */
  readonly evidence: readonly DetectionEvidence[];
  /** The client connects through this bridge. */
  readonly via?: "mcp-remote";
  /** The alias under which the client registers the gateway, if it announces it. */
  readonly alias?: string;
}

interface Candidate {
  readonly id: string;
  readonly confidence: DetectionConfidence;
  readonly evidence: DetectionEvidence;
}

/**
 * The profile of the client that sent these hints; `universal` if none is recognised. The user's own profiles take
 * precedence over built-in ones.
 *
 * @example
 * detectProfile({ clientInfo: { name: "cursor-vscode (via mcp-remote 0.1.37)" } });
 * // { profile: cursor, confidence: "exact", via: "mcp-remote", evidence: [ … ] }
 */
export function detectProfile(
  hints: DetectionHints,
  { own = [] }: { readonly own?: readonly Profile[] } = {},
): Detection {
  const read = readHints(hints);
  const found = collectCandidates(read, own);
  // An exact match wins over a word inside a text, and that wins over a name that several products share.
  const chosen =
    found.find(({ confidence }) => confidence === "exact") ??
    found.find(({ confidence }) => confidence === "loose") ??
    found[0] ??
    bridgeOnly(read);
  const named = (id: string): Profile | undefined => own.find((each) => each.id === id) ?? findProfile(id);
  const profile = chosen === undefined ? undefined : named(chosen.id);
  const via = read.via === undefined ? {} : { via: read.via };
  if (chosen === undefined || profile === undefined) {
    const universal = named("universal") ?? universalProfile();
    return { profile: universal, confidence: "none", evidence: explainNothing(read), ...via };
  }
  const others = found.filter((candidate) => candidate !== chosen).map(({ evidence }) => evidence);
  const evidence = [chosen.evidence, ...others];
  return { profile, confidence: chosen.confidence, evidence, ...via, ...announcedAlias(read, own) };
}

function announcedAlias({ name }: ReadHints, own: readonly Profile[]): Pick<Detection, "alias"> {
  const starts = [...ownIndex(own).starts.map(([start]) => start), ...ALIAS_STARTS];
  const start = starts.find((each) => name?.toLowerCase().startsWith(each));
  const alias = start === undefined ? undefined : name?.slice(start.length);
  return alias === undefined || alias === "" ? {} : { alias };
}

/** Everything that was recognised, most specific source first. */
function collectCandidates(
  { name, title, userAgent, headers }: ReadHints,
  own: readonly Profile[],
): Candidate[] {
  const surface = headers.get("x-anthropic-client");
  const surfaceId = surface === undefined ? undefined : ANTHROPIC_SURFACES.get(surface.toLowerCase());
  const byName = name === undefined ? undefined : matchClientName(name, own);
  const byTitle = title === undefined ? undefined : matchClientName(title, own);
  const byAgent = userAgent === undefined ? undefined : matchUserAgent(userAgent, own);
  const found: Candidate[] = [];
  const add = (
    source: DetectionEvidence["source"],
    text: string | undefined,
    match: { id: string; confidence: DetectionConfidence; matched: string } | undefined,
  ): void => {
    if (match === undefined || text === undefined) return;
    const evidence = { source, text: escapeText(text), matched: escapeText(match.matched) };
    found.push({ id: match.id, confidence: match.confidence, evidence });
  };
  const header = (id: string, matched: string) => ({ id, confidence: "exact" as const, matched });
  if (surfaceId !== undefined) add("header", surface, header(surfaceId, "x-anthropic-client"));
  add("clientInfo", name, byName);
  add("userAgent", userAgent, byAgent);
  add("clientInfo", title, byTitle);
  if (headers.get("x-title")?.toLowerCase() === "cherry studio") {
    add("header", headers.get("x-title"), header("cherry-studio", "x-title"));
  }
  const openai = headers.get("x-openai-session") ?? headers.get("x-openai-subject");
  if (openai !== undefined)
    add("header", "x-openai-…", header("chatgpt", "x-openai-session or x-openai-subject"));
  return found;
}

function bridgeOnly({ via }: ReadHints): Candidate | undefined {
  if (via === undefined) return undefined;
  const evidence = {
    source: "clientInfo",
    text: "(via mcp-remote)",
    matched: "the bridge, not who is behind it",
  } as const;
  return { id: via, confidence: "loose", evidence };
}

function explainNothing({ name, userAgent }: ReadHints): DetectionEvidence[] {
  const matched = "no known client; universal names are safe in every client known";
  const lines: DetectionEvidence[] = [];
  if (name !== undefined) lines.push({ source: "clientInfo", text: escapeText(name), matched });
  if (userAgent !== undefined) lines.push({ source: "userAgent", text: escapeText(userAgent), matched });
  if (lines.length > 0) return lines;
  return [
    {
      source: "clientInfo",
      text: "",
      matched: "the client said nothing about itself; universal names are safe",
    },
  ];
}
