// Where each tool of a list stands, by its key; made once for all tables of a catalog.

import type { ToolKey } from "../identity/tool-key.js";
import type { Tool } from "./tool.js";

const known = new WeakMap<readonly Tool[], ReadonlyMap<ToolKey, number>>();

export function toolPositions(tools: readonly Tool[]): ReadonlyMap<ToolKey, number> {
  const before = known.get(tools);
  if (before !== undefined) return before;
  const positions = new Map<ToolKey, number>();
  for (let index = 0; index < tools.length; index++) positions.set((tools[index] as Tool).key, index);
  known.set(tools, positions);
  return positions;
}
