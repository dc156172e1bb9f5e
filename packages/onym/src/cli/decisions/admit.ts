// onym policy admit: ends the quarantine of new tools, for everybody (POL-1).

import { quoteText } from "@onym/core";
import type { Config } from "../../config/config.js";
import type { ExitCode } from "../../output/show-error.js";
import { CANNOT_ASK, confirm, isInteractive, type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import type { SeenTool, Store } from "../../store/store.js";
import type { DefineCommand } from "../command.js";
import { contextOf } from "../names/context-of.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { isoMoment } from "../read-moment.js";
import { showKeyedTool } from "../store/name-keys.js";
import { loadNewTools, type NewTool, type NewTools } from "../store/new-tools.js";
import { recordDecision, userName } from "../store/record-decision.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";
import { loadPolicyToday } from "./policy-today.js";

interface AdmitOptions extends StoreOptions {
  readonly server?: string;
  readonly toolbox?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Admitting extends AdmitOptions {
  readonly names: readonly string[];
}

export const defineAdmit: DefineCommand = (command, { terminal, run }) => {
  command
    .description("let new tools be decided as any others, for everybody")
    .argument("[name...]", "any spelling of a new tool; all of --server where there is none")
    .option("--server <id>", "only new tools of this server")
    .option("--toolbox <id>", "only new tools in this toolbox")
    .option("-y, --yes", "do not ask; needed without a terminal");
  addJsonOption(addStoreOption(command))
    .addHelpText(
      "after",
      "\nonym approvals shows what is new. What a server had when it was first seen is known already.\n\nExamples:\n  onym policy admit mail@1/purge@1\n  onym policy admit --server mail --yes",
    )
    .action((names: readonly string[], options: AdmitOptions) => {
      if (names.length === 0 && options.server === undefined && options.toolbox === undefined)
        throw usageError("Nothing is named.", "Name a tool, or a server with --server.");
      if (options.json === true && options.yes !== true)
        throw usageError("With --json, Onym cannot ask.", "Use --yes.");
      return run(() => withStore(options, terminal, (use) => admit(use, { ...options, names }, terminal)));
    });
};

async function admit(use: StoreUse, input: Admitting, terminal: Terminal): Promise<ExitCode> {
  const { store, config, absence } = use;
  contextOf(input, config);
  if (store === undefined) {
    terminal.err(`Nothing is new. ${absence.message}\n`);
    return 1;
  }
  const fresh = await loadNewTools(config, store, terminal);
  if (fresh === undefined) {
    terminal.err('Nothing is held back: "policy.newTools" is "allow".\n');
    return 1;
  }
  const found = findNew(fresh, input);
  if (found.outcome === "none") {
    terminal.err(`${found.message}\n`);
    return 1;
  }
  const { tools } = found;
  if (input.json !== true) await terminal.out(tools.map((tool) => `  ${showKeyedTool(tool)}\n`).join(""));
  if (input.yes !== true && !(await isAgreed(tools.length, terminal))) return 1;
  const by = userName();
  const at = Date.now();
  const admitted = await store.known.admit(
    tools.map(({ key, launch }) => ({ tool: key, launch })),
    by,
  );
  const keys = new Set(admitted.map(({ tool }) => tool));
  const done = tools.filter(({ key }) => keys.has(key));
  for (const { key: tool, canonical } of done) {
    const about = { caller: "*", tool, canonical, rule: "newTools", definition: undefined };
    await recordDecision(store, { ...about, decision: "admitted", by, at }, terminal);
  }
  const settled = await dismissSettled(use.config, store, admitted);
  if (input.json === true) await writeJson(terminal, { admitted: done.map(reportNew), settled });
  else {
    const too =
      settled.length === 0
        ? ""
        : ` ${countNoun(settled.length, "question")} about ${done.length === 1 ? "it" : "them"} ${settled.length === 1 ? "is" : "are"} settled by that.`;
    await terminal.out(
      `${terminal.paint("green", "✓")} admitted ${countNoun(keys.size, "tool")}, for everybody.${too}\n`,
    );
  }
  return 0;
}

/** The numbers of approval requests that waited only because their tools were new. What a rule asks, too, goes on waiting. */
async function dismissSettled(
  config: Config,
  store: Store,
  admitted: readonly SeenTool[],
): Promise<readonly number[]> {
  const policyToday = await loadPolicyToday(config, store);
  const settled: number[] = [];
  for (const pending of await store.approvals.pending()) {
    const { id, tool, launch } = pending;
    if (!admitted.some((each) => each.tool === tool && each.launch === launch)) continue;
    const now = policyToday(pending);
    if (now === undefined || now.effect === "ask") continue;
    if (await store.approvals.dismiss(id)) settled.push(id);
  }
  return settled;
}

type FoundNew =
  | { readonly outcome: "found"; readonly tools: readonly NewTool[] }
  | { readonly outcome: "none"; readonly message: string };

/** Every name must mean one tool: what somebody did not mean is not admitted. */
function findNew(fresh: NewTools, { names, server, toolbox }: Admitting): FoundNew {
  const isMeant = (tool: NewTool): boolean =>
    (server === undefined || tool.server === server) && (toolbox === undefined || tool.toolbox === toolbox);
  const others = "onym approvals shows what is new";
  if (fresh.list.length === 0) return { outcome: "none", message: "Nothing is new." };
  if (names.length === 0) {
    const tools = fresh.list.filter(isMeant);
    if (tools.length > 0) return { outcome: "found", tools };
    return { outcome: "none", message: `Nothing there is new; ${others}.` };
  }
  const tools = new Set<NewTool>();
  for (const name of names) {
    const meant = fresh.named(name).filter(isMeant);
    if (meant.length === 0)
      return { outcome: "none", message: `No new tool is called ${quoteText(name)}; ${others}.` };
    if (new Set(meant.map(({ key }) => key)).size > 1) {
      const shown = meant.map(showKeyedTool).join(", ");
      return { outcome: "none", message: `Several new tools are called ${quoteText(name)}: ${shown}.` };
    }
    for (const tool of meant) tools.add(tool);
  }
  return { outcome: "found", tools: [...tools] };
}

async function isAgreed(count: number, terminal: Terminal): Promise<boolean> {
  if (!isInteractive(terminal)) throw usageError(CANNOT_ASK, "Use --yes to admit what is shown above.");
  return confirm(`Admit ${countNoun(count, "tool")}?`, terminal);
}

export function reportNew({ canonical, server, toolbox, raw, launch, seenAt }: NewTool) {
  return { canonical, server, toolbox, raw, launch, seenAt: isoMoment(seenAt) };
}
