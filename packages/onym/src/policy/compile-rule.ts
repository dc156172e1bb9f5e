// One rule, ready to be asked: which tools it is about, which callers, and how to say so.

import { quoteText, type Tool } from "@onym/core";
import { compileGlob, type Matcher } from "./compile-glob.js";
import { compileToolPatterns, type NamedIdentity, type Reach, type ToolMatcher } from "./match-tool.js";
import { type Effect, HINT_NAMES, type Hints, type PolicyRule } from "./policy-input.js";
import { matchesHints, type ToolHints } from "./tool-hints.js";

/** What a rule may look at. Read once for each tool. */
interface ToolFacts {
  readonly tool: Tool;
  readonly names: readonly NamedIdentity[];
  readonly hints: ToolHints;
}

export interface CompiledRule {
  /** `rules[2]` */
  readonly label: string;
  readonly effect: Effect;
  readonly why: string;
  /** How the rule is about the tool; nothing where it is about others. */
  readonly matchTool: (facts: ToolFacts) => RuleHit | undefined;
  /** Whether it can be about tools of a downstream and integration at all, under the names they have now. */
  readonly matchOwner: (tool: Pick<Tool, "server" | "toolbox" | "integration">) => boolean;
  /** Whether its conditions on name and place hold, whatever the annotations say. */
  readonly isAbout: (facts: Pick<ToolFacts, "tool" | "names">) => boolean;
  /** It is about every tool, or about what tools say of themselves: it may well be about none now. */
  readonly isGeneral: boolean;
  readonly matchCaller: Matcher;
  /** Whether its conditions on the name hold, whatever the others say. */
  readonly matchName: ToolMatcher;
}

interface RuleHit {
  /** The name by which it is. */
  readonly by: NamedIdentity;
  /** Not so where an annotation that the rule asks for is only a stranger's word. */
  readonly isCertain: boolean;
}

export function compileRule(rule: PolicyRule, index: number): CompiledRule {
  const reach: Reach = rule.effect === "allow" ? "own" : "any";
  const matchName: ToolMatcher =
    rule.tool === undefined ? ([own]) => own : compileToolPatterns(rule.tool, reach);
  const matchServer = anyGlob(rule.server);
  const matchToolbox = rule.toolbox === undefined ? undefined : anyGlob(rule.toolbox);
  const matchIntegration = anyGlob(rule.tool?.map(({ integration }) => integration));
  const matchPlace = ({ server, toolbox }: Pick<Tool, "server" | "toolbox">): boolean =>
    matchServer(server) && (matchToolbox === undefined || (toolbox !== undefined && matchToolbox(toolbox)));
  const { annotations } = rule;
  return {
    label: `rules[${index}]`,
    effect: rule.effect,
    why: explainRule(rule),
    matchTool({ tool, names, hints }) {
      if (!matchPlace(tool)) return undefined;
      if (annotations !== undefined && !matchesHints(annotations, hints, reach)) return undefined;
      const by = matchName(names);
      if (by === undefined) return undefined;
      return { by, isCertain: annotations === undefined || matchesHints(annotations, hints, "own") };
    },
    isAbout: ({ tool, names }) => matchPlace(tool) && matchName(names) !== undefined,
    isGeneral: rule.tool === undefined && rule.server === undefined && rule.toolbox === undefined,
    matchOwner: (tool) => matchPlace(tool) && matchIntegration(tool.integration),
    matchCaller: anyGlob(rule.caller),
    matchName,
  };
}

function anyGlob(globs: readonly string[] | undefined): Matcher {
  if (globs === undefined) return () => true;
  const matchers = globs.map(compileGlob);
  const [only] = matchers;
  if (only !== undefined && matchers.length === 1) return only;
  return (text) => matchers.some((matches) => matches(text));
}

/** `deny where tool is "mail@1/send" and caller is "ci"`, with the operator's own words behind it. */
function explainRule({ effect, tool, server, toolbox, caller, annotations, note }: PolicyRule): string {
  const conditions = [
    explainList(
      "tool",
      tool?.map(({ text }) => text),
    ),
    explainList("server", server),
    explainList("toolbox", toolbox),
    explainList("caller", caller),
    ...explainHints(annotations),
  ].filter((condition) => condition !== undefined);
  const where = conditions.length === 0 ? "everything" : `where ${conditions.join(" and ")}`;
  return `${effect} ${where}${note === undefined ? "" : ` (${quoteText(note, 200)})`}`;
}

function explainList(what: string, globs: readonly string[] | undefined): string | undefined {
  return globs === undefined ? undefined : `${what} is ${globs.map((glob) => quoteText(glob)).join(" or ")}`;
}

function explainHints(hints: Hints = {}): readonly string[] {
  return HINT_NAMES.flatMap((name) => (hints[name] === undefined ? [] : [`${name} is ${hints[name]}`]));
}
