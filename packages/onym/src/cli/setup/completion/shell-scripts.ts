// What each shell runs when somebody presses Tab: it hands the words over to `onym completion words` and shows what comes back.
// The answer's first line says what follows: `words`, each with a tab and what it is, or `files`, which the shell knows itself.

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * Bash cuts words also at `:`, `=` and `@`, of which canonical names are full, and replaces only the last piece. So it hands
 * over the line as it was typed, and what stands before the last cut is taken off the answers.
 */
const BASH = `# bash completion for onym; in ~/.bashrc: source <(onym completion bash)
_onym() {
  local answer word line=\${COMP_LINE:0:COMP_POINT} kind typed head breaks current=\${COMP_WORDS[COMP_CWORD]}
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
    [[ $current == [\\"\\']* ]] || word=$(printf %q "\${word#"$head"}")
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

export const SHELL_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
