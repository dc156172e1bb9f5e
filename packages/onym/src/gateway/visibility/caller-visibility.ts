// What each caller sees of a snapshot: its tools, servers, prompts and resources (POL-1, POL-9). Computed
// once per policy subject. Everything here is derived from the subject (and, for texts, from the naming
// choice), and cached by a key of that same value.

import type { Resolution, StructuredName, Tool } from "@onym/core";
import { createSuggester } from "@onym/core/resolve";
import type { DownstreamId } from "../../downstream/downstream.js";
import { formatSubjectKey, type PolicySubject } from "../../model/policy-rule.js";
import { MANY_TOOLS, runInSlices } from "../../model/run-slices.js";
import type { IsNew, Policy, RuleOwner } from "../../policy/build-policy.js";
import { buildVisibleTools, type VisibleTools } from "../../policy/visible-tools.js";
import type { Caller } from "../caller.js";
import { type GatewaySnapshot, type NamesChoice, ownerKey } from "../catalog/gateway-snapshot.js";

export interface Visibility {
  readonly key: string;
  readonly sees: (tool: Tool) => boolean;
  /** The resolution that the caller may see: a hidden tool looks like an unknown one. */
  readonly hide: (input: string | StructuredName, resolution: Resolution) => Resolution;
  /**
   * Builds in slices what `hide` needs to suggest names in a large catalog (SAFE-4). `undefined` if it is ready
   * or quick to build.
   */
  readonly prepareSuggestions: () => Promise<void> | undefined;
}

export interface CallerAccess {
  /** Equal keys mean equal answers for the same snapshot. */
  readonly key: string;
  /** Whether anything of the server is visible. */
  readonly reaches: (id: DownstreamId) => boolean;
  readonly seesPrompt: (prompt: Tool) => boolean;
  /** By its URI, or a template's text, as the server knows it. */
  readonly seesResource: (id: DownstreamId, uri: string) => boolean;
}

/** `undefined` if nothing is hidden. */
export type VisibilityOf = (snapshot: GatewaySnapshot, caller: Caller) => Visibility | undefined;
export type AccessOf = (snapshot: GatewaySnapshot, caller: CallerIdentity) => CallerAccess | undefined;

export type CallerIdentity = Pick<Caller, "principal" | "confinedTo">;

export function subjectOf({ principal, confinedTo }: CallerIdentity): PolicySubject {
  return { principal, toolboxes: confinedTo };
}

export interface VisibilityRules {
  readonly policy: Policy;
  /** Which tools of a snapshot are new; absent if that changes nothing. */
  readonly isNewIn?: ((snapshot: GatewaySnapshot) => IsNew) | undefined;
  /** New tools are hidden, so a missing tool may have been hidden too. */
  readonly hidesNew: boolean;
}

export function createCallerVisibility(rules: VisibilityRules): VisibilityOf {
  const tools = keepBySnapshot((snapshot, subject: PolicySubject) =>
    buildVisibleTools(rules.policy, snapshot.tools.catalog.tools, subject, rules.isNewIn?.(snapshot)),
  );
  const visibilities = keepBySnapshot((snapshot, { subject, profile, as }: NamedSubject) => {
    const subjectKey = formatSubjectKey(subject);
    const visible = tools(snapshot, subjectKey, subject);
    return buildVisibility(rules, { snapshot, choice: { profile, as }, key: subjectKey, visible });
  });
  /** The last result of each session: sessions call more often than snapshots change. */
  const last = new WeakMap<
    Caller,
    { readonly snapshot: GatewaySnapshot; readonly visibility: Visibility | undefined }
  >();
  return (snapshot, caller) => {
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.visibility;
    const named: NamedSubject = { subject: subjectOf(caller), profile: caller.profile, as: caller.as };
    const visibility = visibilities(snapshot, formatNamedKey(named), named);
    if (caller.session !== undefined) last.set(caller, { snapshot, visibility });
    return visibility;
  };
}

/** The inputs of a visibility: suggestions use the names of one profile and alias. */
interface NamedSubject extends NamesChoice {
  readonly subject: PolicySubject;
}

function formatNamedKey({ subject, profile, as }: NamedSubject): string {
  return JSON.stringify([formatSubjectKey(subject), profile.id, as ?? null]);
}

