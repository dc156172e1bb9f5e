// Checks for people: in groups, aligned, with a mark before each and what to do below.

import { escapeText } from "@onym/core";
import { clipText, textWidth, widestText } from "../../../output/format-table.js";
import { nameProgram } from "../../../output/package-folder.js";
import type { Style } from "../../../output/paint.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { wrapText } from "../../../output/wrap-text.js";
import { type Check, type CheckStatus, countChecks } from "./check.js";

const STYLES: Readonly<Record<CheckStatus, Style>> = { ok: "green", warning: "yellow", error: "red" };
const SIGNS: Readonly<Record<CheckStatus, string>> = { ok: "✓", warning: "!", error: "✗" };
const PLAIN_SIGNS: Readonly<Record<CheckStatus, string>> = { ok: "+", warning: "!", error: "x" };

const WIDEST_NAME = 32;

export function formatChecks(
  checks: readonly Check[],
  { paint, columns, env }: Pick<Terminal, "paint" | "columns" | "env">,
): readonly string[] {
  const signs = isUnicode(env) ? SIGNS : PLAIN_SIGNS;
  const shownName = ({ name }: Check): string => clipText(escapeText(name), WIDEST_NAME);
  const width = widestText(checks.map(shownName), 0);
  const indent = " ".repeat(width + 6);
  const lines: string[] = [];
  let group: string | undefined;
  for (const check of checks) {
    if (check.group !== group) {
      if (group !== undefined) lines.push("");
      lines.push(paint("bold", check.group));
      group = check.group;
    }
    const name = shownName(check);
    const mark = paint(STYLES[check.status], signs[check.status]);
    const [first = "", ...rest] = wrapText(check.message, { columns, indent });
    lines.push(
      `  ${mark} ${name}${" ".repeat(width - textWidth(name))}  ${first.slice(indent.length)}`,
      ...rest,
    );
    if (check.fix !== undefined)
      lines.push(
        ...wrapText(nameProgram(check.fix, env), { columns, indent }).map((line) => paint("dim", line)),
      );
  }
  return [...lines, "", formatSummary(checks)];
}

function formatSummary(checks: readonly Check[]): string {
  const errors = countChecks(checks, "error");
  const warnings = countChecks(checks, "warning");
  if (errors + warnings === 0) return `${countNoun(checks.length, "check")}, nothing wrong.`;
  return `${countNoun(errors, "error")}, ${countNoun(warnings, "warning")} in ${countNoun(checks.length, "check")}.`;
}

/** As the locale says; terminals of Windows have long been able to. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG }: Terminal["env"]): boolean {
  return process.platform === "win32" || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}
