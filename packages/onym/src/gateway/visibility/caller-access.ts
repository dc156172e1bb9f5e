// What each caller may see of a view beside its tools: servers, prompts, resources (POL-9). Worked out once for each kind
// of caller.

import type { Tool } from "@onym/core";
import type { DownstreamId } from "../../downstream/downstream.js";
import type { Policy, RuleOwner } from "../../policy/build-policy.js";
import type { PolicySubject } from "../../policy/policy-input.js";
import type { Caller } from "../caller.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";

export interface CallerAccess {
  /** The same key, the same answers, as long as the view is the same. */
  readonly key: string;
  /** Whether anything of the server may be seen. */
  readonly reaches: (id: DownstreamId) => boolean;
  readonly seesPrompt: (prompt: Tool) => boolean;
  /** By its address, or a template's text, as the server knows it. */
  readonly seesResource: (id: DownstreamId, uri: string) => boolean;
}

/** `undefined` where nothing is hidden. */
export type AccessOf = (snapshot: GatewaySnapshot, caller: CallerIdentity) => CallerAccess | undefined;

export type CallerIdentity = Pick<Caller, "principal" | "confinedTo">;

export function createCallerAccess(policy: Policy): AccessOf {
  const known = new WeakMap<GatewaySnapshot, Map<string, CallerAccess | undefined>>();
  const last = new WeakMap<
    CallerIdentity,
    { readonly snapshot: GatewaySnapshot; readonly access: CallerAccess | undefined }
  >();
  const accessOf: AccessOf = (snapshot, caller) => {
    const made = known.get(snapshot) ?? new Map<string, CallerAccess | undefined>();
    known.set(snapshot, made);
    const { principal, confinedTo } = caller;
    const key = confinedTo === undefined ? principal : JSON.stringify([principal, confinedTo]);
    if (made.has(key)) return made.get(key);
    const access = buildAccess(policy, { snapshot, caller, key });
    made.set(key, access);
    return access;
  };
  return (snapshot, caller) => {
    if (!policy.mayHideItems && caller.confinedTo === undefined) return undefined;
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.access;
    const access = accessOf(snapshot, caller);
    last.set(caller, { snapshot, access });
    return access;
  };
}

function buildAccess(
  policy: Policy,
  {
    snapshot,
    caller,
    key,
  }: { readonly snapshot: GatewaySnapshot; readonly caller: CallerIdentity; readonly key: string },
): CallerAccess | undefined {
  const subject = subjectOf(caller);
  if (!policy.hidesItems(subject)) return undefined;
  const owners = new Map(snapshot.tools.catalog.servers.map((owner) => [ownerKey(owner), owner]));
  const reached = new Map<string, boolean>();
  return {
    key,
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

/** A server that the catalog does not know has no integration that a rule could name. */
export function ruleOwnerOf({ server, toolbox }: DownstreamId, known: RuleOwner | undefined): RuleOwner {
  return known ?? { server, toolbox, integration: "" };
}
export function subjectOf({
  principal,
  confinedTo,
}: Pick<Caller, "principal" | "confinedTo">): PolicySubject {
  return { principal, toolboxes: confinedTo };
}
