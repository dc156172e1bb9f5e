// A compiled rule: which tools, prompts, resources and callers it matches, and its explanation.

import { quoteText, type Tool, type VersionRequest } from "@onym/core";
import {
  type Effect,
  HINT_NAMES,
  type Hints,
  type PolicyRule,
  type PolicySubject,
  type ToolPattern,
} from "../model/policy-rule.js";
import { compileResourcePatterns, type ResourceHit, type ResourceMatcher } from "./match-resource.js";
import {
  compileGlob,
  compileToolPatterns,
  type Matcher,
  type NamedIdentity,
  type Reach,
  type ToolMatcher,
} from "./match-tool.js";
import type { ResourceAddress } from "./resource-address.js";
import { matchesHints, type ToolHints } from "./tool-hints.js";

/** The inputs of a rule. Read once per tool. */
interface ToolFacts {
  readonly tool: Tool;
  readonly names: readonly NamedIdentity[];
  readonly hints: ToolHints;
}

/** The owner of the tools, prompts and resources that a rule may match. */
export type RuleOwner = Pick<Tool, "server" | "toolbox" | "integration">;

/** What a server offers besides tools, and rules decide about (POL-9). */
export type PolicyItem =
  | { readonly kind: "prompt"; readonly prompt: Tool }
  /** The URI of a resource, or a URI template, as the server knows it. */
  | { readonly kind: "resource"; readonly owner: RuleOwner; readonly uri: string };

/** The inputs of a rule about an item. Read once per item. */
export interface ItemFacts {
  readonly item: PolicyItem;
  /** For a prompt. */
  readonly names: readonly NamedIdentity[];
  /** For a resource. Read once, and only where a rule needs it. */
  readonly address: () => ResourceAddress;
}

export interface CompiledRule {
  /** `rules[2]` */
  readonly label: string;
  readonly effect: Effect;
  readonly why: string;
  /** How the rule matches the tool; `undefined` if it does not. */
  readonly matchTool: (facts: ToolFacts) => RuleHit | undefined;
  /** The same for a prompt or resource, whose matches are always certain. */
  readonly matchItem: (facts: ItemFacts) => NamedIdentity | ResourceHit | undefined;
  /** What it can match; `everything`: all that a server offers. */
  readonly about: "everything" | "tools" | "prompts" | "resources";
  /** Whether it can match anything of a server and integration, declared and recorded renames of single tools aside. */
  readonly matchOwner: (owner: RuleOwner) => boolean;
  /** Whether its conditions on name and place hold, ignoring annotations. */
  readonly isAbout: (facts: Pick<ToolFacts, "tool" | "names">) => boolean;
  /** It is about every tool, or about annotations, so it may legitimately match nothing now. */
  readonly isGeneral: boolean;
  /** Whether it is about calls of this subject. */
  readonly appliesTo: (subject: PolicySubject) => boolean;
  /** Whether its conditions on the name hold, ignoring the others. */
  readonly matchName: ToolMatcher;
}

interface RuleHit {
  /** The name that matched. */
  readonly by: NamedIdentity;
  /** `false` if the rule depends on an annotation that only an untrusted server declares. */
  readonly isCertain: boolean;
}

/** An integration and version with which the canonical names of a server's tools and prompts start. */
export interface NameStart {
  readonly integration: string;
  readonly version: VersionRequest;
}

/** What servers were before they got their present ids. */
export interface FormerServers {
  /** The ids that a server had before. */
  readonly idsOf: (owner: Pick<Tool, "server" | "toolbox">) => readonly string[];
  /** How canonical names of everything it offers start under these ids, on record or not. */
  readonly startsOf: (owner: Pick<Tool, "server" | "toolbox">) => readonly NameStart[];
  /** The names that something of such a server has under its other ids, by a canonical name of it. */
  readonly namesOf: (canonical: string) => readonly string[];
}

export const NO_FORMER_SERVERS: FormerServers = { idsOf: () => [], startsOf: () => [], namesOf: () => [] };

export function compileRule(rule: PolicyRule, index: number, formerServers: FormerServers): CompiledRule {
  const reach: Reach = rule.effect === "allow" ? "own" : "any";
  const matchName: ToolMatcher =
    rule.tool === undefined ? ([own]) => own : compileToolPatterns(rule.tool, reach);
  const matchServer = anyGlob(rule.server);
  const matchToolbox = rule.toolbox === undefined ? undefined : anyGlob(rule.toolbox);
  const matchPrompt: ToolMatcher =
    rule.prompt === undefined ? ([own]) => own : compileToolPatterns(rule.prompt, reach);
  const matchAddress: ResourceMatcher | undefined =
    rule.resource && compileResourcePatterns(rule.resource, reach);
  const matchNamed = compileOwners(rule.tool ?? rule.prompt);
  // A server that is renamed stays denied, but is not allowed by what its old id was allowed.
  const matchesServer = (owner: Pick<Tool, "server" | "toolbox">): boolean =>
    matchServer(owner.server) ||
    (reach === "any" && formerServers.idsOf(owner).some((id) => matchServer(id)));
  const matchPlace = ({ server, toolbox }: Pick<Tool, "server" | "toolbox">): boolean =>
    matchesServer({ server, toolbox }) &&
    (matchToolbox === undefined || (toolbox !== undefined && matchToolbox(toolbox)));
  const matchesNamed = (owner: RuleOwner): boolean =>
    matchNamed(owner) ||
    (reach === "any" &&
      formerServers.startsOf(owner).some(({ integration }) => matchNamed({ ...owner, integration })));
  const matchPrincipal = anyGlob(rule.caller);
  const { annotations } = rule;
  const about = aboutOf(rule);
  return {
    label: `rules[${index}]`,
    effect: rule.effect,
    why: explainRule(rule),
    about,
    matchItem({ item, names, address }) {
      if (about !== "everything" && about !== `${item.kind}s`) return undefined;
      if (item.kind === "prompt") return matchPlace(item.prompt) ? matchPrompt(names) : undefined;
      if (!matchPlace(item.owner)) return undefined;
      return matchAddress === undefined ? "itself" : matchAddress(address());
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
    matchOwner: (owner) => matchPlace(owner) && matchesNamed(owner),
    appliesTo: ({ principal }) => matchPrincipal(principal),
    matchName,
  };
}

function aboutOf({ tool, prompt, resource, annotations }: PolicyRule): CompiledRule["about"] {
  if (resource !== undefined) return "resources";
  if (prompt !== undefined) return "prompts";
  return tool === undefined && annotations === undefined ? "everything" : "tools";
}

/** Whether one of the patterns can match anything of a server. */
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

/** `deny where tool is "mail@1/send" and caller is "ci"`, followed by the operator's note. */
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
