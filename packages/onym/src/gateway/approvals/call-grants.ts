// Calls that were approved once and whose server then asked for input. Their next request belongs to the same
// call and needs no new approval. Each grant works once, for the same caller, tool, definition and arguments.

import type { Tool } from "@onym/core";
import { type ToolBinding, toolBindingOf } from "@onym/core/approvals";
import { canonicalJson } from "@onym/core/identity";
import type { Reply } from "../../mcp/reply.js";
import type { GuardedCall } from "../calls/guard.js";

export interface CallGrants {
  /** Grants the next request of a call, if the reply asks for one. */
  readonly give: (call: GuardedCall, reply: Reply) => void;
  /** Whether the call is granted; uses the grant up. */
  readonly take: (call: GuardedCall) => boolean;
}

export function createCallGrants(most = 1_000): CallGrants {
  const left = new Map<string, number>();
  return {
    give(call, reply) {
      const state = askedBackState(reply);
      if (state === undefined) return;
      const key = grantKey(call, state);
      const count = (left.get(key) ?? 0) + 1;
      // Move it to the end: newest last.
      left.delete(key);
      left.set(key, count);
      const [oldest] = left.keys();
      if (left.size > most && oldest !== undefined) left.delete(oldest);
    },
    take(call) {
      const { requestState: state } = call.params;
      if (typeof state !== "string" || left.size === 0) return false;
      const key = grantKey(call, state);
      const count = left.get(key) ?? 0;
      if (count > 1) left.set(key, count - 1);
      else left.delete(key);
      return count > 0;
    },
  };
}

function askedBackState(reply: Reply): string | undefined {
  if (reply.kind !== "result" || reply.result["resultType"] !== "input_required") return undefined;
  const { requestState: state } = reply.result;
  return typeof state === "string" ? state : undefined;
}

/** Servers choose the states, so many calls may share one. */
function grantKey(call: GuardedCall, state: string): string {
  const { principal, tool, launch, digest } = bindCall(call);
  return canonicalJson([state, principal, tool, launch, digest, JSON.stringify(call.params["arguments"])]);
}

// What an approval of a call is bound to (POL-2). The digest is computed once per definition. The tool is
// identified by the first key of its lineage, so that approvals survive a rename (LOCK-5).

const known = new WeakMap<Tool, ToolBinding>();

export function bindCall({
  tool,
  caller: { principal },
  launch,
  lineage,
}: Pick<GuardedCall, "tool" | "caller" | "launch" | "lineage">): ToolBinding {
  const before = known.get(tool);
  // Nearly always unchanged.
  if (before?.principal === principal && before.launch === launch) return before;
  const binding =
    before === undefined
      ? toolBindingOf({ principal, launch, tool: { key: lineage.key, definition: tool.definition } })
      : { ...before, principal, launch };
  known.set(tool, binding);
  return binding;
}
