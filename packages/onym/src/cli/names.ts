// onym names: every tool and its name in one profile.

import { type CatalogProblem, explainWhy, findProfile, type NamingStyle } from "@onym/core";
import type { Command } from "commander";
import { formatNames } from "./format-names.js";
import type { DefineCommand, ExitCode } from "./main.js";
import {
  noteNotStatic,
  notStatic,
  type OpenOptions,
  openSnapshot,
  sayWithoutTools,
} from "./open-snapshot.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addProfileOption,
  addStyleOption,
  oneProfileOnly,
} from "./options.js";
import { showProblems } from "./show-problems.js";
import { type Terminal, writeJson } from "./terminal.js";

interface NamesOptions extends OpenOptions {
  readonly profile?: string;
  readonly style?: NamingStyle;
  readonly json?: boolean;
}

export const defineNames: DefineCommand = (command, { terminal, run }) => {
  addProfileOption(command, "whose names (default: naming.profile of the config, else universal)");
  addAliasOption(command);
  addStyleOption(command);
  addCatalogOptions(command);
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym names --profile openai\n  onym names --profile claude-code --as acme --json",
    )
    .allowExcessArguments(true)
    .action((options: NamesOptions) => {
      refuseArguments(command, options);
      return run(() => printNames(options, terminal));
    });
};

/** `--profile a b` is what other commands take, so the mistake deserves a better word than "too many arguments". */
function refuseArguments(command: Command, { profile }: NamesOptions): void {
  const { args } = command;
  if (args.length === 0) return;
  if (profile !== undefined && args.every((id) => findProfile(id) !== undefined))
    throw oneProfileOnly(command.name());
  command.error(
    `error: too many arguments for '${command.name()}'. Expected 0 arguments but got ${args.length}.`,
  );
}

async function printNames(options: NamesOptions, terminal: Terminal): Promise<ExitCode> {
  const { config, snapshot } = openSnapshot(options, terminal);
  const profile = options.profile ?? config.naming.profile ?? "universal";
  const table = snapshot.namesFor(profile, options.style === undefined ? {} : { style: options.style });
  const left = notStatic(config);
  const problems: readonly CatalogProblem[] = [...snapshot.problems, ...table.problems];

  if (options.json === true) {
    await writeJson(terminal, {
      profile,
      tools: table.tools.map(({ name, tool, why }) => ({
        name,
        canonical: tool.canonical,
        server: tool.server,
        toolbox: tool.toolbox,
        raw: tool.raw,
        why: explainWhy(why),
      })),
      problems: [...problems, ...(left === undefined ? [] : [left])].map(
        ({ code, severity, message, tools }) => ({
          code,
          severity,
          message,
          tools,
        }),
      ),
    });
  } else {
    const lines = formatNames(table.tools, terminal);
    if (lines.length > 0) await terminal.out(`${lines.join("\n")}\n`);
    showProblems(problems, terminal);
    if (lines.length === 0) sayWithoutTools("No tools.", terminal);
    noteNotStatic(config, terminal);
  }
  return problems.some(({ severity }) => severity === "error") ? 1 : 0;
}
