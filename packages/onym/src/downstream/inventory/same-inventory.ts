// Whether a new listing says what the one before said, whatever the order in which its members are written (GW-7).

import { canonicalJson } from "@onym/core";
import type { Inventory } from "../downstream.js";

/** Characters that are compared before others get their turn (SAFE-4). */
const SLICE_LENGTH = 256 * 1024;

/** Looks at one entry after the other, so that lists that differ cost no more than what comes before the difference. */
export async function isSameInventory(before: Inventory, next: Inventory): Promise<boolean> {
  if (LISTS.some((list) => before[list].length !== next[list].length)) return false;
  if (canonicalJson(restOf(before)) !== canonicalJson(restOf(next))) return false;
  let slice = 0;
  for (const list of LISTS) {
    // Read once: a large list is unpacked for whoever looks at it.
    const then = before[list];
    for (const [index, entry] of next[list].entries()) {
      const text = canonicalJson(entry);
      if (text !== canonicalJson(then[index])) return false;
      slice += text.length;
      if (slice < SLICE_LENGTH) continue;
      slice = 0;
      await new Promise(setImmediate);
    }
  }
  return true;
}

const LISTS = ["tools", "resources", "templates", "prompts"] as const;

function restOf({ capabilities, serverInfo, instructions, problems }: Inventory): unknown {
  return { capabilities, serverInfo, instructions, problems };
}
