// onym approvals: what waits for a decision, and what was decided (POL-2, POL-3).

import { escapeText } from "@onym/core";
import { fitColumns } from "../../output/fit-columns.js";
import { type Cell, formatTable } from "../../output/format-table.js";
import { nameProgram } from "../../output/package-folder.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { PendingApproval, StoredApproval } from "../../store/store.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { showMoment } from "../read-moment.js";
import { type KeyedTool, loadKeyNames, showKeyedTool } from "../store/name-keys.js";
import { loadNewTools, type NewTool } from "../store/new-tools.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { reportNew } from "./admit.js";
import { howToAdmit } from "./find-newness.js";
import { loadPolicyToday, type PolicyToday } from "./policy-today.js";
import {
  type ApprovalState,
  approvalState,
  explainReason,
  type PendingReason,
  reportApproval,
  reportPending,
  whyPending,
} from "./report-approval.js";

interface ApprovalsOptions extends StoreOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

interface Waiting {
  readonly pending: PendingApproval;
  readonly tool: KeyedTool;
  readonly why: PendingReason;
  /** What the policy says now; it may not be asked any more. */
  readonly now: ReturnType<PolicyToday>;
}

interface Decided {
  readonly approval: StoredApproval;
  readonly tool: KeyedTool;
  readonly state: ApprovalState;
}

export const defineApprovals: DefineCommand = (command, { terminal, run }) => {
  command.option("--all", "also what has expired, was revoked or was replaced; the last 1000 decisions");
  addJsonOption(addStoreOption(command))
    .addHelpText("after", "\nExamples:\n  onym approvals\n  onym approve 3\n  onym approvals --all --json")
    .action((options: ApprovalsOptions) =>
      run(() => withStore(options, terminal, (use) => printApprovals(use, options, terminal))),
    );
};

async function printApprovals(
  use: StoreUse,
  options: ApprovalsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { waiting, decided } = await loadApprovals(use, options.all === true);
  const { store, config } = use;
  const fresh = store === undefined ? [] : ((await loadNewTools(config, store, terminal))?.list ?? []);
  if (options.json === true) {
    await writeJson(terminal, {
      pending: waiting.map(({ pending, tool, why, now }) => reportPending(pending, tool, { ...why, now })),
      new: fresh.map(reportNew),
      decided: decided.map(({ approval, tool, state }) => reportApproval(approval, tool, state)),
    });
    return 0;
  }
  const { paint } = terminal;
  const lines =
    waiting.length === 0
      ? ["Nothing waits for a decision."]
      : [paint("bold", "Waiting"), ...formatWaiting(waiting, terminal), ...howTo(waiting, terminal)];
  const below =
    decided.length === 0
      ? []
      : [
          "",
          paint("bold", options.all === true ? "Decided" : "In force"),
          ...formatDecided(decided, terminal),
        ];
  await terminal.out(`${[...lines, ...formatNew(fresh, terminal), ...below].join("\n")}\n`);
  if (use.absence !== undefined) terminal.err(`${use.absence.message}\n`);
  return 0;
}

async function loadApprovals(
  { store, config }: StoreUse,
  all: boolean,
): Promise<{ readonly waiting: readonly Waiting[]; readonly decided: readonly Decided[] }> {
  if (store === undefined) return { waiting: [], decided: [] };
  const now = Date.now();
  const { nameDecided } = await loadKeyNames(config, store);
  const policyToday = await loadPolicyToday(config, store);
  const waiting: Waiting[] = [];
  for (const pending of await store.approvals.pending()) {
    const history = await store.approvals.history({ tool: pending.tool });
    const tool = nameDecided(pending, pending.canonical);
    waiting.push({ pending, tool, why: whyPending(pending, { history, now }), now: policyToday(pending) });
  }
  const standing = await store.approvals.inForce(now);
  const inForce = new Set(standing.map(({ id }) => id));
  const shown = all ? await store.approvals.history() : standing;
  const decided = shown.map((approval) => ({
    approval,
    tool: nameDecided(approval),
    state: approvalState(approval, { inForce, now }),
  }));
  return { waiting, decided };
}

