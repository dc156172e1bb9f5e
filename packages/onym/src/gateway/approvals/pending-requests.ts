// Puts approval requests on record, of each caller one at a time: those of others wait for one of its writes and not for all of
// them, and what waits already is not written again (SAFE-5).

import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import type { ApprovalStore, PendingApproval } from "../../store/store.js";

export interface PendingRequests {
  /**
   * The id of the request, which may have waited before; `undefined` if its client has left and it was not put on record.
   *
   * @throws OnymError as the store's `await` does.
   */
  readonly add: (
    request: Omit<PendingApproval, "id">,
    by: { readonly callerKey: string; readonly signal: CancelSignal },
  ) => Promise<number | undefined>;
}

export function createPendingRequests(
  approvals: Pick<ApprovalStore, "findWaiting" | "await">,
): PendingRequests {
  /** The last request in the line of each caller. */
  const lines = new Map<string, Promise<unknown>>();
  const inTurn = async <Value>(callerKey: string, work: () => Promise<Value>): Promise<Value> => {
    const before = lines.get(callerKey);
    const turn = before === undefined ? work() : before.then(work);
    const end = turn.then(
      () => {},
      () => {},
    );
    lines.set(callerKey, end);
    try {
      return await turn;
    } finally {
      if (lines.get(callerKey) === end) lines.delete(callerKey);
    }
  };
  return {
    async add(request, { callerKey, signal }) {
      const found = await approvals.findWaiting(request);
      if (found !== undefined) return found;
      const isFirst = !lines.has(callerKey);
      return inTurn(callerKey, async () => {
        if (signal.aborted) return undefined;
        // What was in line before may have been the same, or the last that may wait.
        const added = isFirst ? undefined : await approvals.findWaiting(request);
        return added ?? (await approvals.await(request)).id;
      });
    },
  };
}
