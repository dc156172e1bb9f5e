// How a decision about a call is made (POL-1, POL-2): which of the matching rules decides, and what standing approvals and
// answers make of it. The order of the checks is the security model.

import type { ToolDefinition, ToolKey } from "@onym/core";
import {
  buildStandingRecord,
  type DefinitionDiff,
  decideStanding,
  definitionDigest,
  type StandingRecord,
  type ToolBinding,
} from "@onym/core/approvals";
import type { Approval } from "../model/approval.js";
import type { Effect, PolicySubject } from "../model/policy-rule.js";
import type { CompiledRule } from "./compile-rule.js";

// Which of the matching rules decides: deny beats ask beats allow, in any rule order.

export interface PolicyDecision {
  readonly effect: Effect;
  /** The rule that matched: `rules[2]`, `newTools`, `toolboxes` (the caller is confined to others) or `default`. */
  readonly rule: string;
  /** The rule as text, safe to show. */
  readonly why: string;
}

export interface RuleMatch extends PolicyDecision {
  /** The former name that the rule matched; absent if it matched the present identity. */
  readonly former?: string;
  /** The rule matched a resource only because its address can be read in more than one way. */
  readonly ambiguous?: true;
}

/** A matching rule, and whether the match is certain. */
export interface SpokenRule {
  readonly rule: CompiledRule;
  readonly match: RuleMatch;
  readonly isCertain: boolean;
}

export const STRENGTH: Readonly<Record<Effect, number>> = { deny: 0, ask: 1, allow: 2 };

export const OUTSIDE: RuleMatch = {
  effect: "deny",
  rule: "toolboxes",
  why: "deny, because the caller is confined to other toolboxes",
};

export function byStrength(spoken: readonly SpokenRule[]): readonly SpokenRule[] {
  return [...spoken].sort((a, b) => STRENGTH[a.match.effect] - STRENGTH[b.match.effect]);
}

/**
 * An uncertain match may restrict a tool, but does not replace the default: otherwise a server could turn a denial
 * into an ask through its annotations.
 */
export function strongest(
  ordered: readonly SpokenRule[],
  isMeant: (rule: CompiledRule) => boolean,
  otherwise: RuleMatch,
): RuleMatch {
  let first: RuleMatch | undefined;
  for (const { rule, match, isCertain } of ordered) {
    if (!isMeant(rule)) continue;
    first ??= match;
    if (isCertain) return first;
  }
  return first === undefined || STRENGTH[otherwise.effect] < STRENGTH[first.effect] ? otherwise : first;
}

/** Cached: most tools have no former name, so a rule's match is the same for each of them. */
const plainMatches = new WeakMap<CompiledRule, RuleMatch>();

export function matchOf(rule: CompiledRule, former: string | undefined): RuleMatch {
  const { effect, label, why } = rule;
  if (former !== undefined) return { effect, rule: label, why, former };
  const shared = plainMatches.get(rule) ?? { effect, rule: label, why };
  plainMatches.set(rule, shared);
  return shared;
}

export function isOutside(
  { toolbox }: { readonly toolbox?: string | undefined },
  { toolboxes }: PolicySubject,
): boolean {
  return toolboxes !== undefined && (toolbox === undefined || !toolboxes.includes(toolbox));
}

// What approvals make of the policy's decision.

/** The answer to an approval request for exactly this call, and what the person was shown (POL-3). */
export interface CallAnswer {
  readonly verdict: "approved" | "rejected";
  readonly shown: Pick<ToolBinding, "digest" | "launch">;
}

export type CallDecision =
  | AllowDecision
  | AskDecision
  | {
      readonly kind: "deny";
      readonly rule: string;
      /**
       * `policy`: a rule or the default. `rejected`: a standing decision. `answer`: about this call. `gone`: its
       * server no longer offers the tool that was approved.
       */
      readonly reason: "policy" | "rejected" | "answer" | "gone";
    };

export interface AllowDecision {
  readonly kind: "allow";
  readonly rule: string;
  /** The approval that satisfied an ask rule: for this one call, or a standing one by its id. */
  readonly approval?: "call" | number;
  /** The standing approval is for one call: it has to be used up before this one runs. */
  readonly isOnce?: true;
}

