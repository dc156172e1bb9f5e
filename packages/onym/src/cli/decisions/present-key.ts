// Who an old tool is now, for commands that read keys from the store: decisions and counts are kept under the first key
// that a tool had (LOCK-5).

import type { Lock, ToolKey } from "@onym/core";

/** As far as the lock has it on record. */
export function presentKeyIn({ tools }: Pick<Lock, "tools">): (key: ToolKey) => ToolKey {
  return (key) => {
    const seen = new Set([key]);
    let present = key;
    for (
      let at = tools.get(key)?.successor;
      at !== undefined && !seen.has(at);
      at = tools.get(at)?.successor
    ) {
      seen.add(at);
      present = at;
    }
    return present;
  };
}
