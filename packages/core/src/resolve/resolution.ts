// What resolving a text comes to: always one of four outcomes, always with the steps taken (RES-1).

import type { Tool } from "../catalog/tool.js";
import type { Problem } from "../names/problem.js";

export const RESOLVE_STEPS = [
  "public",
  "canonical",
  "alias",
  "spelling",
  "transport",
  "version",
  "case",
  "context",
] as const;

export type ResolveStep = (typeof RESOLVE_STEPS)[number];

export interface StepTaken {
  readonly step: ResolveStep;
  /** The text that was looked up. */
  readonly tried: string;
  readonly outcome: "matched" | "ambiguous" | "retired" | "no match";
}

interface Taken {
  readonly steps: readonly StepTaken[];
  /** Such as: the name is deprecated, and what to call instead. */
  readonly warnings: readonly string[];
}

export interface Resolved extends Taken {
  readonly outcome: "resolved";
  readonly tool: Tool;
  readonly step: ResolveStep;
  /** The canonical name to use from now on, where the one given is a former one, be it accepted in silence. */
  readonly successor?: string;
}

/** Two tools claim the text, so it is nobody's. */
export interface Ambiguous extends Taken {
  readonly outcome: "ambiguous";
  readonly step: ResolveStep;
  readonly candidates: readonly Tool[];
}

export interface Unknown extends Taken {
  readonly outcome: "unknown";
  /** Public names of the caller's own table that come near, best first; at most five. */
  readonly suggestions: readonly string[];
  /** What is wrong with the text, where it nearly was a name: a bad version, a broken escape. */
  readonly problem?: Problem;
}

/** The text was a name once, and is nobody's now. */
export interface Retired extends Taken {
  readonly outcome: "retired";
  readonly step: ResolveStep;
  /** What it was the name of. */
  readonly canonical: string;
  /** The canonical name of the tool to call instead, where there is one. */
  readonly successor?: string;
}

export type Resolution = Resolved | Ambiguous | Unknown | Retired;

/** Who is meant by a raw name: the toolbox or server in whose context it was said. */
export interface ResolveContext {
  readonly server?: string;
  readonly toolbox?: string;
}

export function isMeant(tool: Tool, { server, toolbox }: ResolveContext): boolean {
  return (
    (server === undefined || tool.server === server) && (toolbox === undefined || tool.toolbox === toolbox)
  );
}

/** A tool named by its parts; accepted wherever a text is (BOX-6). */
export interface StructuredName {
  readonly toolbox?: string;
  readonly server: string;
  readonly name: string;
}
