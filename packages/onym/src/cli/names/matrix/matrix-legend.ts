// What stands below the matrix: the signs, what clients send, and the sum of it.

import { escapeText } from "@onym/core";
import { countNoun } from "../../output/count-noun.js";
import { wrapText } from "../../output/wrap-text.js";
import type { Terminal } from "../../terminal.js";
import { isGrave } from "./matrix-marks.js";
import type { Matrix } from "./matrix-row.js";

/** `numbers` are the clients as narrow screens number them. */
export function formatLegend(
  { rows, profiles, as }: Matrix,
  numbers: readonly string[],
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const dim = (text: string) => wrapText(text, { columns }).map((line) => paint("dim", line));
  const entries = rows.flatMap(({ names }) => names);
  const failing = entries.filter(({ rawProblem }) => rawProblem !== undefined && isGrave(rawProblem)).length;
  const valid = entries.filter(({ name }) => name !== undefined).length;
  const forms = profiles.flatMap((profile) => {
    const entry = entries.find((candidate) => candidate.profile === profile && candidate.name !== undefined);
    const form = (entry?.sent ?? "").replace(entry?.name ?? "", "NAME");
    return form === "NAME" || form === "" ? [] : [`${profile.id} ${escapeText(form)}`];
  });
  const servers = new Set(rows.map(({ tool }) => JSON.stringify([tool.toolbox, tool.server]))).size;
  return [
    ...(numbers.length === 0 ? [] : dim(numbers.join("  "))),
    ...dim("Raw names alone: ✓ works, ! may not, ✗ is refused, changed, dropped or mistaken."),
    ...(forms.length === 0
      ? []
      : dim(`Sent by clients where Onym is ${escapeText(as)}: ${forms.join(", ")}.`)),
    ...wrapText(
      `${countNoun(rows.length, "tool")}, ${countNoun(servers, "server")}, ${countNoun(profiles.length, "client")}: ` +
        `${paint(failing > 0 ? "red" : "green", `${failing} of ${entries.length}`)} raw names fail; ` +
        `with Onym ${paint("green", `${valid} of ${entries.length}`)} are valid.`,
      { columns },
    ),
  ];
}
