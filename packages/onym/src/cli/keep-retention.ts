// Audit records that are older than the config wants them kept are removed: at the start, and once a day.

import { escapeText } from "@onym/core";
import type { Log } from "../observe/log.js";
import type { AuditStore } from "../store/store.js";

const DAY_MS = 24 * 60 * 60_000;

/** Returns how to stop. Nothing is removed where no number of days is given. */
export function keepRetention(
  audit: Pick<AuditStore, "prune">,
  { days, log, now }: { readonly days: number | undefined; readonly log: Log; readonly now: () => number },
): () => void {
  if (days === undefined) return () => {};
  const prune = (): void => {
    audit.prune(now() - days * DAY_MS).then(
      (removed) => {
        if (removed > 0) log("info", "audit records past their time were removed", { removed });
      },
      (error: unknown) => log("error", `audit records cannot be removed: ${escapeText(String(error))}`),
    );
  };
  prune();
  const timer = setInterval(prune, DAY_MS).unref();
  return () => clearInterval(timer);
}
