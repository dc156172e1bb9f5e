// A plan for people: the difference in each file without secrets, what becomes of each server, and of each permission.

import { escapeText, quoteText } from "@onym/core";
import { readDocument } from "../../../documents/edit-document.js";
import { type Cell, formatTable } from "../../../output/format-table.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { wrapText } from "../../../output/wrap-text.js";
import { type DiffLine, diffLines } from "./diff-lines.js";
import { collectSecrets, maskSecretTexts } from "./mask-text.js";
import type { ConnectPlan, PlannedFile } from "./plan-connect.js";
import type { ServerOutcome } from "./plan-move.js";

export function formatPlanDiff({ files }: ConnectPlan, terminal: Terminal): readonly string[] {
  return files.flatMap(({ shown, before, after, format }) => [
    terminal.paint("bold", `${shown}${before === undefined ? " (new)" : ""}`),
    ...formatDiff(before?.toString("utf8") ?? "", after, format, terminal),
    "",
  ]);
}

/** Line by line, escaped, with secrets of either text masked. */
export function formatDiff(
  before: string,
  after: string,
  format: PlannedFile["format"],
  { paint }: Pick<Terminal, "paint">,
): readonly string[] {
  const secrets = new Set(
    [before, after].flatMap((text) => {
      const read = readDocument(text, format);
      return read.ok ? [...collectSecrets(read.value)] : [];
    }),
  );
  // Lines are compared as they are, so that a secret that changed is seen to change.
  return diffLines(before, after).map((line) =>
    paintLine({ ...line, text: escapeLine(maskSecretTexts(line.text, secrets)) }, paint),
  );
}

/** A tab is how people indent. */
function escapeLine(line: string): string {
  return line.split("\t").map(escapeText).join("\t");
}

const MARKS = { same: "  ", added: "+ ", removed: "- ", skipped: "  …" } as const;
const STYLES = { same: "dim", added: "green", removed: "red", skipped: "dim" } as const;

function paintLine({ kind, text }: DiffLine, paint: Terminal["paint"]): string {
  return paint(STYLES[kind], `  ${MARKS[kind]}${text}`.trimEnd());
}

export function formatPlan(plan: ConnectPlan, terminal: Terminal): readonly string[] {
  const { paint, columns } = terminal;
  const { servers, carry, gateway } = plan;
  return [
    ...(servers.length === 0 ? [] : [...formatTable(servers.map(serverRow), paint), ""]),
    ...formatPermissions(plan, terminal),
    ...(carry.carried.length + carry.left.length === 0 ? [] : [""]),
    ...formatDenied(plan, terminal),
    ...wrapText(gateway.reason, { columns }),
    ...(gateway.token === undefined
      ? []
      : [
          `A new token for it is in its file; the config knows its digest as ${quoteText(gateway.token.name)}.`,
        ]),
  ];
}

function serverRow(server: ServerOutcome): readonly Cell[] {
  const id = escapeText(server.id);
  if (server.outcome === "stays")
    return [
      { text: id, style: "yellow" },
      { text: `stays in the client: ${escapeText(server.reason)}`, style: "yellow" },
    ];
  const name = server.as === server.id ? "" : ` as ${quoteText(server.as)}`;
  const tools =
    server.disabled === true
      ? ", disabled"
      : server.tools === undefined
        ? ""
        : `, ${countNoun(server.tools, "tool")}`;
  const what =
    server.outcome === "merged" ? `is in Onym's config already${name}` : `moves to Onym's config${name}`;
  return [{ text: id, style: "green" }, `${what}${tools}`];
}

function formatPermissions({ carry, opened }: ConnectPlan, { paint, columns }: Terminal): readonly string[] {
  const rows: readonly (readonly Cell[])[] = [
    ...carry.carried.map(({ rule, to }): readonly Cell[] => [
      { text: rule.effect, style: "bold" },
      escapeText(rule.text),
      to === "policy"
        ? "now a rule of Onym's policy, in every client"
        : `goes on in ${opened.client.title} under the new name`,
    ]),
    ...carry.left.map(({ rule, reason }): readonly Cell[] => [
      { text: rule.effect, style: "yellow" },
      escapeText(rule.text),
      { text: `not carried over: ${escapeText(reason)}`, style: "yellow" },
    ]),
  ];
  const instead = [...new Set(carry.left.flatMap((entry) => entry.instead))];
  return rows.length === 0
    ? []
    : [paint("dim", "Permissions"), ...formatTable(rows, paint), ...adviseInstead(instead, opened, columns)];
}

/** What the client will not see, because of a rule that was there before: it may be from another client. */
function formatDenied(
  { denied, opened, configShown }: ConnectPlan,
  { paint, columns }: Terminal,
): readonly string[] {
  if (denied.length === 0) return [];
  const rows = denied.map(({ rule, note, names }): readonly Cell[] => [
    { text: "deny", style: "yellow" },
    listSome(names, DENIED_SHOWN),
    note === undefined ? rule : `${rule}, ${escapeText(note)}`,
  ]);
  const change = `To have one of them, change its rule under "policy" in ${configShown}; it holds in every client.`;
  return [
    paint("dim", `Not offered in ${opened.client.title}: Onym's policy denies it`),
    ...formatTable(rows, paint),
    ...wrapText(change, { columns }),
    "",
  ];
}

const DENIED_SHOWN = 8;

function listSome(names: readonly string[], most: number): string {
  const more = names.length > most ? `, and ${names.length - most} more` : "";
  return `${names.slice(0, most).map(escapeText).join(", ")}${more}`;
}

/** So many names make the form clear. */
const NAMES_SHOWN = 3;

function adviseInstead(
  names: readonly string[],
  { client }: ConnectPlan["opened"],
  columns: number | undefined,
): readonly string[] {
  if (names.length === 0) return [];
  return wrapText(
    `${client.title} asks before what was not carried over. To allow it there, add what you want: ${listSome(names, NAMES_SHOWN)}.`,
    { columns },
  );
}
