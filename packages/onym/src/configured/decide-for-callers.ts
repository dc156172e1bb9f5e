// What the policy of a config decides about a tool for each caller that the config knows; `onym policy test` says the same.

import type { Tool } from "@onym/core";
import type { Config } from "../config/config.js";
import { LOCAL_PRINCIPAL } from "../model/auth-settings.js";
import type { PolicyDecision } from "../policy/decide-call.js";
import { policyOf, subjectNamed } from "./policy-of.js";

export interface CallerDecision extends Pick<PolicyDecision, "effect" | "rule" | "why"> {
  readonly caller: string;
}

export function decideForCallers(tool: Tool, config: Config, isNew: boolean): readonly CallerDecision[] {
  const policy = policyOf(config);
  const callers = [LOCAL_PRINCIPAL, ...(config.auth?.tokens ?? []).map(({ name }) => name)];
  return callers.map((caller) => {
    const { effect, rule, why } = policy.decide(tool, subjectNamed(caller, config), () => isNew);
    return { caller, effect, rule, why };
  });
}
