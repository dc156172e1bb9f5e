// The running gateways of this user: those that listen for HTTP, of a config or of any; and those that must hear of a decision.

import type { Environment } from "../config/json/expand-variables.js";
import { controlMachine } from "./control-machine.js";

/** A gateway that listens for clients. */
export interface RunningGateway {
  readonly url: string;
  /** Its config file, absolute. */
  readonly config: string;
}

const ANSWER_MS = 2_000;

/** The newest first; empty if no gateway of this config answers. */
export async function runningAddresses(config: string, env: Environment): Promise<readonly URL[]> {
  return (await runningGateways(env, config)).map(({ url }) => new URL(url));
}

/** Of this config, or of any; the newest first. */
export async function runningGateways(env: Environment, config?: string): Promise<readonly RunningGateway[]> {
  const { askStatus } = await import("../control/ask-gateway.js");
  const { answers } = await askStatus({ config, machine: controlMachine(env), timeoutMs: ANSWER_MS });
  return answers.flatMap(({ url, config: file }) => (url === undefined ? [] : [{ url, config: file }]));
}

/**
 * Resolves when every running gateway of the config goes by the decisions that its store holds now. Those that do not say so, by
 * their process ids: they notice by themselves, but not at once.
 */
export async function spreadDecisions(config: string, env: Environment): Promise<readonly number[]> {
  const { askStatus } = await import("../control/ask-gateway.js");
  const asked = { config, machine: controlMachine(env), ask: "decisions", timeoutMs: ANSWER_MS } as const;
  const { silent } = await askStatus(asked);
  return silent.flatMap(({ kind, pid }) => (kind === "gone" ? [] : [pid]));
}
