// Whether a request resumes a suspended call: it must come from the same caller, ask for the same, and mean the same target.

import { isDeepStrictEqual } from "node:util";
import { unreadBytesOf } from "../../mcp/fast-path/unread-object.js";
import { bindCall } from "../approvals/standing-approvals.js";
import type { GuardedCall } from "../calls/guard.js";

/**
 * A call, with what its name was resolved to. A state works only for the same call: to the caller that was asked, for the same
 * request, and for the same tool as an approval would know it.
 */
export type ResumableCall = Pick<GuardedCall, "method" | "params" | "caller" | "target" | "launch" | "sent">;

export interface CompareOptions {
  /** The work itself judges whether the definition is still the one it asked about. */
  readonly judgesDefinition?: boolean;
}

/** "changed": it is the same request, but its tool or how its server is started is no longer the same. */
export function compareCalls(
  before: ResumableCall,
  now: ResumableCall,
  { judgesDefinition = false }: CompareOptions,
): "same" | "changed" | "other" {
  const [asked, resumed] = [requestOf(before), requestOf(now)];
  const isAbout =
    before.caller.principal === now.caller.principal &&
    before.target.identity.key === now.target.identity.key &&
    before.method === now.method &&
    isSameArguments(asked.args, resumed.args) &&
    isDeepStrictEqual(asked.rest, resumed.rest);
  if (!isAbout) return "other";
  if (before.launch !== now.launch) return "changed";
  return judgesDefinition || bindCall(before).digest === bindCall(now).digest ? "same" : "changed";
}

/** What must not differ between the requests of one call. The name and `_meta` may: what they mean is in the target. */
function requestOf({ params }: ResumableCall) {
  const { name, _meta, inputResponses, requestState, arguments: args, ...rest } = params;
  return { args, rest };
}

/** Larger arguments are compared as they were sent: 8 MB of them took 250 ms to parse and compare (SAFE-4). */
const MAX_PARSED_BYTES = 65_536;

function isSameArguments(before: unknown, now: unknown): boolean {
  const [bytesBefore, bytes] = [unreadBytesOf(before), unreadBytesOf(now)];
  if (bytesBefore !== undefined && bytes !== undefined && bytesBefore.equals(bytes)) return true;
  if (Math.max(bytesBefore?.length ?? 0, bytes?.length ?? 0) > MAX_PARSED_BYTES) return false;
  return isDeepStrictEqual(parsed(before, bytesBefore), parsed(now, bytes));
}

function parsed(value: unknown, bytes: Buffer | undefined): unknown {
  return bytes === undefined ? (value ?? null) : JSON.parse(bytes.toString("utf8"));
}
