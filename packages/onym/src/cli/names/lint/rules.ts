// What lint looks for: each rule in one sentence, and what to do about it.

import { findProfile } from "@onym/core";

export interface LintRule {
  readonly id: string;
  readonly short: string;
  readonly help: string;
}

const KEEP_SHORT = `Keep to ${findProfile("generic-safe")?.maxLength} characters, which fit everywhere.`;

const RULES: readonly LintRule[] = [
  rule(
    "bad-characters",
    "A name holds characters that a client or provider does not allow.",
    "Use letters, digits and underscores.",
  ),
  rule("spaces", "A name holds a space.", "Write an underscore for it."),
  rule("commas", "A name holds a comma.", "Write an underscore for it."),
  rule(
    "edge-characters",
    "A name begins or ends with a dash or a dot.",
    "Begin and end with a letter or a digit.",
  ),
  rule(
    "bad-first-character",
    "A name begins with a character that a client or provider does not allow there.",
    "Begin with a letter.",
  ),
  rule(
    "bad-shape",
    "A name has a form that a client or provider does not allow.",
    "Use lower-case words with single underscores.",
  ),
  rule("empty", "A name is empty.", "Give the tool a name."),
  rule("too-long", "A name is longer than a client or provider takes.", KEEP_SHORT),
  rule("too-short", "A name is shorter than a client or provider takes.", "Use three characters or more."),
  rule(
    "sent-too-long",
    "A name is too long once the client has put its prefix on.",
    "Shorten the name, or register the server under a shorter alias.",
  ),
  rule("over-safe-length", "A name is longer than is safe everywhere.", KEEP_SHORT),
  rule(
    "sent-over-safe-length",
    "A name is longer than is safe once the client has put its prefix on.",
    "Shorten the name, or register the server under a shorter alias.",
  ),
  rule(
    "sent-bad-characters",
    "A client sends the name on, and the provider behind it refuses it.",
    "Use letters, digits and underscores.",
  ),
  rule(
    "bad-alias",
    "The alias of the server makes names that a provider refuses.",
    "Register it under an alias of letters, digits and underscores.",
  ),
  rule("reserved", "A client keeps the name for itself.", "Use another name."),
  rule(
    "collision",
    "Two tools reach a client or provider under one name.",
    "Put what they belong to into their names, or Onym in front.",
  ),
  rule("duplicate-tool", "A server lists one name twice.", "Rename one of them."),
  rule(
    "look-alike",
    "Names of different servers can be taken for each other.",
    "Look at both; one may pass itself off as the other.",
  ),
  rule(
    "too-many-tools",
    "There are more tools than a client takes.",
    "Show fewer, with filters or toolboxes.",
  ),
  rule(
    "bad-input-schema",
    "A tool has no input schema of type object.",
    "Give it one; many clients refuse the whole list else.",
  ),
  rule("bad-output-schema", "An output schema is not of type object.", "Wrap it in one."),
  rule("no-description", "A tool has no description.", "Say what it does."),
  rule(
    "not-static",
    "A server was left out because its tools are known only when it runs.",
    "Ask it with --live.",
  ),
  rule("server-down", "A server could not be asked.", "Start it by hand to see why."),
  rule(
    "skill-unknown-tool",
    "A skill or agent names a tool that there is not.",
    "Correct the name, or take it out.",
  ),
  rule(
    "skill-unknown-server",
    "A skill or agent names a server that there is not.",
    "Correct the name, or take it out.",
  ),
  rule(
    "skill-old-name",
    "A skill or agent calls a tool by another name than its client shows.",
    "Write the name that is shown; --fix does.",
  ),
];

const BY_ID: ReadonlyMap<string, LintRule> = new Map(RULES.map((one) => [one.id, one]));

/** Findings of the catalog and of renames have codes of their own; they say all there is to say. */
export function ruleOf(id: string): LintRule {
  return BY_ID.get(id) ?? rule(id, `A finding of the kind ${id}.`, "The finding says what to do.");
}

function rule(id: string, short: string, help: string): LintRule {
  return { id, short, help };
}
