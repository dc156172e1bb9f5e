// The policy for prompts, resources and templates, and for servers as a whole (POL-9).

import type { Tool } from "@onym/core";
import type { PolicySubject } from "../model/policy-rule.js";
import type { CompiledRule, PolicyItem, RuleOwner } from "./compile-rule.js";
import {
  byStrength,
  isOutside,
  matchOf,
  OUTSIDE,
  type PolicyDecision,
  type RuleMatch,
  type SpokenRule,
  strongest,
} from "./decide-call.js";
import { type NamedIdentity, namesOfTool } from "./match-tool.js";
import { uriForms } from "./uri-forms.js";

export interface ItemPolicy {
  readonly decideItem: (item: PolicyItem, subject: PolicySubject) => PolicyDecision;
  /** Every rule that matches the item, in rule order; the default if none does. */
  readonly matchesItem: (item: PolicyItem, subject: PolicySubject) => readonly RuleMatch[];
  /** Whether the caller can see anything of this server, as far as that is known without its lists. */
  readonly reaches: (owner: RuleOwner, subject: PolicySubject) => boolean;
  /** Whether some items are hidden from any caller, apart from callers that are confined to toolboxes. */
  readonly mayHideItems: boolean;
  /** Whether some items may be hidden from this caller. */
  readonly hidesItems: (subject: PolicySubject) => boolean;
}

/** What exists for rules to match. Prompts and resources are absent if they are not known. */
export interface RuleSubjects {
  readonly tools: readonly Tool[];
  readonly prompts?: readonly Tool[] | undefined;
  /** Resources and templates. */
  readonly resources?: readonly (PolicyItem & { readonly kind: "resource" })[] | undefined;
}

export interface ItemPolicyInput {
  readonly rules: readonly CompiledRule[];
  readonly otherwise: RuleMatch;
  /** Former canonical names of a prompt. */
  readonly formerNames: (prompt: Tool) => readonly string[];
}

export function buildItemPolicy({ rules, otherwise, formerNames }: ItemPolicyInput): ItemPolicy & {
  /** Whether a rule matches one of these, or may match something that is not known. */
  readonly isAboutAny: (rule: CompiledRule, there: RuleSubjects) => boolean;
} {
  const itemRules = rules.filter(({ about }) => about !== "tools");
  const factsOf = (item: PolicyItem) => ({
    item,
    names: item.kind === "prompt" ? namesOfTool(item.prompt, formerNames(item.prompt)) : NO_NAMES,
    forms: item.kind === "resource" ? uriForms(item.uri) : NO_FORMS,
  });
  const spokenOf = (item: PolicyItem): readonly SpokenRule[] => {
    const facts = factsOf(item);
    return itemRules.flatMap((rule) => {
      const hit = rule.matchItem(facts);
      if (hit === undefined) return [];
      const former = hit !== "itself" && hit.isFormer ? hit.name : undefined;
      return [{ rule, match: matchOf(rule, former), isCertain: true }];
    });
  };
  return {
    decideItem(item, subject) {
      if (isOutside(ownerOf(item), subject)) return OUTSIDE;
      return strongest(byStrength(spokenOf(item)), ({ appliesTo }) => appliesTo(subject), otherwise);
    },
    matchesItem(item, subject) {
      if (isOutside(ownerOf(item), subject)) return [OUTSIDE];
      const spoken = spokenOf(item).filter(({ rule }) => rule.appliesTo(subject));
      return spoken.length === 0 ? [otherwise] : spoken.map(({ match }) => match);
    },
    reaches(owner, subject) {
      if (isOutside(owner, subject)) return false;
      const meant = rules.filter((rule) => rule.appliesTo(subject) && rule.matchOwner(owner));
      if (meant.some(({ effect, about }) => effect === "deny" && about === "everything")) return false;
      return otherwise.effect !== "deny" || meant.some(({ effect }) => effect !== "deny");
    },
    isAboutAny(rule, { prompts, resources }) {
      if (rule.about === "prompts" && prompts === undefined) return true;
      if (rule.about === "resources" && resources === undefined) return true;
      return (
        (prompts ?? []).some((prompt) => rule.matchItem(factsOf({ kind: "prompt", prompt })) !== undefined) ||
        (resources ?? []).some((item) => rule.matchItem(factsOf(item)) !== undefined)
      );
    },
    mayHideItems: otherwise.effect === "deny" || itemRules.some(({ effect }) => effect === "deny"),
    hidesItems: (subject) =>
      otherwise.effect === "deny" ||
      subject.toolboxes !== undefined ||
      itemRules.some((rule) => rule.effect === "deny" && rule.appliesTo(subject)),
  };
}

const NO_NAMES: readonly NamedIdentity[] = [];
const NO_FORMS: readonly string[] = [];

function ownerOf(item: PolicyItem): RuleOwner {
  return item.kind === "prompt" ? item.prompt : item.owner;
}
