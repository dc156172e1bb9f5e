// The digest of a tool's identity, used in cut names. It is the same in every profile, so it is computed once.

import type { Tool } from "../../catalog/tool.js";
import { shortDigest } from "../../identity/short-digest.js";

const known = new WeakMap<Tool, string>();

export function toolDigest(tool: Tool): string {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const digest = shortDigest([tool.toolbox ?? "", tool.server, tool.raw]);
  known.set(tool, digest);
  return digest;
}
