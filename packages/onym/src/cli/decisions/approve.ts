// onym approve: shows what a tool is, and what has changed, and approves exactly that (POL-2, POL-3).

import { escapeText, quoteText } from "@onym/core";
import { explainDefinitionDiff } from "@onym/core/approvals";
import type { Config } from "../../config/config.js";
import { nameProgram } from "../../output/package-folder.js";
import type { ExitCode } from "../../output/show-error.js";
import { CANNOT_ASK, confirm, isInteractive, type Terminal, writeJson } from "../../output/terminal.js";
import type { PolicyDecision } from "../../policy/decide-call.js";
import { ONCE_MS } from "../../store/decide-pending.js";
import type { PendingApproval, Store, StoredApproval } from "../../store/store.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { readDays, readMoment, showMoment } from "../read-moment.js";
import { loadKeyNames } from "../store/name-keys.js";
import { decidePending, showPending } from "../store/record-decision.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";
import { findPending, latestFor } from "./find-pending.js";
import { formatDefinition } from "./format-definition.js";
import { loadPolicyToday } from "./policy-today.js";
import { checkPending, explainReason, reportApproval, whyPending } from "./report-approval.js";

interface ApproveOptions extends StoreOptions {
  readonly for?: string;
  readonly until?: string;
  readonly forDays?: string;
  readonly once?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Without --once, --until or --for-days it approves every later call of the tool by that caller, with any arguments, until
you revoke it with onym revoke. A tool whose definition or launch changes is asked about again.

Examples:
  onym approve 3
  onym approve 3 --once
  onym approve salesforce@1/delete_lead@1 --for ci --for-days 30
  onym approve 3 --until 2027-06-30 --yes`;

export const defineApprove: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("<id|name>", "the number that onym approvals shows, or any name of the tool")
    .option("--for <caller>", "only what waits for this caller")
    .option("--once", "approve only the next call, within five minutes")
    .option("--until <date>", "the last day, or the moment, for which it holds")
    .option("--for-days <count>", "for how many days it holds")
    .option("-y, --yes", "do not ask; needed without a terminal");
  addJsonOption(addStoreOption(command))
    .addHelpText("after", EXAMPLES)
    .action((text: string, options: ApproveOptions) => {
      const expiresAt = readExpiry(options, Date.now());
      if (options.json === true && options.yes !== true)
        throw usageError("With --json, Onym cannot ask.", "Use --yes.");
      return run(() =>
        withStore(options, terminal, (use) => approve(use, { ...options, text, expiresAt }, terminal)),
      );
    });
};

function readExpiry({ until, forDays, once }: ApproveOptions, now: number): number | undefined {
  if ([until, forDays, once].filter((each) => each !== undefined).length > 1)
    throw usageError("--once, --until and --for-days do not go together.", "Use one of them.");
  if (forDays !== undefined) return readDays("--for-days", forDays, now);
  if (until === undefined) return undefined;
  const end = readMoment("--until", until, "last");
  if (end <= now) throw usageError(`--until ${quoteText(until)} is over.`, "Name a day to come.");
  return end;
}

interface Approving extends ApproveOptions {
  readonly text: string;
  readonly expiresAt: number | undefined;
}

async function approve(use: StoreUse, input: Approving, terminal: Terminal): Promise<ExitCode> {
  const { store, config, absence } = use;
  if (store === undefined) {
    terminal.err(`Nothing waits for a decision. ${absence.message}\n`);
    return 1;
  }
  const pending = await store.approvals.pending();
  const found = await findPending({
    text: input.text,
    principal: input.for,
    pending,
    store,
    config,
    today: terminal.today,
  });
  if (found.outcome === "none") {
    terminal.err(`${found.message}\n`);
    return 1;
  }
  const approved: StoredApproval[] = [];
  let isAll = true;
  for (const entry of found.entries) {
    const approval = await approveOne({ store, config }, entry, input, terminal);
    if (approval === undefined) isAll = false;
    else approved.push(approval);
  }
  if (input.json === true) {
    const { nameDecided } = await loadKeyNames(config, store);
    const decided = approved.map((each) =>
      reportApproval(each, nameDecided(each, found.entries[0]?.canonical), "in force"),
    );
    await writeJson(terminal, { decided });
  }
  return isAll ? 0 : 1;
}

/** Whatever comes between showing and the answer, only what was shown is approved: else it is shown again. */
async function approveOne(
  { store, config }: { readonly store: Store; readonly config: Config },
  asked: PendingApproval,
  { expiresAt, once, yes, json }: Approving,
  terminal: Terminal,
): Promise<StoredApproval | undefined> {
  const policyToday = await loadPolicyToday(config, store);
  const show = async () => {
    if (json !== true) await showAsked(store, entry, policyToday(entry), terminal);
  };
  let entry = asked;
  let isConfirmed = false;
  for (;;) {
    const latest = latestFor(await store.approvals.pending(), entry);
    if (latest === undefined) {
      terminal.err(`${showPending(entry)} no longer waits: somebody has decided. Nothing was changed.\n`);
      return undefined;
    }
    if (latest.id !== entry.id) {
      const { id } = entry;
      entry = latest;
      isConfirmed = false;
      terminal.err(
        `${terminal.paintErr("yellow", "The tool has changed again")}, so ${id} was not approved. ${entry.id} waits now.\n`,
      );
      if (yes === true) {
        await show();
        terminal.err(`${nameProgram(`Approve it with onym approve ${entry.id}.`, terminal.env)}\n`);
        return undefined;
      }
    }
    if (isConfirmed) break;
    checkPending(entry);
    await show();
    if (yes !== true && !(await isAgreed(explainScope(entry, { expiresAt, once }), terminal)))
      return undefined;
    isConfirmed = true;
  }
  const now = Date.now();
  const decision = once === true ? { expiresAt: now + ONCE_MS, isOnce: true } : { expiresAt };
  const approval = await decidePending(store, entry, { verdict: "approved", now, ...decision }, terminal);
  if (json !== true) {
    const scope = explainScope(entry, { expiresAt, once });
    const undo = nameProgram(`onym revoke ${approval.id}`, terminal.env);
    const end = scope.endsWith(UNTIL_REVOKED) ? `: ${undo}` : `. Take it back: ${undo}`;
    await terminal.out(`${terminal.paint("green", "✓")} Approved ${scope}${end}\n`);
  }
  return approval;
}

const UNTIL_REVOKED = "until you revoke it";

/** What a yes allows: an approval is for the tool, whatever the arguments of the call that asked. */
function explainScope(
  { canonical, principal }: PendingApproval,
  { expiresAt, once }: { readonly expiresAt: number | undefined; readonly once: boolean | undefined },
): string {
  const whose = `call of ${escapeText(canonical)} by ${JSON.stringify(escapeText(principal))}, with any arguments`;
  if (once === true) return `the next ${whose}, within five minutes`;
  const end = expiresAt === undefined ? UNTIL_REVOKED : `until ${showMoment(expiresAt)} UTC`;
  return `every later ${whose}, ${end}`;
}

async function isAgreed(scope: string, terminal: Terminal): Promise<boolean> {
  if (!isInteractive(terminal)) throw usageError(CANNOT_ASK, "Use --yes to approve what is shown above.");
  const isAgreed = await confirm(`Approve ${scope}?`, terminal);
  if (!isAgreed) terminal.err("Not approved; it still waits.\n");
  return isAgreed;
}

async function showAsked(
  store: Store,
  entry: PendingApproval,
  decision: PolicyDecision | undefined,
  terminal: Terminal,
): Promise<void> {
  const { paint } = terminal;
  const history = await store.approvals.history({ tool: entry.tool });
  const why = whyPending(entry, { history, now: Date.now() });
  const changes = why.diff === undefined ? [] : explainDefinitionDiff(why.diff);
  const lines = [
    paint("bold", showPending(entry)),
    `  ${paint("dim", "why")}  ${explainReason(why, decision)}`,
    `  ${paint("dim", "launch")}  ${escapeText(entry.launch)}`,
    ...formatDefinition(entry.definition, terminal),
    ...(changes.length === 0 ? [] : [`  ${paint("yellow", "since it was approved")}`]),
    ...changes.map((line) => `    ${paint(CHANGE_STYLES.get(line.split(" ")[0] ?? ""), line)}`),
    `  ${paint("dim", "digest")}  ${entry.digest}`,
  ];
  await terminal.out(`${lines.join("\n")}\n`);
}

const CHANGE_STYLES = new Map([
  ["added", "green" as const],
  ["removed", "red" as const],
  ["changed", "yellow" as const],
]);
