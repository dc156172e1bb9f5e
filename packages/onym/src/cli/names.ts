// onym names: every tool and its name in one profile.

import { type CatalogProblem, escapeText, explainWhy, type NamingStyle } from "@onym/core";
import { formatTable } from "./format-table.js";
import type { DefineCommand, ExitCode } from "./main.js";
import { noteNotStatic, notStatic, type OpenOptions, openSnapshot } from "./open-snapshot.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addProfileOption,
  addStyleOption,
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
    .action((options: NamesOptions) => run(() => printNames(options, terminal)));
};

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
    const { paint } = terminal;
    const rows = table.tools.map(({ name, tool, why }) => [
      { text: escapeText(name), style: "bold" as const },
      escapeText(tool.canonical),
      { text: why.kind === "wish" ? "" : explainWhy(why), style: "dim" as const },
    ]);
    const lines = formatTable(rows, paint);
    if (lines.length > 0) await terminal.out(`${lines.join("\n")}\n`);
    showProblems(problems, terminal);
    noteNotStatic(config, terminal);
    if (lines.length === 0) terminal.err("No tools.\n");
  }
  return problems.some(({ severity }) => severity === "error") ? 1 : 0;
}
