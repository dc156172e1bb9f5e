// What a tool may turn out to do: annotations as the operator sets them, as a trusted downstream declares them, and as
// everybody else is assumed to be. What an untrusted downstream says of its tools only ever makes Onym stricter.

import type { Owner, Tool } from "@onym/core";
import { compileToolPatterns, type NamedIdentity, type Reach, type ToolMatcher } from "./match-tool.js";
import { HINT_NAMES, type HintName, type HintOverride, type Hints } from "./policy-input.js";

/** What MCP assumes where nothing is declared: the less harmless of the two values, for each. */
const CAREFUL: Readonly<Record<HintName, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

interface ToolHint {
  /** What Onym goes by. */
  readonly value: boolean;
  readonly source: "operator" | "trusted server" | "default";
  /** What an untrusted downstream says instead: enough to be restricted for, and for nothing else. */
  readonly claimed?: boolean;
}

export type ToolHints = Readonly<Record<HintName, ToolHint>>;

/** The hints of a tool with these names. */
export type ReadHints = (tool: Tool, names: readonly NamedIdentity[]) => ToolHints;

export function compileHints(input: {
  readonly overrides: readonly HintOverride[];
  readonly trusted: readonly Owner[];
}): ReadHints {
  const trusted = new Set(input.trusted.map(ownerText));
  const overrides = input.overrides.map(({ tool, hints }) => ({
    hints,
    // As with rules: what makes stricter follows versions and former names, what makes laxer needs the identity.
    careful: compileToolPatterns([tool], "any"),
    lax: compileToolPatterns([tool], "own"),
  }));
  return (tool, names) => {
    const set = operatorHints(overrides, names);
    const declared = declaredHints(tool.definition.annotations);
    const isTrusted = trusted.has(ownerText(tool));
    const readOnlyHint = readHint("readOnlyHint", set, declared, isTrusted);
    return {
      readOnlyHint,
      destructiveHint: destructiveHint(readOnlyHint, set, declared, isTrusted),
      idempotentHint: readHint("idempotentHint", set, declared, isTrusted),
      openWorldHint: readHint("openWorldHint", set, declared, isTrusted),
    };
  };
}

/** Whether the hints are as a rule wants them; for `any`, also where only an untrusted downstream says so. */
export function matchesHints(wanted: Hints, hints: ToolHints, reach: Reach): boolean {
  return HINT_NAMES.every((name) => {
    const { value, claimed } = hints[name];
    const asked = wanted[name];
    return asked === undefined || asked === value || (reach === "any" && asked === claimed);
  });
}

function readHint(name: HintName, set: Hints, declared: Hints, isTrusted: boolean): ToolHint {
  const own = set[name];
  if (own !== undefined) return { value: own, source: "operator" };
  const said = declared[name];
  if (said !== undefined && isTrusted) return { value: said, source: "trusted server" };
  const value = CAREFUL[name];
  const source = "default";
  return said === undefined || said === value ? { value, source } : { value, source, claimed: said };
}

/** MCP: the hint has a meaning only for tools that are not read-only. */
function destructiveHint(readOnly: ToolHint, set: Hints, declared: Hints, isTrusted: boolean): ToolHint {
  if (!readOnly.value || set.destructiveHint !== undefined)
    return readHint("destructiveHint", set, declared, isTrusted);
  return { value: false, source: readOnly.source };
}

interface CompiledOverride {
  readonly hints: Hints;
  readonly careful: ToolMatcher;
  readonly lax: ToolMatcher;
}

/** Where several speak about one tool, the less harmless value counts, whichever stands first. */
function operatorHints(overrides: readonly CompiledOverride[], names: readonly NamedIdentity[]): Hints {
  const set: { [Name in HintName]?: boolean } = {};
  for (const { hints, careful, lax } of overrides) {
    for (const name of HINT_NAMES) {
      const value = hints[name];
      if (value === undefined || set[name] === CAREFUL[name]) continue;
      if ((value === CAREFUL[name] ? careful : lax)(names) !== undefined) set[name] = value;
    }
  }
  return set;
}

/** A stranger's object: only own fields that are true or false count. */
function declaredHints(annotations: unknown): Hints {
  if (typeof annotations !== "object" || annotations === null) return {};
  const said: { [Name in HintName]?: boolean } = {};
  for (const name of HINT_NAMES) {
    const value: unknown = Object.hasOwn(annotations, name) ? Reflect.get(annotations, name) : undefined;
    if (typeof value === "boolean") said[name] = value;
  }
  return said;
}

function ownerText({ server, toolbox }: Owner): string {
  return JSON.stringify([toolbox ?? null, server]);
}
