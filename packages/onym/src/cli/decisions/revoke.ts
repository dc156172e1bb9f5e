// onym revoke: takes a decision back. The tool is undecided again; what the decision had replaced does not come back.

import { escapeText, quoteText } from "@onym/core";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { aboutApproval } from "../../store/decide-pending.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { loadKeyNames, showKeyedTool } from "../store/name-keys.js";
import { awaitGateways, recordDecision, userName } from "../store/record-decision.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";
import { approvalState, reportApproval } from "./report-approval.js";

interface RevokeOptions extends StoreOptions {
  readonly json?: boolean;
}

const MAX_DECISIONS = 1_000_000;

export const defineRevoke: DefineCommand = (command, { terminal, run }) => {
  command.argument("<id>", "the number of a decision, as onym approvals shows it");
  addJsonOption(addStoreOption(command))
    .addHelpText("after", "\nExamples:\n  onym approvals\n  onym revoke 12")
    .action((text: string, options: RevokeOptions) => {
      if (!/^[1-9]\d{0,15}$/.test(text))
        throw usageError(
          `${quoteText(text)} is no number of a decision.`,
          "onym approvals shows them; one tool may have several, so it takes the number.",
        );
      return run(() => withStore(options, terminal, (use) => revoke(use, Number(text), options, terminal)));
    });
};

async function revoke(
  { store, config, absence }: StoreUse,
  id: number,
  { json }: RevokeOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (store === undefined) {
    terminal.err(`There is no decision ${id}. ${absence.message}\n`);
    return 1;
  }
  const now = Date.now();
  const isRevoked = await store.approvals.revoke(id, now);
  const history = await store.approvals.history({ limit: MAX_DECISIONS });
  const approval = history.find((each) => each.id === id);
  if (approval === undefined) {
    terminal.err(`There is no decision ${id}. onym approvals --all shows them.\n`);
    return 1;
  }
  if (!isRevoked) {
    const state = approvalState(approval, { inForce: new Set(), now });
    terminal.err(
      `The decision ${id} is not in force: ${state === "replaced" ? "a later one replaced it" : `it is ${state}`}.\n`,
    );
    return 1;
  }
  const tool = (await loadKeyNames(config, store)).nameDecided(approval);
  const by = userName();
  const { canonical } = tool;
  const decided = { ...aboutApproval(approval), canonical, decision: "revoked", by, at: now } as const;
  await recordDecision(store, decided, terminal);
  await awaitGateways(config, terminal);
  if (json === true) await writeJson(terminal, { revoked: reportApproval(approval, tool, "revoked") });
  else {
    const whose = JSON.stringify(escapeText(approval.principal));
    await terminal.out(
      `${terminal.paint("green", "✓")} revoked ${id}: ${showKeyedTool(tool)} for ${whose} is no longer ${approval.verdict}.\n`,
    );
  }
  return 0;
}
