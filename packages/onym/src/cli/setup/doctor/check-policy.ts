// Whether every rule of the policy matches something (POL-5, POL-9), and whether servers that are asked about
// could answer for themselves (SAFE-7).

import type { Snapshot } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { findUnauthenticated, findUnisolated } from "../../../configured/find-risks.js";
import { idleRulesOf } from "../../../configured/policy-of.js";
import { countNoun } from "../../../output/wording.js";
import type { IdleRulesInput } from "../../../policy/find-idle-rules.js";
import type { Check } from "./check.js";

export function checkPolicy(
  config: Config,
  snapshot: Snapshot,
  items: IdleRulesInput["items"],
): readonly Check[] {
  const found = [
    ["isolation", findUnisolated(config)],
    ["callers", findUnauthenticated(config)],
  ] as const;
  const open = found.flatMap(([name, risk]): readonly Check[] =>
    risk === undefined ? [] : [{ group: "Policy", name, status: "warning", ...risk }],
  );
  return [...checkRules(config, snapshot, items), ...open];
}

function checkRules(config: Config, snapshot: Snapshot, items: IdleRulesInput["items"]): readonly Check[] {
  const { rules } = config.policy;
  if (rules.length === 0) return [];
  const idle = idleRulesOf(config, snapshot, items);
  if (idle.length > 0)
    return idle.map(({ message, fix }) => ({
      group: "Policy",
      name: "rules",
      status: "warning",
      message,
      fix,
    }));
  return [
    {
      group: "Policy",
      name: "rules",
      status: "ok",
      message: `${countNoun(rules.length, "rule")}, each matches something`,
    },
  ];
}
