// onym completion: the script that makes a shell complete commands, flags and names; and what that script asks.

import { escapeText } from "@onym/core";
import { Option } from "commander";
import type { ExitCode } from "../../../output/show-error.js";
import type { Terminal } from "../../../output/terminal.js";
import { type CommandEntry, type DefineCommand, HELP_COMMAND } from "../../command.js";
import { type Completion, type CompletionContext, completeWords } from "./complete-words.js";
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

/** Somebody is typing: a config that cannot be read is reported by the command itself, not here. */
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

// What each shell runs when somebody presses Tab: it hands the words over to `onym completion words` and shows what comes back.
// The answer's first line says what follows: `words`, each with a tab and what it is, or `files`, which the shell knows itself.

const SHELLS = ["bash", "zsh", "fish"] as const;

type Shell = (typeof SHELLS)[number];

/**
 * Bash cuts words also at `:`, `=` and `@`, of which canonical names are full, and replaces only the last piece. So it hands
 * over the line as it was typed, and what stands before the last cut is taken off the answers. Within quotes only words are
 * offered that mean themselves in any quotes: the others come from a config, and could end the quotes and run something.
 */
const BASH = `# bash completion for onym; in ~/.bashrc: source <(onym completion bash)
_onym() {
  local answer word plain='^[[:alnum:]@%+=:,./_ -]*$' line=\${COMP_LINE:0:COMP_POINT} kind typed head breaks current=\${COMP_WORDS[COMP_CWORD]}
  answer=$("$1" completion words --line "$line" 2>/dev/null) || return
  COMPREPLY=()
  { read -r kind; IFS= read -r typed; } <<<"$answer"
  if [[ $kind == files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  breaks=\${COMP_WORDBREAKS//[!:=@]/}
  [[ -n $breaks && $current != [\\"\\']* ]] && head=\${typed%"\${typed##*[$breaks]}"}
  while IFS= read -r word; do
    word=\${word%%$'\\t'*}
    if [[ $current != *[\\"\\']* ]]; then
      word=$(printf %q "\${word#"$head"}")
    elif [[ ! $word =~ $plain ]]; then
      continue
    fi
    COMPREPLY+=("$word")
  done < <(tail -n +3 <<<"$answer")
}
complete -F _onym onym
`;

const ZSH = `#compdef onym
# zsh completion for onym; in ~/.zshrc, after compinit: source <(onym completion zsh)
_onym() {
  local kind line
  local -a answer names shown
  answer=("\${(@f)$("\${(Q)words[1]}" completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $answer[1] == files ]]; then
    _files
    return
  fi
  for line in "\${(@)answer[3,-1]}"; do
    [[ -n $line ]] || continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${\${line/$'\\t'/  -- }%  -- }")
  done
  (( $#names )) && compadd -l -d shown -a names
}
if [[ $funcstack[1] == _onym ]]; then
  _onym "$@"
else
  compdef _onym onym
fi
`;

const FISH = `# fish completion for onym; in ~/.config/fish/config.fish: onym completion fish | source
function __onym_complete
    set -l words (commandline -opc) (commandline -ct | string replace -r '^[\\'"]' '')
    set -l answer (command $words[1] completion words -- $words[2..-1] 2>/dev/null)
    if test "$answer[1]" = files
        __fish_complete_path (commandline -ct)
        return
    end
    for line in $answer[3..-1]
        test -n "$line"; and echo $line
    end
end
complete -c onym -f -a '(__onym_complete)'
`;

const SHELL_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
