// What a policy is made of, as the config gives it: checked, with every default filled in.

import type { Owner } from "@onym/core";

export type Effect = "allow" | "ask" | "deny";

/**
 * A canonical name with globs in it, taken apart. Made from text by whoever reads the config, so that a text that is
 * not canonical never gets here.
 */
export interface ToolPattern {
  /** As written, for people. */
  readonly text: string;
  /** Glob over the toolbox, which a tool outside all of them does not match; `undefined`: every tool (CANON-7). */
  readonly toolbox?: string | undefined;
  /** Glob over the integration. */
  readonly integration: string;
  readonly integrationVersion: VersionPattern;
  /** Glob over the tool part, suite included. */
  readonly tool: string;
  readonly toolVersion: VersionPattern;
}

/** `undefined` where none was written: every version for deny and ask, 1 for allow (CANON-3). */
export type VersionPattern = number | "any" | undefined;

export const HINT_NAMES = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

export type HintName = (typeof HINT_NAMES)[number];

/** What a tool is said to do, in the words of MCP. */
export type Hints = { readonly [Name in HintName]?: boolean | undefined };

/**
 * All conditions that are there must hold; of a list, one. A rule without any is about everything. One that names tools,
 * resources or prompts is about these alone, and so is one that goes by annotations, which only tools have (POL-9).
 */
export interface PolicyRule {
  readonly effect: Effect;
  readonly tool?: readonly ToolPattern[] | undefined;
  /** Globs over addresses of resources, as their server knows them. */
  readonly resource?: readonly string[] | undefined;
  readonly prompt?: readonly ToolPattern[] | undefined;
  /** Globs over server ids. */
  readonly server?: readonly string[] | undefined;
  /** Globs over toolbox ids; a tool in no toolbox matches none. */
  readonly toolbox?: readonly string[] | undefined;
  /** Globs over principals. */
  readonly caller?: readonly string[] | undefined;
  readonly annotations?: Hints | undefined;
  /** Why there is this rule, in the operator's words. */
  readonly note?: string | undefined;
}

/** What the operator says about tools, whatever they say of themselves. */
export interface HintOverride {
  readonly tool: ToolPattern;
  readonly hints: Hints;
}

export interface PolicyInput {
  /** What holds where no rule does. */
  readonly default: Effect;
  readonly rules: readonly PolicyRule[];
  readonly annotations?: readonly HintOverride[];
  /** Downstreams whose declared annotations count. */
  readonly trusted?: readonly Owner[];
  /** What becomes of a tool that its downstream added later, where the rest would be laxer (quarantine). */
  readonly newTools?: Effect;
}

/** For whom it is decided. */
export interface PolicySubject {
  readonly principal: string;
  /** The toolboxes the caller is confined to; all tools where it is absent. */
  readonly toolboxes?: readonly string[] | undefined;
}
