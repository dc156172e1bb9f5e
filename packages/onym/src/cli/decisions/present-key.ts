// Who an old tool is now, for commands that read keys from the store: decisions and counts are kept under the first key
// that a tool had (LOCK-5).

import type { Lock, ToolKey } from "@onym/core";
import type { Config } from "../../config/config.js";
import { partsOf } from "./name-keys.js";

/** As far as the lock has it on record: the last of the line whose server the config has, else the last. */
export function presentKeyIn(
  { tools }: Pick<Lock, "tools">,
  { servers }: Pick<Config, "servers">,
): (key: ToolKey) => ToolKey {
  const isHere = (key: ToolKey): boolean => {
    const { server, toolbox } = partsOf(key);
    return servers.some(({ source }) => source.server === server && source.toolbox === toolbox);
  };
  return (key) => {
    const line = [key];
    for (
      let at = tools.get(key)?.successor;
      at !== undefined && !line.includes(at);
      at = tools.get(at)?.successor
    )
      line.push(at);
    return line.findLast(isHere) ?? line.at(-1) ?? key;
  };
}
