// Calls that were approved once and then asked back for something: their next leg is the same call, and not asked about
// again. Each grant is good once, for the same caller, tool, definition and arguments.

import { canonicalJson } from "@onym/core";
import type { Reply } from "../../mcp/reply.js";
import type { GuardedCall } from "../calls/guard.js";
import { bindCall } from "./bind-call.js";

export interface CallGrants {
  /** For the next leg of a call, where the reply says that there is one. */
  readonly give: (call: GuardedCall, reply: Reply) => void;
  /** Whether the call was granted; it is not any more then. */
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
      // The newest last, whatever it was before.
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

/** States are the downstream's, and may be the same for many calls. */
function grantKey(call: GuardedCall, state: string): string {
  const { principal, tool, launch, digest } = bindCall(call);
  return canonicalJson([state, principal, tool, launch, digest, JSON.stringify(call.params["arguments"])]);
}
