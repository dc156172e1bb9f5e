// The input of a policy, as the config gives it: validated, with all defaults filled in.

import type { Owner } from "@onym/core";

export type Effect = "allow" | "ask" | "deny";

/**
 * A canonical name with globs, split into parts. The config reader creates it from text, so text that is not
 * canonical never gets here.
 */
export interface ToolPattern {
  /** As written, for display. */
  readonly text: string;
  /** Glob over the toolbox, which a tool outside toolboxes never matches; `undefined`: every tool (CANON-7). */
  readonly toolbox?: string | undefined;
  /** Glob over the integration. */
  readonly integration: string;
  readonly integrationVersion: VersionPattern;
  /** Glob over the tool part, including the suite. */
  readonly tool: string;
  readonly toolVersion: VersionPattern;
}

/** `undefined` if none was written: every version for deny and ask, 1 for allow (CANON-3). */
export type VersionPattern = number | "any" | undefined;

export const HINT_NAMES = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

export type HintName = (typeof HINT_NAMES)[number];

/** A tool's MCP annotations. */
export type Hints = { readonly [Name in HintName]?: boolean | undefined };

/**
 * All present conditions must hold; of a list, at least one entry. A rule without conditions matches everything. A
 * rule with tools, resources or prompts matches only these. A rule with annotations matches only tools, because
 * only tools have them (POL-9).
 */
export interface PolicyRule {
  readonly effect: Effect;
  readonly tool?: readonly ToolPattern[] | undefined;
  /** Globs over resource URIs, as their server knows them. */
  readonly resource?: readonly string[] | undefined;
  readonly prompt?: readonly ToolPattern[] | undefined;
  /** Globs over server ids. */
  readonly server?: readonly string[] | undefined;
  /** Globs over toolbox ids; a tool outside toolboxes matches none. */
  readonly toolbox?: readonly string[] | undefined;
  /** Globs over principals. */
  readonly caller?: readonly string[] | undefined;
  readonly annotations?: Hints | undefined;
  /** The operator's reason for the rule. */
  readonly note?: string | undefined;
}

/** The operator's annotations for tools, which replace those that the tools declare. */
export interface HintOverride {
  readonly tool: ToolPattern;
  readonly hints: Hints;
}

export interface PolicyInput {
  /** The effect if no rule matches. */
  readonly default: Effect;
  readonly rules: readonly PolicyRule[];
  readonly annotations?: readonly HintOverride[];
  /** Servers whose declared annotations are trusted. */
  readonly trusted?: readonly Owner[];
  /** The effect for a tool that its server added later, if the other rules would be less strict (quarantine). */
  readonly newTools?: Effect;
}

/** The caller of a decision: everything that rules know about it, as JSON values. */
export interface PolicySubject {
  readonly principal: string;
  /** The toolboxes that the caller is confined to; absent: all tools. */
  readonly toolboxes?: readonly string[] | undefined;
}

/**
 * Equal for equal subjects. Made from the same value that rules decide on, so a cache key cannot miss a condition.
 */
export function formatSubjectKey(subject: PolicySubject): string {
  return JSON.stringify(subject);
}