export interface AskDecision {
  readonly kind: "ask";
  readonly rule: string;
  readonly reason: "undecided" | "changed" | "expired";
  /** What changed since the approval; empty if nothing was approved, or if the approval only expired. */
  readonly what: readonly ("definition" | "launch")[];
  /** From the approved definition to the present one. */
  readonly diff?: DefinitionDiff | undefined;
  /** The approved definition, if it differs from the present one. */
  readonly before?: ToolDefinition;
}

/**
 * A denial by the policy is final. Next, an answer about exactly this call takes precedence over a standing
 * decision (ID-5), and a standing rejection over the policy's allow. An approval satisfies an ask, and only for the
 * tool as it was shown.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch, tool });
 * decideCall({ policy: policy.decide(tool, { principal: "ann" }), binding, standing: cache.find(binding, now) });
 */
export function decideCall(input: {
  readonly policy: PolicyDecision;
  /** The tool in its present state. */
  readonly binding: ToolBinding;
  readonly standing: StandingState;
  readonly answer?: CallAnswer | undefined;
}): CallDecision {
  const { binding, standing, answer } = input;
  const { effect, rule } = input.policy;
  if (effect === "deny") return { kind: "deny", rule, reason: "policy" };
  if (answer?.verdict === "rejected") return { kind: "deny", rule, reason: "answer" };
  const outdated = answer === undefined ? [] : changesSince(answer, binding);
  if (answer !== undefined && outdated.length === 0) return { kind: "allow", rule, approval: "call" };

  const decided = standing.kind === "none" ? undefined : decideStanding(binding, standing.record);
  if (standing.kind === "inForce" && decided?.outcome === "rejected")
    return { kind: "deny", rule, reason: "rejected" };
  if (effect === "allow") return { kind: "allow", rule };
  if (standing.kind === "inForce" && decided?.outcome === "approved")
    return standing.isOnce === true
      ? { kind: "allow", rule, approval: standing.id, isOnce: true }
      : { kind: "allow", rule, approval: standing.id };

  const changed = decided?.outcome === "changed" ? decided : undefined;
  const what = changed?.what ?? outdated;
  const isExpired = standing.kind === "expired" && decided?.outcome !== "undecided";
  const reason = isExpired ? "expired" : what.length > 0 ? "changed" : "undecided";
  const before = what.includes("definition") && standing.kind !== "none" ? standing.definition : undefined;
  const ask = { kind: "ask", rule, reason, what, ...(before === undefined ? {} : { before }) } as const;
  if (changed === undefined) return ask;
  return {
    ...ask,
    // Made only where somebody is shown it (SAFE-4).
    get diff() {
      return changed.diff;
    },
  };
}

function changesSince({ shown }: CallAnswer, binding: ToolBinding): readonly ("definition" | "launch")[] {
  return [
    ...(shown.digest === binding.digest ? [] : ["definition" as const]),
    ...(shown.launch === binding.launch ? [] : ["launch" as const]),
  ];
}

// The approvals in force, indexed by principal and tool. Immutable; rebuilt when the store changes.

/**
 * The state for one principal and tool: the newest decision, whether it is still valid, and core's record of it.
 */
export type StandingState =
  | { readonly kind: "none" }
  | {
      readonly kind: "inForce" | "expired";
      readonly id: number;
      readonly record: StandingRecord;
      /** The definition that was shown for the decision. */
      readonly definition: ToolDefinition;
      readonly isOnce?: true;
    };

/** The principal and the tool to look up. */
export interface StandingSubject {
  readonly principal: string;
  /** The tool's own key. */
  readonly tool: ToolKey;
  /** The keys of the tool before and after declared renames (LOCK-5). */
  readonly lineage?: {
    /** Those before it that are gone. What was approved under them holds for the tool. */
    readonly former: readonly ToolKey[];
    /** Those after it, where all are gone. What was approved under them does not hold for the tool. */
    readonly later: readonly ToolKey[];
    /** All of them, also those of tools that are listed. What was rejected under one holds for all. */
    readonly line: readonly ToolKey[];
  };
  /** The keys that it would have under former ids of its server, whatever is on record. What was rejected under one holds. */
  readonly underFormerIds?: readonly ToolKey[];
}

export interface StandingCache {
  /** The number of indexed decisions, including expired ones. */
  readonly size: number;
  /** Whether anything was decided for the principal: for most callers nothing was. */
  readonly has: (principal: string) => boolean;
  readonly find: (subject: StandingSubject, now: number) => StandingState;
}

