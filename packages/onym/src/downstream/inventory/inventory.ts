// Compares a new listing with the previous one, independent of member order (GW-7).

import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { canonicalJson } from "@onym/core/identity";
import type { JsonObject } from "../../mcp/json.js";
import type { Inventory } from "../downstream.js";

/** Characters compared per slice (SAFE-4). */
const SLICE_LENGTH = 256 * 1024;

/** Compares entry by entry, so that the cost of lists that differ ends at the first difference. */
export async function isSameInventory(before: Inventory, next: Inventory): Promise<boolean> {
  if (LISTS.some((list) => before[list].length !== next[list].length)) return false;
  if (canonicalJson(restOf(before)) !== canonicalJson(restOf(next))) return false;
  let slice = 0;
  for (const list of LISTS) {
    // Read once: each access unpacks a large list.
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

export const EMPTY_INVENTORY: Inventory = {
  capabilities: {},
  serverInfo: {},
  instructions: undefined,
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  problems: [],
};

// Large inventories at rest: the tools are kept compressed, and become objects only while they are used.

/** Smaller ones are not worth it. */
const LARGE_TEXT = 1_000_000;

/**
 * `text` is the whole inventory as JSON. Objects take thirty times the memory of what is kept, and are read
 * once.
 */
export function packInventory(inventory: Inventory, text: string): Inventory {
  if (text.length < LARGE_TEXT) return inventory;
  const packed = packText(text);
  const { tools, ...rest } = inventory;
  let known = new WeakRef(tools);
  return {
    ...rest,
    get tools() {
      const read = known.deref() ?? unpackTools(packed);
      known = new WeakRef(read);
      return read;
    },
  };
}

export function packText(text: string): Buffer {
  return deflateRawSync(text, { level: constants.Z_BEST_SPEED });
}

export function unpackTools(packed: Buffer): readonly JsonObject[] {
  const { tools }: Pick<Inventory, "tools"> = JSON.parse(inflateRawSync(packed).toString());
  return tools;
}
