// Whether every rule of the policy is about some tool (POL-5): one that is not protects nothing.

import type { Snapshot } from "@onym/core";
import type { Config } from "../../config/config.js";
import { countNoun } from "../count-noun.js";
import { idleRulesOf } from "../policy-of.js";
import type { Check } from "./check.js";

export function checkPolicy(config: Config, snapshot: Snapshot): readonly Check[] {
  const { rules } = config.policy;
  if (rules.length === 0) return [];
  const idle = idleRulesOf(config, snapshot);
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
      message: `${countNoun(rules.length, "rule")}, none without tools`,
    },
  ];
}
