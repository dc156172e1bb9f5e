// The tools that a client will have behind Onym, under the names that it will see, and those that the policy keeps from it: a `deny`
// that came from one client holds in every other.

import { findProfile, type Profile, type Snapshot, type Tool } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import type { Config } from "../../../config/config.js";
import { policyOf, subjectNamed } from "../../../configured/policy-of.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import type { Terminal } from "../../../output/terminal.js";
import { buildLiveConfig } from "../../catalog/live-config.js";
import type { LiveServer } from "../../catalog/live-servers.js";
import { loadGivenNames } from "../../names/lock/given-names.js";
import type { OpenedClient } from "./open-client.js";
import type { Moving } from "./plan-move.js";

export interface BehindInput {
  readonly opened: Pick<OpenedClient, "client">;
  readonly alias: string;
  readonly moving: Moving;
}

interface Behind {
  readonly profile: Profile;
  readonly config: Config;
  readonly snapshot: Snapshot;
  readonly asked: readonly LiveServer[];
  readonly nameOf: (tool: Tool) => string | undefined;
}

export async function loadBehind(
  { opened: { client }, alias, moving }: BehindInput,
  { cwd, today }: Pick<Terminal, "cwd" | "today">,
): Promise<Behind | undefined> {
  const profile = findProfile(client.profile ?? client.id) ?? findProfile("universal");
  if (profile === undefined) return undefined;
  const asked = moving.answers.flatMap((answer) => {
    const { source: owner } = answer.server;
    const server = moving.config.servers.find(
      ({ source }) => source.server === owner.server && source.toolbox === owner.toolbox,
    );
    return server === undefined ? [] : [{ ...answer, server }];
  });
  const { config } = buildLiveConfig(moving.config, asked);
  const { lock } = await loadGivenNames(config, cwd);
  const snapshot = snapshotOf(config, { lock, as: alias, today });
  const names = new Map(
    snapshot.namesFor(profile, { as: alias }).tools.map(({ name, tool }) => [toolKeyOf(tool), name]),
  );
  return { profile, config, snapshot, asked, nameOf: (tool) => names.get(toolKeyOf(tool)) };
}

/** Tools that one rule of the config keeps from the client. */
export interface DeniedTools {
  /** `rules[2]`, or `default`. */
  readonly rule: string;
  /** Where the rule is from, as its author put it. */
  readonly note: string | undefined;
  /** As the client would list them. */
  readonly names: readonly string[];
}

/** By the rules that the config has already; those that come with the client are part of its own plan. */
export async function findDenied(
  input: BehindInput & { readonly caller: string },
  terminal: Terminal,
): Promise<readonly DeniedTools[]> {
  const { rules, default: others } = input.moving.config.policy;
  if (others !== "deny" && !rules.some(({ effect }) => effect === "deny")) return [];
  const behind = await loadBehind(input, terminal);
  if (behind === undefined) return [];
  const { config, snapshot, nameOf } = behind;
  const policy = policyOf(config, snapshot);
  const subject = subjectNamed(input.caller, config);
  const found = new Map<string, string[]>();
  for (const tool of snapshot.catalog.tools) {
    const { effect, rule } = policy.decide(tool, subject, () => false);
    const name = nameOf(tool);
    if (effect === "deny" && name !== undefined) found.set(rule, [...(found.get(rule) ?? []), name]);
  }
  return [...found].map(([rule, names]) => {
    const [, index] = /^rules\[(\d+)\]$/.exec(rule) ?? [];
    return { rule, note: index === undefined ? undefined : rules[Number(index)]?.note, names };
  });
}
