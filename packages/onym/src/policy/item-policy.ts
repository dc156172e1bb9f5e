// The policy for prompts, resources and templates, and for servers as a whole (POL-9).

import type { Tool } from "@onym/core";
import type { PolicySubject } from "../model/policy-rule.js";
import type { Steps } from "../model/run-slices.js";
import type { CompiledRule, ItemFacts, PolicyItem, RuleOwner } from "./compile-rule.js";
import { isOutside, matchOf, OUTSIDE, type PolicyDecision, type RuleMatch, STRENGTH } from "./decide-call.js";
import { type NamedIdentity, namesOfTool } from "./match-tool.js";
import { type ResourceAddress, readAddress } from "./resource-address.js";

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
  /** Those of the rules that match one of these, or may match something that is not known. */
  readonly aboutSteps: (
    rules: readonly CompiledRule[],
    there: RuleSubjects,
  ) => Steps<ReadonlySet<CompiledRule>>;
} {
  const itemRules = rules.filter(({ about }) => about !== "tools");
  const strongestFirst = [...itemRules].sort((a, b) => STRENGTH[a.effect] - STRENGTH[b.effect]);
  /** The last one: an update of a resource is decided for every follower. */
  let address: ResourceAddress | undefined;
  const factsOf = (item: PolicyItem): ItemFacts => ({
    item,
    names: item.kind === "prompt" ? namesOfTool(item.prompt, formerNames(item.prompt)) : NO_NAMES,
    address: () => {
      const uri = item.kind === "resource" ? item.uri : "";
      if (address?.uri !== uri) address = readAddress(uri);
      return address;
    },
  });
  const matchRule = (rule: CompiledRule, facts: ItemFacts): RuleMatch | undefined => {
    const hit = rule.matchItem(facts);
    if (hit === undefined || hit === "itself") return hit && matchOf(rule, undefined);
    if (hit === "ambiguous") return { ...matchOf(rule, undefined), ambiguous: true };
    return matchOf(rule, hit.isFormer ? hit.name : undefined);
  };
  return {
    decideItem(item, subject) {
      if (isOutside(ownerOf(item), subject)) return OUTSIDE;
      const facts = factsOf(item);
      for (const rule of strongestFirst) {
        const match = rule.appliesTo(subject) ? matchRule(rule, facts) : undefined;
        if (match !== undefined) return match;
      }
      return otherwise;
    },
    matchesItem(item, subject) {
      if (isOutside(ownerOf(item), subject)) return [OUTSIDE];
      const facts = factsOf(item);
      const matches = itemRules.flatMap((rule) =>
        rule.appliesTo(subject) ? (matchRule(rule, facts) ?? []) : [],
      );
      return matches.length === 0 ? [otherwise] : matches;
    },
    reaches(owner, subject) {
      if (isOutside(owner, subject)) return false;
      const meant = rules.filter((rule) => rule.appliesTo(subject) && rule.matchOwner(owner));
      if (meant.some(({ effect, about }) => effect === "deny" && about === "everything")) return false;
      return otherwise.effect !== "deny" || meant.some(({ effect }) => effect !== "deny");
    },
    *aboutSteps(candidates, { prompts, resources }) {
      const isKnown = ({ about }: CompiledRule): boolean =>
        (about !== "prompts" || prompts !== undefined) && (about !== "resources" || resources !== undefined);
      const open = new Set(candidates.filter(isKnown));
      const about = new Set(candidates.filter((rule) => !isKnown(rule)));
      const judge = (item: PolicyItem): void => {
        const facts = factsOf(item);
        for (const rule of open) {
          const hit = rule.matchItem(facts);
          // An ambiguous address is matched by every rule for its scheme, also by one with a typo.
          if (hit === undefined || hit === "ambiguous") continue;
          open.delete(rule);
          about.add(rule);
        }
      };
      for (const prompt of prompts ?? []) {
        if (open.size === 0) break;
        yield;
        judge({ kind: "prompt", prompt });
      }
      for (const item of resources ?? []) {
        if (open.size === 0) break;
        yield;
        judge(item);
      }
      return about;
    },
    mayHideItems: otherwise.effect === "deny" || itemRules.some(({ effect }) => effect === "deny"),
    hidesItems: (subject) =>
      otherwise.effect === "deny" ||
      subject.toolboxes !== undefined ||
      itemRules.some((rule) => rule.effect === "deny" && rule.appliesTo(subject)),
  };
}

const NO_NAMES: readonly NamedIdentity[] = [];

function ownerOf(item: PolicyItem): RuleOwner {
  return item.kind === "prompt" ? item.prompt : item.owner;
}
