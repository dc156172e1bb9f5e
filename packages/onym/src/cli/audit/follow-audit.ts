// New audit records as they come, from every process that writes to the store.

import type { StoredAuditRecord } from "../../audit/audit-record.js";
import type { AuditStore } from "../../store/store.js";

const PAGE = 1000;
const PAUSE_MS = 300;
/** A record may arrive after one that is younger: another process was slower, or its clock is behind. */
const OVERLAP_MS = 10_000;

/**
 * Prints what comes after `shown`, until the signal. Reads again every moment, because the store announces no new records.
 */
export async function followAudit(input: {
  readonly audit: AuditStore;
  readonly shown: readonly StoredAuditRecord[];
  readonly print: (records: readonly StoredAuditRecord[]) => Promise<void>;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { audit, shown, print, signal } = input;
  const seen = new Map(shown.map((record) => [idOf(record), record.at]));
  const oldest = shown[0]?.at ?? 0;
  let latest = shown.at(-1)?.at ?? 0;
  while (!signal.aborted) {
    const from = Math.max(oldest, latest - OVERLAP_MS);
    for await (const page of pagesFrom(audit, from)) {
      const fresh = page.filter((record) => !seen.has(idOf(record)));
      for (const record of fresh) {
        seen.set(idOf(record), record.at);
        latest = Math.max(latest, record.at);
      }
      if (fresh.length > 0) await print(fresh);
    }
    for (const [id, at] of seen) if (at < latest - OVERLAP_MS) seen.delete(id);
    await pause(signal);
  }
}

/** From this moment on, in order, a page at a time. */
export async function* pagesFrom(
  audit: AuditStore,
  from: number,
): AsyncGenerator<readonly StoredAuditRecord[]> {
  let after = { at: from - 1, chain: "", seq: 0 };
  for (;;) {
    const page = await audit.read({ after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.filter(({ at }) => at >= from);
    if (page.length < PAGE) return;
    after = { at: last.at, chain: last.chain, seq: last.seq };
  }
}

function idOf({ chain, seq }: StoredAuditRecord): string {
  return `${seq} ${chain}`;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, PAUSE_MS);
    signal.addEventListener("abort", end);
  });
}
