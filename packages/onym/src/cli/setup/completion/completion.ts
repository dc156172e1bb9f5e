// onym completion: the script that makes a shell complete commands, flags and names; and what that script asks.

import { escapeText } from "@onym/core";
import { Option } from "commander";
import { type CommandEntry, type DefineCommand, type ExitCode, HELP_COMMAND } from "../../command.js";
import type { Terminal } from "../../terminal.js";
import { type Completion, type CompletionContext, completeWords } from "./complete-words.js";
import { SHELL_SCRIPTS, SHELLS, type Shell } from "./shell-scripts.js";
import { splitLine } from "./split-line.js";

/** What is shown of one candidate beside its word. */
const MAX_ABOUT = 60;

/** More of them help nobody on a screen. */
const MAX_CANDIDATES = 500;

const EXAMPLES = `
Examples:
  source <(onym completion bash)       for this shell; in ~/.bashrc for every one
  source <(onym completion zsh)        in ~/.zshrc, after compinit
  onym completion fish > ~/.config/fish/completions/onym.fish

Completed are commands, flags, and the names of profiles, clients, servers, toolboxes and tools. No server is started for it.`;

export function defineCompletion(commands: readonly CommandEntry[]): DefineCommand {
  return (command, { terminal, version, started, run }) => {
    command.helpCommand(...HELP_COMMAND).addHelpText("after", EXAMPLES);
    for (const shell of SHELLS) {
      command
        .command(shell)
        .description(`the script for ${shell}`)
        .action(() => run(() => printScript(shell, terminal)));
    }
    command
      .command("words", { hidden: true })
      .description("what the scripts ask: what may come next")
      .argument("[words...]", "after --: the words typed so far, without the program")
      .addOption(new Option("--line <text>", "the line typed so far, instead"))
      .action((_: readonly string[], { line }: { readonly line?: string }) => {
        const words = line === undefined ? started : splitLine(line).slice(1);
        return run(() => printCompletion(words, { commands, terminal, version }));
      });
  };
}

async function printScript(shell: Shell, terminal: Terminal): Promise<ExitCode> {
  await terminal.out(SHELL_SCRIPTS[shell]);
  return 0;
}

/** Somebody is typing: a config that cannot be read is told by the command itself, not here. */
async function printCompletion(words: readonly string[], context: CompletionContext): Promise<ExitCode> {
  const quiet: Terminal = { ...context.terminal, err: () => {} };
  let completion: Completion;
  try {
    completion = await completeWords(words, { ...context, terminal: quiet });
  } catch {
    return 1;
  }
  const { kind, candidates } = completion;
  const lines = candidates
    .filter(({ word }) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(word))
    .slice(0, MAX_CANDIDATES)
    .map(({ word, about = "" }) => `${word}\t${escapeText(about).slice(0, MAX_ABOUT)}`);
  await context.terminal.out(`${[kind, words.at(-1) ?? "", ...lines].join("\n")}\n`);
  return 0;
}
