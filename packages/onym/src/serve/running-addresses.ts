// The HTTP URLs of the running gateways of a config.

import { controlMachine } from "../cli/catalog/control-machine.js";
import type { Environment } from "../config/json/expand-variables.js";

const ANSWER_MS = 2_000;

/** The newest first; empty if no gateway of this config answers. */
export async function runningAddresses(config: string, env: Environment): Promise<readonly URL[]> {
  const { askStatus } = await import("../control/ask-gateway.js");
  const { answers } = await askStatus({ config, machine: controlMachine(env), timeoutMs: ANSWER_MS });
  return answers.flatMap(({ url }) => (url === undefined ? [] : [new URL(url)]));
}
