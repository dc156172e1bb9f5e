// Waiting until somebody decides, the caller gives up, or it has been long enough (POL-3).

import type { CallDecision } from "../../policy/decide-call.js";

export function waitForDecision(input: {
  readonly decide: () => CallDecision;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Told after each change of the approvals. */
  readonly changes: Set<() => void>;
}): Promise<CallDecision> {
  const { decide, waitMs, signal, changes } = input;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      changes.delete(look);
      signal.removeEventListener("abort", end);
      resolve(decide());
    };
    const look = (): void => {
      if (decide().kind !== "ask") end();
    };
    const timer = setTimeout(end, waitMs);
    changes.add(look);
    signal.addEventListener("abort", end);
    // Decided between asking and waiting.
    look();
  });
}
