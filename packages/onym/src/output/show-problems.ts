// Problems of a catalog or a table, on stderr: they go with a report, and are no part of it.

import type { CatalogProblem, Severity } from "@onym/core";
import { nameProgram } from "./package-folder.js";
import type { Style } from "./paint.js";
import type { Terminal } from "./terminal.js";
import { wrapText } from "./wrap-text.js";

export const SEVERITY_STYLE: Readonly<Record<Severity, Style>> = {
  error: "red",
  warning: "yellow",
  info: "dim",
};

export function showProblems(problems: readonly CatalogProblem[], terminal: Terminal): void {
  const { err, paintErr, errColumns: columns, env } = terminal;
  for (const { severity, message, fix } of problems) {
    const text = [
      ...wrapText(`${paintErr(SEVERITY_STYLE[severity], `${severity}:`)} ${message}`, { columns }),
      ...wrapText(nameProgram(fix, env), { columns, indent: "  " }),
    ];
    err(`${text.join("\n")}\n`);
  }
}
