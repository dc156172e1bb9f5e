// onym deny: turns down what waits. It holds whatever becomes of the tool, until it is revoked (POL-2).

import { nameProgram } from "../../output/package-folder.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { StoredApproval } from "../../store/store.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { loadKeyNames } from "../store/name-keys.js";
import { awaitGateways, decidePending, showPending } from "../store/record-decision.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { findPending } from "./find-pending.js";
import { reportApproval } from "./report-approval.js";

interface DenyOptions extends StoreOptions {
  readonly for?: string;
  readonly json?: boolean;
}

export const defineDeny: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("<id|name>", "the number that onym approvals shows, or any name of the tool")
    .option("--for <caller>", "only what waits for this caller");
  addJsonOption(addStoreOption(command))
    .addHelpText(
      "after",
      "\nThe tool is refused to the caller from then on, also where the policy allows it.\n\nExamples:\n  onym deny 3\n  onym deny salesforce@1/delete_lead@1 --for ci",
    )
    .action((text: string, options: DenyOptions) =>
      run(() => withStore(options, terminal, (use) => deny(use, { ...options, text }, terminal))),
    );
};

async function deny(
  { store, config, absence }: StoreUse,
  { text, for: principal, json }: DenyOptions & { readonly text: string },
  terminal: Terminal,
): Promise<ExitCode> {
  if (store === undefined) {
    terminal.err(`Nothing waits for a decision. ${absence.message}\n`);
    return 1;
  }
  const pending = await store.approvals.pending();
  const found = await findPending({ text, principal, pending, store, config, today: terminal.today });
  if (found.outcome === "none") {
    terminal.err(`${found.message}\n`);
    return 1;
  }
  const denied: StoredApproval[] = [];
  for (const entry of found.entries) {
    const decision = { verdict: "rejected", expiresAt: undefined, now: Date.now() } as const;
    const approval = await decidePending(store, entry, decision, terminal);
    await awaitGateways(config, terminal);
    denied.push(approval);
    if (json !== true)
      await terminal.out(
        `${terminal.paint("red", "✗")} denied ${showPending(entry)}. ${nameProgram(`Take it back with onym revoke ${approval.id}.`, terminal.env)}\n`,
      );
  }
  if (json === true) {
    const { nameDecided } = await loadKeyNames(config, store);
    const canonical = found.entries[0]?.canonical;
    const decided = denied.map((each) => reportApproval(each, nameDecided(each, canonical), "in force"));
    await writeJson(terminal, { decided });
  }
  return 0;
}