function formatWaiting(waiting: readonly Waiting[], { paint, columns }: Terminal): readonly string[] {
  const rows = waiting.map(({ pending, tool, why, now }): readonly Cell[] => [
    `  ${pending.id}`,
    escapeText(pending.principal),
    { text: showKeyedTool(tool), style: "bold" },
    {
      text: explainReason(why, now),
      style: isAsked(now) ? (why.reason === "changed" ? "yellow" : undefined) : "dim",
    },
    { text: showMoment(pending.askedAt), style: "dim" },
  ]);
  const head = ["  ID", "CALLER", "TOOL", "WHY", "SINCE (UTC)"].map((text) => ({
    text,
    style: "dim" as const,
  }));
  const fitted = forScreen([head, ...rows], columns, 4);
  return formatTable(fitColumns(fitted, columns, YIELDING), paint);
}

function formatDecided(decided: readonly Decided[], { paint, columns }: Terminal): readonly string[] {
  const rows = decided.map(({ approval, tool, state }): readonly Cell[] => {
    const { id, verdict, principal, decidedAt, decidedBy } = approval;
    const isLive = state === "in force";
    return [
      `  ${id}`,
      escapeText(principal),
      { text: showKeyedTool(tool), style: isLive ? "bold" : "dim" },
      { text: verdict, style: isLive ? (verdict === "approved" ? "green" : "red") : "dim" },
      showState(approval, state),
      { text: showMoment(decidedAt), style: "dim" },
      { text: `by ${escapeText(decidedBy)}`, style: "dim" },
    ];
  });
  const titles = ["  ID", "CALLER", "TOOL", "VERDICT", "STATE", "SINCE (UTC)", ""];
  const head = titles.map((text) => ({ text, style: "dim" as const }));
  const fitted = forScreen([head, ...rows], columns, 5);
  return formatTable(fitColumns(fitted, columns, [...YIELDING, { column: 6, least: 10 }]), paint);
}

/** Those that a server added later, whether or not somebody has called them. */
function formatNew(fresh: readonly NewTool[], { paint, columns }: Terminal): readonly string[] {
  const [first] = fresh;
  if (first === undefined) return [];
  const rows = fresh.map((tool): readonly Cell[] => [
    { text: `  ${showKeyedTool(tool)}`, style: "bold" },
    { text: `since ${showMoment(tool.seenAt)}`, style: "dim" },
  ]);
  return [
    "",
    paint("bold", "New tools"),
    ...formatTable(fitColumns(rows, columns, [{ column: 0, least: 24 }]), paint),
    paint("dim", `  ${howToAdmit(first)} lets it in for everybody; --server ID lets in all of a server.`),
  ];
}

const YIELDING = [
  { column: 2, least: 24 },
  { column: 1, least: 10 },
  { column: 3, least: 20 },
  { column: 2, least: 12 },
  { column: 1, least: 6 },
  { column: 3, least: 8 },
];

const NARROW = 72;

/** Since when, and by whom, is left to --json where the screen has no room for it. */
function forScreen(
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
  kept: number,
): readonly (readonly Cell[])[] {
  return columns === undefined || columns >= NARROW ? rows : rows.map((row) => row.slice(0, kept));
}

function showState({ expiresAt, revokedAt, isOnce }: StoredApproval, state: ApprovalState): string {
  if (state === "in force" && isOnce === true) return "for the next call";
  if (state === "in force") return expiresAt === undefined ? state : `until ${showMoment(expiresAt)}`;
  if (state === "revoked" && revokedAt !== undefined) return `revoked ${showMoment(revokedAt)}`;
  return state;
}

function isAsked(now: Waiting["now"]): boolean {
  return now === undefined || now.effect === "ask";
}

function howTo(waiting: readonly Waiting[], { paint, env }: Terminal): readonly string[] {
  const id = waiting.find(({ now }) => isAsked(now))?.pending.id;
  if (id === undefined) return [];
  const how = `onym approve ${id} shows what it is and asks; onym deny ${id} turns it down.`;
  return [paint("dim", `  ${nameProgram(how, env)}`)];
}
