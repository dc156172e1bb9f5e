// What an approval of a call is bound to (POL-2). The digest is made once for each tool as it was seen. The tool is known
// by the first key of its lineage, so that one that was renamed is approved, rejected and revoked as the same (LOCK-5).

import { type Tool, type ToolBinding, toolBindingOf } from "@onym/core";
import type { GuardedCall } from "../calls/guard.js";

const known = new WeakMap<Tool, ToolBinding>();

export function bindCall({
  tool,
  caller: { principal },
  launch,
  lineage,
}: Pick<GuardedCall, "tool" | "caller" | "launch" | "lineage">): ToolBinding {
  const before = known.get(tool);
  // Nearly always the same as before.
  if (before?.principal === principal && before.launch === launch) return before;
  const binding =
    before === undefined
      ? toolBindingOf({ principal, launch, tool: { key: lineage.key, definition: tool.definition } })
      : { ...before, principal, launch };
  known.set(tool, binding);
  return binding;
}
