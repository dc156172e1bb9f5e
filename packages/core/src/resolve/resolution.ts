// The result of resolving a text: one of four outcomes, with the steps taken (RES-1).

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
  /** For example: the name is deprecated, and what to call instead. */
  readonly warnings: readonly string[];
}

export interface Resolved extends Taken {
  readonly outcome: "resolved";
  readonly tool: Tool;
  readonly step: ResolveStep;
  /** The canonical name to use from now on, if the given one is a former name (even one accepted silently). */
  readonly successor?: string;
}

/** Several tools claim the text, so it resolves to none. */
export interface Ambiguous extends Taken {
  readonly outcome: "ambiguous";
  readonly step: ResolveStep;
  readonly candidates: readonly Tool[];
}

export interface Unknown extends Taken {
  readonly outcome: "unknown";
  /** Similar public names from the caller's own table, best first; at most five. */
  readonly suggestions: readonly string[];
  /** What is wrong with the text, if it was almost a name: a bad version, a broken escape. */
  readonly problem?: Problem;
}

/** The text was a name once, and no tool has it now. */
export interface Retired extends Taken {
  readonly outcome: "retired";
  readonly step: ResolveStep;
  /** The tool it named. */
  readonly canonical: string;
  /** The canonical name of the tool to call instead, if there is one. */
  readonly successor?: string;
}

export type Resolution = Resolved | Ambiguous | Unknown | Retired;

/** Whose raw name is meant: the toolbox or server of the caller's context. */
export interface ResolveContext {
  readonly server?: string;
  readonly toolbox?: string;
}

export function isMeant(tool: Tool, { server, toolbox }: ResolveContext): boolean {
  return (
    (server === undefined || tool.server === server) && (toolbox === undefined || tool.toolbox === toolbox)
  );
}

/** A tool named by its parts; accepted everywhere a text is (BOX-6). */
export interface StructuredName {
  readonly toolbox?: string;
  readonly server: string;
  readonly name: string;
}
