// Removes audit records that are too old or too many for the config: at the start, and periodically.

import { escapeText } from "@onym/core";
import type { Log } from "../../model/log.js";
import type { AuditStore } from "../../store/store.js";

const DAY_MS = 24 * 60 * 60_000;

export interface RetentionOptions {
  /** `undefined`: regardless of age. */
  readonly days: number | undefined;
  readonly maxBytes: number;
  /** How often the size is checked. */
  readonly everyMs: number;
  readonly log: Log;
  readonly now: () => number;
}

/** Returns a function that stops it. */
export function keepRetention(
  audit: Pick<AuditStore, "prune" | "shrink">,
  { days, maxBytes, everyMs, log, now }: RetentionOptions,
): () => void {
  let isBusy = false;
  const remove = async (text: string, work: () => Promise<number>): Promise<void> => {
    try {
      const removed = await work();
      if (removed > 0) log("info", text, { removed });
    } catch (error) {
      log("error", `audit records cannot be removed: ${escapeText(String(error))}`);
    }
  };
  const shrink = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    await remove(`the audit took more than ${maxBytes} bytes: its oldest records were removed`, () =>
      audit.shrink(maxBytes),
    );
    isBusy = false;
  };
  const prune = async (): Promise<void> => {
    if (days === undefined) return;
    await remove("audit records past their time were removed", () => audit.prune(now() - days * DAY_MS));
  };
  void prune().then(shrink);
  const timers = [setInterval(() => void prune(), DAY_MS), setInterval(() => void shrink(), everyMs)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
