// onym audit accept-loss: a person says that records which are gone will not come back, and that goes on record (POL-4).

import { randomUUID } from "node:crypto";
import { escapeText } from "@onym/core";
import { formatTable } from "../../output/format-table.js";
import type { ExitCode } from "../../output/show-error.js";
import { confirm, isInteractive, type Terminal } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import type { AuditCheck } from "../../store/store.js";
import type { DefineCommand } from "../command.js";
import { userName } from "../store/record-decision.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";

interface AcceptOptions extends StoreOptions {
  readonly yes?: boolean;
}

/** What happened where records are gone, and the way out. */
export const LOSS = "the store was deleted, or an older copy was put back";
export const LOST =
  "If that was you, onym audit accept-loss accepts it and leaves a record of it. If not, find out who did, and put a backup back.";

export const defineAcceptLoss: DefineCommand = (command, { terminal, run }) => {
  command
    .option("--yes", "accept it without being asked")
    .action((options: AcceptOptions) =>
      run(() => withStore(options, terminal, (use) => acceptLoss(use, options, terminal))),
    );
};

async function acceptLoss(
  { store, absence }: StoreUse,
  { yes }: AcceptOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (store === undefined) {
    terminal.err(`Nothing was accepted. ${absence.message}\n`);
    return 1;
  }
  const { broken } = await store.audit.verify();
  const lost = broken.filter(({ isLost }) => isLost === true);
  if (lost.length === 0) {
    await terminal.out("No chain has lost records, so there is nothing to accept.\n");
    return 0;
  }
  terminal.err(`${formatLost(lost, terminal).join("\n")}\n`);
  if (yes !== true && !(await isAccepted(lost.length, terminal))) {
    terminal.err("Nothing was accepted.\n");
    return 1;
  }
  // On record first: a loss that was accepted without a trace is what the audit is there to prevent.
  await store.audit.append(lost.map(acceptance));
  await store.audit.acceptLoss(lost.map(({ chain }) => chain));
  const chains = countNoun(lost.length, "chain");
  await terminal.out(`${terminal.paint("green", "✓")} The loss in ${chains} is accepted and on record.\n`);
  return 0;
}

function formatLost(lost: AuditCheck["broken"], { paintErr }: Terminal): readonly string[] {
  const rows = lost.map(({ chain, problem }) => [`  ${escapeText(chain)}`, escapeText(problem)]);
  return formatTable(rows, paintErr);
}

/** A program that a server or a script starts is no person. */
function isAccepted(chains: number, terminal: Terminal): Promise<boolean> {
  if (!isInteractive(terminal))
    throw usageError(
      "Only a person at a terminal can accept that records are lost.",
      "Run it at a terminal, or say --yes.",
    );
  return confirm(`Accept that the records of ${countNoun(chains, "chain")} are lost?`, terminal);
}

function acceptance({ chain, problem }: AuditCheck["broken"][number]) {
  const nothing = { profile: undefined, sent: undefined, tool: undefined, canonical: undefined } as const;
  return {
    ...nothing,
    kind: "decision" as const,
    at: Date.now(),
    call: randomUUID(),
    caller: userName(),
    rule: `chain ${chain}`,
    decision: "loss accepted",
    definition: undefined,
    argumentsDigest: undefined,
    arguments: undefined,
    outcome: problem,
    ms: undefined,
  };
}
