// The rules of a policy that match nothing of a view (POL-5), from what its servers list.

import type { CatalogProblem } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { Steps } from "../../model/run-slices.js";
import type { Policy } from "../../policy/build-policy.js";
import type { RuleOwner } from "../../policy/compile-rule.js";
import { findIdleRuleSteps } from "../../policy/find-idle-rules.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { ruleOwnerOf } from "../visibility/caller-visibility.js";

/** Each rule once: to find what it may mean, every spelling of every tool is looked at. */
export function* idleRuleSteps(
  policy: Policy,
  snapshot: GatewaySnapshot,
  told: Set<string>,
): Steps<readonly CatalogProblem[]> {
  const problems = yield* findIdleRuleSteps({
    policy,
    snapshot: snapshot.tools,
    unlisted: unlistedServers(snapshot),
    items: { prompts: snapshot.prompts.catalog.tools, resources: judgedResources(snapshot) },
    told,
  });
  for (const { message } of problems) told.add(message);
  return problems;
}

/**
 * Beyond this, resources are not matched against rules on each list change, and no resource rule counts as
 * unused.
 */
const MAX_JUDGED = 5_000;

function judgedResources(snapshot: GatewaySnapshot) {
  const listed = snapshot.present.flatMap((owner) => [
    ...snapshot.resourcesOf(owner),
    ...snapshot.templatesOf(owner),
  ]);
  return listed.length > MAX_JUDGED
    ? undefined
    : snapshot.present.flatMap((owner) => resourcesOf(owner, snapshot));
}

/** The resources that a server lists, in the form that rules take. */
function resourcesOf(owner: Downstream, snapshot: GatewaySnapshot) {
  const known = snapshot.tools.catalog.servers.find((server) => ownerKey(server) === ownerKey(owner.id));
  const uris = [
    ...snapshot.resourcesOf(owner).map(({ uri }) => String(uri)),
    ...snapshot.templatesOf(owner).map(({ uriTemplate }) => String(uriTemplate)),
  ];
  return uris.map((uri) => ({ kind: "resource" as const, owner: ruleOwnerOf(owner.id, known), uri }));
}

/** The servers of the catalog whose tools are not known. */
function unlistedServers({ tools, present }: GatewaySnapshot): readonly RuleOwner[] {
  const listed = new Set(present.map(({ id }) => ownerKey(id)));
  return tools.catalog.servers.filter((server) => !listed.has(ownerKey(server)));
}