export const NO_DECISION: StandingState = { kind: "none" };
type DecidedTools = ReadonlyMap<ToolKey, Approval>;

/**
 * For a tool of a line of renames. A valid rejection under any key of the line takes precedence: a server must not shed
 * it by listing an old name again. Otherwise the newest decision about the tool itself counts, or about a former key
 * that is gone: an approval never moves to a tool that nobody was shown. Of later keys that are gone only a revocation counts: a
 * server that goes back neither takes an approval along nor sheds its end.
 */
function findInLine(
  tool: ToolKey,
  { former, later, line }: NonNullable<StandingSubject["lineage"]>,
  tools: DecidedTools,
  now: number,
): Approval | undefined {
  const rejection = findRejection([tool, ...line], tools, now);
  if (rejection !== undefined) return rejection;
  // For which of several tools an older one was given is not known.
  const isAlone = former.length === line.length;
  return rowsOf([tool, ...former, ...later], tools).find((row) =>
    later.includes(row.tool) ? isRevoked(row) : row.isOfLine !== true || isAlone,
  );
}

function findRejection(keys: readonly ToolKey[], tools: DecidedTools, now: number): Approval | undefined {
  return rowsOf(keys, tools).find((row) => row.verdict === "rejected" && isStanding(row, now));
}

function rowsOf(keys: readonly ToolKey[], tools: DecidedTools): readonly Approval[] {
  return keys.flatMap((key) => tools.get(key) ?? []).sort((a, b) => b.id - a.id);
}

/** One that expired is marked as revoked at its end. */
function isRevoked({ expiresAt, revokedAt }: Approval): boolean {
  return revokedAt !== undefined && revokedAt !== expiresAt;
}

function isStanding({ expiresAt, revokedAt }: Approval, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

/**
 * The newest row of a principal and tool counts, in any input order. A revoked row leaves no decision, and does not
 * restore one that it had replaced.
 *
 * @example
 * buildStandingCache(rows).find({ principal: "ann", tool: tool.key }, now).kind; // "inForce"
 */
export function buildStandingCache(rows: readonly Approval[]): StandingCache {
  const byPrincipal = new Map<string, Map<ToolKey, Approval>>();
  let size = 0;
  for (const row of rows) {
    const tools = byPrincipal.get(row.principal) ?? new Map<ToolKey, Approval>();
    byPrincipal.set(row.principal, tools);
    const before = tools.get(row.tool);
    if (before === undefined) size += 1;
    if (before === undefined || before.id < row.id) tools.set(row.tool, row);
  }
  return {
    size,
    has: (principal) => byPrincipal.has(principal),
    find({ principal, tool, lineage, underFormerIds = [] }, now) {
      const tools = byPrincipal.get(principal);
      if (tools === undefined) return NO_DECISION;
      const row =
        findRejection(underFormerIds, tools, now) ??
        (lineage === undefined ? tools.get(tool) : findInLine(tool, lineage, tools, now));
      if (row === undefined) return NO_DECISION;
      const { expiresAt, revokedAt } = row;
      if (isRevoked(row)) return NO_DECISION;
      const hasEnded = revokedAt !== undefined;
      const isExpired = hasEnded || (expiresAt !== undefined && expiresAt <= now);
      const { id, definition } = row;
      const state = { id, record: recordOf(row, tool), definition };
      const kind = isExpired ? "expired" : "inForce";
      return row.isOnce === true ? { kind, ...state, isOnce: true } : { kind, ...state };
    },
  };
}

/** To digest a definition may take long, and rows outlive the cache. */
const records = new WeakMap<Approval, StandingRecord>();

function recordOf(row: Approval, tool: ToolKey): StandingRecord {
  if (row.tool !== tool) return buildRecord({ ...row, tool });
  const made = records.get(row) ?? buildRecord(row);
  records.set(row, made);
  return made;
}

/** A row whose definition does not match its digest approves nothing. A rejection always counts. */
function buildRecord({ verdict, principal, tool, launch, digest, definition }: Approval): StandingRecord {
  if (verdict === "rejected") return buildStandingRecord([{ verdict, principal, tool }]);
  const actual = definitionDigest(definition);
  if (actual !== digest) return buildStandingRecord([]);
  return buildStandingRecord([{ verdict, principal, tool, launch, digest: actual, definition }]);
}
