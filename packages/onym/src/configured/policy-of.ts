// The policy of a config and its callers, built as the gateway builds them, for commands and the console.

import type { CatalogProblem, Snapshot } from "@onym/core";
import type { Config } from "../config/config.js";
import type { PolicySubject } from "../model/policy-rule.js";
import { buildPolicy, type Policy } from "../policy/build-policy.js";
import { findIdleRules, type IdleRulesInput } from "../policy/find-idle-rules.js";
import { buildFormerNames, buildFormerServers } from "../policy/former-names.js";

/** With a snapshot, rules follow also what the lock has on record of renames. */
export function policyOf(
  { policy, renames, servers }: Config,
  snapshot?: Pick<Snapshot, "lock" | "lineageOf">,
): Policy {
  const formerServers = buildFormerServers(
    servers.map(({ source }) => source),
    () => (snapshot === undefined ? [] : [snapshot.lock]),
  );
  return buildPolicy(policy, {
    formerNames: buildFormerNames(renames, { lineageOf: snapshot?.lineageOf, formerServers }),
    formerPrompts: buildFormerNames([], { formerServers }),
    formerServers,
  });
}

/** Rules that are about nothing of the servers whose tools are in the snapshot (POL-5). */
export function idleRulesOf(
  config: Config,
  snapshot: Snapshot,
  items?: IdleRulesInput["items"],
): readonly CatalogProblem[] {
  const listed = new Set(
    config.servers.filter(({ isStatic }) => isStatic).map(({ source }) => ownerKey(source)),
  );
  const unlisted = snapshot.catalog.servers.filter((server) => !listed.has(ownerKey(server)));
  return findIdleRules({ policy: policyOf(config, snapshot), snapshot, unlisted, items });
}

function ownerKey({
  server,
  toolbox,
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): string {
  return JSON.stringify([toolbox ?? null, server]);
}

/** A token may confine its caller to toolboxes. What the claims of an OAuth token lead to is known only with the token. */
export function subjectNamed(principal: string, { auth }: Config): PolicySubject {
  const toolboxes = auth?.tokens.find(({ name }) => name === principal)?.toolboxes;
  return toolboxes === undefined ? { principal } : { principal, toolboxes };
}
