// Decisions of a person at the command line (POL-4).

import { userInfo } from "node:os";
import { escapeText } from "@onym/core";
import type { Config } from "../../config/config.js";
import { configPath } from "../../config/files/config-path.js";
import { spreadDecisions } from "../../configured/running-addresses.js";
import type { Terminal } from "../../output/terminal.js";
import {
  type DecisionToRecord,
  decidePending as decideIn,
  recordDecision as recordIn,
} from "../../store/decide-pending.js";
import type { PendingApproval, Store, StoredApproval } from "../../store/store.js";

/** The decision itself stands already; that it is missing in the audit is reported, and changes nothing. */
export async function recordDecision(
  store: Store,
  decided: DecisionToRecord,
  terminal: Terminal,
): Promise<void> {
  if (!(await recordIn(store, decided))) warnUnrecorded(terminal);
}

/** Call after a decision that restricts: when this resolves, no running gateway of the config goes by what was before. */
export async function awaitGateways(config: Config, terminal: Terminal): Promise<void> {
  const silent = await spreadDecisions(configPath(config), terminal.env);
  if (silent.length === 0) return;
  const which = silent.length === 1 ? "The running gateway" : `${silent.length} running gateways`;
  terminal.err(
    `${terminal.paintErr("yellow", "warning:")} ${which} (process ${silent.join(", ")}) did not answer in time, and may go by what was before for another moment.\n`,
  );
}

function warnUnrecorded(terminal: Terminal): void {
  terminal.err(
    `${terminal.paintErr("yellow", "warning:")} The decision stands, but could not be recorded in the audit.\n`,
  );
}

interface PendingDecision {
  readonly verdict: "approved" | "rejected";
  readonly expiresAt: number | undefined;
  readonly now: number;
  readonly isOnce?: boolean;
}

/** What `onym approve` and `onym deny` share. */
export async function decidePending(
  store: Store,
  entry: PendingApproval,
  { verdict, now, ...rest }: PendingDecision,
  terminal: Terminal,
): Promise<StoredApproval> {
  const { approval, isRecorded } = await decideIn(store, entry, {
    verdict,
    by: userName(),
    at: now,
    ...rest,
  });
  if (!isRecorded) warnUnrecorded(terminal);
  return approval;
}

/** One line about one approval request. */
export function showPending({ id, canonical, principal }: PendingApproval): string {
  return `${id}: ${escapeText(canonical)} for ${JSON.stringify(escapeText(principal))}`;
}

// Who sits at this machine, as decisions name them.

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
