// onym names: every tool and its name in one profile.

import {
  type CatalogProblem,
  escapeText,
  explainWhy,
  findProfile,
  type NamedTool,
  type NamingStyle,
  type Snapshot,
  type Tool,
} from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Command } from "commander";
import type { Config } from "../../config/config.js";
import { policyOf, subjectNamed } from "../../configured/policy-of.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import { columnWidths } from "../../output/fit-columns.js";
import { type Cell, formatTable } from "../../output/format-table.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { showProblems } from "../../output/show-problems.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { fitLine, wrapText } from "../../output/wrap-text.js";
import { noteLeft, sayWithoutTools } from "../catalog/left-out.js";
import { type OpenOptions, openLiveSnapshot, reportOrigin } from "../catalog/open-live.js";
import type { DefineCommand } from "../command.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addProfileOption,
  addServerOptions,
  addStyleOption,
  oneProfileOnly,
  refuseArguments,
} from "../options.js";
import { explainSentForm } from "./sent-form.js";

interface NamesOptions extends OpenOptions {
  readonly profile?: string;
  readonly style?: NamingStyle;
  readonly json?: boolean;
}

export const defineNames: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  addProfileOption(command, "whose names (default: naming.profile of the config, else universal)");
  addAliasOption(command);
  addStyleOption(command);
  addCatalogOptions(addServerOptions(command));
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym names --profile openai\n  onym names --profile claude-code --as acme --json\n" +
        "  onym names --live\n  onym names --profile cursor -- npx -y some-server",
    )
    .action((_: readonly string[], options: Omit<NamesOptions, "version">) => {
      refuseProfiles(command, options);
      refuseArguments(command, { started, hasDashes });
      return run(() => printNames({ ...options, started, version }, terminal));
    });
};

/** `--profile a b` is what other commands take, so the mistake deserves a better word than "too many arguments". */
function refuseProfiles(command: Command, { profile }: Pick<NamesOptions, "profile">): void {
  const { args } = command;
  if (profile !== undefined && args.length > 0 && args.every((id) => findProfile(id) !== undefined))
    throw oneProfileOnly(command.name());
}

async function printNames(options: NamesOptions, terminal: Terminal): Promise<ExitCode> {
  const opened = await openLiveSnapshot(options, terminal);
  const { config, snapshot, left } = opened;
  const profile = options.profile ?? config.naming.profile ?? "universal";
  const table = snapshot.namesFor(profile, options.style === undefined ? {} : { style: options.style });
  const problems: readonly CatalogProblem[] = [...snapshot.problems, ...table.problems];
  const isDenied = denialOf(config, snapshot);

  if (options.json === true) {
    await writeJson(terminal, {
      profile,
      ...reportOrigin(opened),
      namesFrom: opened.given.from,
      tools: table.tools.map(({ name, tool, why }) => ({
        name,
        canonical: tool.canonical,
        server: tool.server,
        toolbox: tool.toolbox,
        raw: tool.raw,
        why: explainWhy(why),
        ...(isDenied(tool) ? { denied: true } : {}),
      })),
      problems: [...problems, ...left].map(({ code, severity, message, tools }) => ({
        code,
        severity,
        message,
        tools,
      })),
    });
  } else {
    const lines = formatNames(table.tools, isDenied, terminal);
    if (lines.length > 0) await terminal.out(`${lines.join("\n")}\n`);
    showProblems(problems, terminal);
    if (lines.length === 0) sayWithoutTools("No tools.", opened, terminal);
    const as = options.as ?? config.naming.as ?? DEFAULT_ALIAS;
    const sent = explainSentForm(table.tools, { profile: table.profile, as });
    if (sent !== undefined) showNote(sent, terminal);
    noteLeft(opened, terminal);
  }
  return [...problems, ...left].some(({ severity }) => severity === "error") ? 1 : 0;
}

/** Which tools no caller that the config knows may see. */
function denialOf(config: Config, snapshot: Snapshot): (tool: Tool) => boolean {
  const { rules, default: others } = config.policy;
  if (rules.length === 0 && others === "allow") return () => false;
  const policy = policyOf(config, snapshot);
  const callers = [LOCAL_PRINCIPAL, ...(config.auth?.tokens ?? []).map(({ name }) => name)].map((name) =>
    subjectNamed(name, config),
  );
  return (tool) => callers.every((caller) => policy.decide(tool, caller, () => false).effect === "deny");
}

// Names for people: one line a tool; on a screen that is too narrow, what does not fit goes below, indented.

function formatNames(
  tools: readonly NamedTool[],
  isDenied: (tool: Tool) => boolean,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const rows = tools.map(({ name, tool }): readonly Cell[] => [
    { text: escapeText(name), style: "bold" },
    escapeText(tool.canonical),
  ]);
  const reasons = tools.map(({ why, tool }) =>
    [
      ...(why.kind === "wish" ? [] : [explainWhy(why)]),
      ...(isDenied(tool) ? ["not offered: the policy denies it to every caller"] : []),
    ].join("; "),
  );
  const dim = (lines: readonly string[]) => lines.map((line) => paint("dim", line));
  if (columns === undefined) {
    return formatTable(
      rows.map((row, index) => [...row, { text: reasons[index] ?? "", style: "dim" }]),
      paint,
    );
  }
  const width = columnWidths(rows).reduce((sum, each) => sum + GAP + each, -GAP);
  const heads =
    width <= columns
      ? formatTable(rows, paint).map((line) => [line])
      : rows.map((row) => stack(row, columns));
  return heads.flatMap((head, index) => {
    const reason = reasons[index] ?? "";
    const below = reason === "" ? [] : wrapText(reason, { columns, indent: "    " });
    return [
      ...head.map((line, at) => (at === 0 && head.length > 1 ? paint("bold", line) : line)),
      ...dim(below),
    ];
  });
}

const GAP = 2;

/** The name, and everything else below it. */
function stack(row: readonly Cell[], columns: number): readonly string[] {
  const texts = row
    .map((cell) => (typeof cell === "string" ? cell : cell.text))
    .filter((text) => text !== "");
  return texts.map((text, index) => fitLine(index === 0 ? text : `  ${text}`, columns));
}
