// This machine as the channel to running gateways sees it: whose user, and where that user's state is.

import { userStateFolder } from "../config/files/user-folders.js";
import type { Environment } from "../config/json/expand-variables.js";
import type { Machine } from "../control/registration.js";

/**
 * Clients hand hardly any of their environment on to the servers they start, but HOME: a gateway may not know of
 * XDG_STATE_HOME where a command does. So the folder without it is looked into as well.
 */
export function controlMachine(env: Environment): Machine {
  const { platform } = process;
  const usual = userStateFolder({ platform, env: { ...env, XDG_STATE_HOME: undefined } });
  return {
    platform,
    uid: process.getuid?.(),
    stateFolders: [...new Set([userStateFolder({ platform, env }), usual])],
  };
}
