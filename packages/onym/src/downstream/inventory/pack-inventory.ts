// Large inventories at rest: the tools as packed bytes, and as objects only for as long as somebody looks at them.

import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { JsonObject } from "../../mcp/json.js";
import type { Inventory } from "../downstream.js";

/** Smaller ones are not worth it. */
const LARGE_TEXT = 1_000_000;

/** `text` is the whole inventory as JSON. Objects take thirty times the room of what is kept, and are read once. */
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
