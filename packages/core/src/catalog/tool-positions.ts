// The position of each tool in a list, by key. Built once for all tables of a catalog.

import type { ToolKey } from "../identity/tool-key.js";
import { eachInSteps, runSteps, type Steps } from "../names/steps.js";
import type { Tool } from "./tool.js";

const known = new WeakMap<readonly Tool[], ReadonlyMap<ToolKey, number>>();

export function toolPositions(tools: readonly Tool[]): ReadonlyMap<ToolKey, number> {
  return known.get(tools) ?? runSteps(toolPositionSteps(tools));
}

export function* toolPositionSteps(tools: readonly Tool[]): Steps<ReadonlyMap<ToolKey, number>> {
  const before = known.get(tools);
  if (before !== undefined) return before;
  const positions = new Map<ToolKey, number>();
  yield* eachInSteps(tools, ({ key }, index) => positions.set(key, index));
  known.set(tools, positions);
  return positions;
}
