// What a tool may do: annotations set by the operator, declared by a trusted server, or assumed otherwise. What an
// untrusted server declares only ever makes Onym stricter.

import type { Owner, Tool } from "@onym/core";
import { HINT_NAMES, type HintName, type HintOverride, type Hints } from "../model/policy-rule.js";
import { compileToolPatterns, type NamedIdentity, type Reach, type ToolMatcher } from "./match-tool.js";

/** MCP's defaults for undeclared annotations: the less harmless value of each. */
const CAREFUL: Readonly<Record<HintName, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

interface ToolHint {
  /** The value that Onym uses. */
  readonly value: boolean;
  readonly source: "operator" | "trusted server" | "default";
  /** The different value that an untrusted server declares. Used only to restrict. */
  readonly claimed?: boolean;
}

export type ToolHints = Readonly<Record<HintName, ToolHint>>;

/** The annotations of a tool with these names. */
export type ReadHints = (tool: Tool, names: readonly NamedIdentity[]) => ToolHints;

export function compileHints(input: {
  readonly overrides: readonly HintOverride[];
  readonly trusted: readonly Owner[];
}): ReadHints {
  const trusted = new Set(input.trusted.map(ownerText));
  const overrides = input.overrides.map(({ tool, hints }) => ({
    hints,
    // As with rules: what restricts follows versions and former names, what relaxes requires the present identity.
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

/** Whether the annotations match a rule's; for `any`, also if only an untrusted server declares them. */
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

/** MCP: this hint is meaningful only for tools that are not read-only. */
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

/** If several overrides match one tool, the less harmless value counts, in any order. */
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

/** Foreign data: only own boolean fields count. */
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