export function createCallerAccess(policy: Policy): AccessOf {
  const accesses = keepBySnapshot((snapshot, subject: PolicySubject) =>
    buildAccess(policy, snapshot, subject),
  );
  const last = new WeakMap<
    CallerIdentity,
    { readonly snapshot: GatewaySnapshot; readonly access: CallerAccess | undefined }
  >();
  return (snapshot, caller) => {
    if (!policy.mayHideItems && caller.confinedTo === undefined) return undefined;
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.access;
    const subject = subjectOf(caller);
    const access = accesses(snapshot, formatSubjectKey(subject), subject);
    last.set(caller, { snapshot, access });
    return access;
  };
}

/** Builds a value once per snapshot and key, and drops it with the snapshot. */
function keepBySnapshot<Input, Value>(
  build: (snapshot: GatewaySnapshot, input: Input) => Value,
): (snapshot: GatewaySnapshot, key: string, input: Input) => Value {
  const kept = new WeakMap<GatewaySnapshot, Map<string, { readonly value: Value }>>();
  return (snapshot, key, input) => {
    const made = kept.get(snapshot) ?? new Map<string, { readonly value: Value }>();
    kept.set(snapshot, made);
    const known = made.get(key) ?? { value: build(snapshot, input) };
    made.set(key, known);
    return known.value;
  };
}

interface VisibilityInput {
  readonly snapshot: GatewaySnapshot;
  readonly choice: NamesChoice;
  readonly key: string;
  readonly visible: VisibleTools;
}

function buildVisibility(
  { hidesNew }: VisibilityRules,
  { snapshot, choice, key, visible }: VisibilityInput,
): Visibility | undefined {
  const isAll = visible.tools.length === snapshot.tools.catalog.tools.length;
  // Nothing is hidden, so there is nothing to conceal.
  if (isAll && !hidesNew) return undefined;
  const suggester = createVisibleSuggester(snapshot, choice, visible);
  let preparing: Promise<void> | "done" | undefined;
  const names = {
    toolNamed: (name: string) => snapshot.tableOf(choice).toolNamed(name),
    suggest: (input: string | StructuredName) =>
      suggester().suggest(typeof input === "string" ? input : `${input.server}_${input.name}`),
  };
  return {
    // All callers that see everything share one list.
    key: isAll ? "everything" : key,
    sees: visible.isVisible,
    hide: (input, resolution) => visible.hide(input, resolution, names),
    prepareSuggestions() {
      if (visible.tools.length < MANY_TOOLS || preparing === "done") return undefined;
      preparing ??= runInSlices(suggester().steps()).finally(() => {
        preparing = "done";
      });
      return preparing;
    },
  };
}

/** Uses only visible tools, so that neither a suggestion nor its absence reveals a hidden one (RES-3). */
function createVisibleSuggester(
  snapshot: GatewaySnapshot,
  choice: NamesChoice,
  { isVisible }: VisibleTools,
): () => ReturnType<typeof createSuggester> {
  let made: ReturnType<typeof createSuggester> | undefined;
  return () => {
    made ??= createSuggester({
      tools: snapshot.tableOf(choice).tools.filter(({ tool }) => isVisible(tool)),
    });
    return made;
  };
}

function buildAccess(
  policy: Policy,
  snapshot: GatewaySnapshot,
  subject: PolicySubject,
): CallerAccess | undefined {
  if (!policy.hidesItems(subject)) return undefined;
  const owners = new Map(snapshot.tools.catalog.servers.map((owner) => [ownerKey(owner), owner]));
  const reached = new Map<string, boolean>();
  return {
    key: formatSubjectKey(subject),
    reaches(id) {
      const text = ownerKey(id);
      const found = reached.get(text) ?? policy.reaches(ruleOwnerOf(id, owners.get(text)), subject);
      reached.set(text, found);
      return found;
    },
    seesPrompt: (prompt) => policy.decideItem({ kind: "prompt", prompt }, subject).effect !== "deny",
    seesResource: (id, uri) => {
      const owner = ruleOwnerOf(id, owners.get(ownerKey(id)));
      return policy.decideItem({ kind: "resource", owner, uri }, subject).effect !== "deny";
    },
  };
}

/** A server outside the catalog has no integration that a rule could name. */
export function ruleOwnerOf({ server, toolbox }: DownstreamId, known: RuleOwner | undefined): RuleOwner {
  return known ?? { server, toolbox, integration: "" };
}
