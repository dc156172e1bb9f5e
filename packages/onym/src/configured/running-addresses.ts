// The running gateways of this user that listen for HTTP, of a config or of any.

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
