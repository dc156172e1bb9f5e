// Waits, and stops waiting when nobody wants the outcome any more.

import type { CancelSignal } from "../mcp/fast-path/cancel-signal.js";

export function pause(ms: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
