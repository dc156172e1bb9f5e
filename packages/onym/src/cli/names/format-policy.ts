// What the policy says about a tool to each caller that the config knows, for `onym explain`.

import { quoteText, type Tool } from "@onym/core";
import type { Config } from "../../config/config.js";
import type { CallerDecision } from "../../configured/decide-for-callers.js";
import type { Effect } from "../../model/policy-rule.js";
import { showPath } from "../../model/show-path.js";
import type { Style } from "../../output/paint.js";
import type { Terminal } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import { wrapText } from "../../output/wrap-text.js";
import { howToAdmit, namingWords } from "../decisions/find-newness.js";

export const EFFECT_STYLES: Readonly<Record<Effect, Style>> = { allow: "green", ask: "yellow", deny: "red" };

const MAX_CALLERS = 5;

/** Nothing where everybody may use everything. */
export function formatPolicy(
  decisions: readonly CallerDecision[],
  { tool, config }: { readonly tool: Tool; readonly config: Config },
  { paint, columns, cwd }: Terminal,
): readonly string[] {
  const isOpen = config.policy.rules.length === 0 && decisions.every(({ effect }) => effect === "allow");
  if (isOpen) return [];
  const file = showPath(config.file, cwd);
  const groups = new Map<string, CallerDecision[]>();
  for (const each of decisions) groups.set(each.rule, [...(groups.get(each.rule) ?? []), each]);
  const lines = [...groups.values()].flatMap((group) => {
    const [{ effect, rule, why }] = group as [CallerDecision];
    const said = `${effect} for ${showCallers(group)}, by ${rule}: ${why}`;
    const [first = "", ...rest] = wrapText(said, { columns, indent: "  " });
    return [
      first.replace(effect, paint(EFFECT_STYLES[effect], effect)),
      ...rest,
      ...(effect === "allow"
        ? []
        : wrapText(`${MEANINGS[effect]} ${howToChange(rule, tool, file)}`, { columns, indent: "    " })),
    ];
  });
  const test = ["onym policy test", ...namingWords(tool), "--as CALLER"].join(" ");
  const others = wrapText(`${test} shows it for others, with every rule that matches.`, {
    columns,
    indent: "  ",
  });
  return ["", paint("bold", "Policy"), ...lines, ...others.map((line) => paint("dim", line))];
}

const MEANINGS: Readonly<Record<Exclude<Effect, "allow">, string>> = {
  ask: "A call waits for an approval; onym approvals shows it.",
  deny: "The tool is not listed, and a call is refused as if there were no such tool.",
};

function howToChange(rule: string, tool: Tool, file: string): string {
  if (rule === "newTools") return `${howToAdmit(tool)} lets it in for everybody.`;
  if (rule === "toolboxes") return `To change that, change "toolboxes" of the token under "auth" in ${file}.`;
  if (rule === "default")
    return `To change that, add a rule about it under "policy" in ${file}, or change its "default".`;
  return `To change that, change ${rule} under "policy" in ${file}.`;
}

function showCallers(group: readonly CallerDecision[]): string {
  const shown = group.slice(0, MAX_CALLERS).map(({ caller }) => quoteText(caller));
  const left = group.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [countNoun(left, "other")])].join(", ");
}
