// One rule, ready to be asked: which tools, prompts and resources it is about, which callers, and how to say so.

import { quoteText, type Tool } from "@onym/core";
import { compileGlob, type Matcher } from "./compile-glob.js";
import { compileToolPatterns, type NamedIdentity, type Reach, type ToolMatcher } from "./match-tool.js";
import { type Effect, HINT_NAMES, type Hints, type PolicyRule, type ToolPattern } from "./policy-input.js";
import { matchesHints, type ToolHints } from "./tool-hints.js";
import { globForms, matchesForms } from "./uri-forms.js";

/** What a rule may look at. Read once for each tool. */
interface ToolFacts {
  readonly tool: Tool;
  readonly names: readonly NamedIdentity[];
  readonly hints: ToolHints;
}

/** Whose tools, prompts and resources a rule may be about. */
export type RuleOwner = Pick<Tool, "server" | "toolbox" | "integration">;

/** What a server has beside its tools, and rules decide about (POL-9). */
export type PolicyItem =
  | { readonly kind: "prompt"; readonly prompt: Tool }
  /** The address of a resource, or a template's text, as the server knows it. */
  | { readonly kind: "resource"; readonly owner: RuleOwner; readonly uri: string };

interface ItemFacts {
  readonly item: PolicyItem;
  /** Of a prompt. */
  readonly names: readonly NamedIdentity[];
  /** Of a resource: every address that its server may take it for. */
  readonly forms: readonly string[];
}

export interface CompiledRule {
  /** `rules[2]` */
  readonly label: string;
  readonly effect: Effect;
  readonly why: string;
  /** How the rule is about the tool; nothing where it is about others. */
  readonly matchTool: (facts: ToolFacts) => RuleHit | undefined;
  /** The same for a prompt or resource, where there is nothing uncertain. */
  readonly matchItem: (facts: ItemFacts) => NamedIdentity | "itself" | undefined;
  /** What it can be about; `everything`: whatever a server has. */
  readonly about: "everything" | "tools" | "prompts" | "resources";
  /** Whether it can be about anything of a downstream and integration at all, under the names they have now. */
  readonly matchOwner: (owner: RuleOwner) => boolean;
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
  const matchPrompt: ToolMatcher =
    rule.prompt === undefined ? ([own]) => own : compileToolPatterns(rule.prompt, reach);
  const matchUri = anyGlob(rule.resource?.flatMap((glob) => globForms(glob, reach)));
  const matchNamed = compileOwners(rule.tool ?? rule.prompt);
  const matchPlace = ({ server, toolbox }: Pick<Tool, "server" | "toolbox">): boolean =>
    matchServer(server) && (matchToolbox === undefined || (toolbox !== undefined && matchToolbox(toolbox)));
  const { annotations } = rule;
  const about = aboutOf(rule);
  return {
    label: `rules[${index}]`,
    effect: rule.effect,
    why: explainRule(rule),
    about,
    matchItem({ item, names, forms }) {
      if (about !== "everything" && about !== `${item.kind}s`) return undefined;
      if (item.kind === "prompt") return matchPlace(item.prompt) ? matchPrompt(names) : undefined;
      return matchPlace(item.owner) && matchesForms(forms, matchUri, reach) ? "itself" : undefined;
    },
    matchTool({ tool, names, hints }) {
      if ((about !== "everything" && about !== "tools") || !matchPlace(tool)) return undefined;
      if (annotations !== undefined && !matchesHints(annotations, hints, reach)) return undefined;
      const by = matchName(names);
      if (by === undefined) return undefined;
      return { by, isCertain: annotations === undefined || matchesHints(annotations, hints, "own") };
    },
    isAbout: ({ tool, names }) =>
      (about === "everything" || about === "tools") && matchPlace(tool) && matchName(names) !== undefined,
    isGeneral:
      (about === "everything" || about === "tools") &&
      rule.tool === undefined &&
      rule.server === undefined &&
      rule.toolbox === undefined,
    matchOwner: (owner) => matchPlace(owner) && matchNamed(owner),
    matchCaller: anyGlob(rule.caller),
    matchName,
  };
}

function aboutOf({ tool, prompt, resource, annotations }: PolicyRule): CompiledRule["about"] {
  if (resource !== undefined) return "resources";
  if (prompt !== undefined) return "prompts";
  return tool === undefined && annotations === undefined ? "everything" : "tools";
}

/** Whether one of the patterns can mean anything of a server. */
function compileOwners(patterns: readonly ToolPattern[] | undefined): (owner: RuleOwner) => boolean {
  if (patterns === undefined) return () => true;
  const matchers = patterns.map(({ toolbox, integration }) => ({
    matchesToolbox: toolbox === undefined ? undefined : compileGlob(toolbox),
    matchesIntegration: compileGlob(integration),
  }));
  return ({ toolbox, integration }) =>
    matchers.some(
      ({ matchesToolbox, matchesIntegration }) =>
        (matchesToolbox === undefined || (toolbox !== undefined && matchesToolbox(toolbox))) &&
        matchesIntegration(integration),
    );
}

function anyGlob(globs: readonly string[] | undefined): Matcher {
  if (globs === undefined) return () => true;
  const matchers = globs.map(compileGlob);
  const [only] = matchers;
  if (only !== undefined && matchers.length === 1) return only;
  return (text) => matchers.some((matches) => matches(text));
}

/** `deny where tool is "mail@1/send" and caller is "ci"`, with the operator's own words behind it. */
function explainRule(rule: PolicyRule): string {
  const { effect, tool, resource, prompt, server, toolbox, caller, annotations, note } = rule;
  const textsOf = (patterns: readonly ToolPattern[] | undefined) => patterns?.map(({ text }) => text);
  const conditions = [
    explainList("tool", textsOf(tool)),
    explainList("resource", resource),
    explainList("prompt", textsOf(prompt)),
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
