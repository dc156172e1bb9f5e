// A migration for people and for machines.

import { escapeText, quoteText, type Tool } from "@onym/core";
import { renameWindow } from "@onym/core/resolve";
import { formatTable } from "../../../output/format-table.js";
import { formatJson, type Terminal } from "../../../output/terminal.js";
import { countNoun, pathFromHere } from "../../../output/wording.js";
import { wrapText } from "../../../output/wrap-text.js";
import { formatPatch } from "../mentions/format-patch.js";
import type { FileRewrite } from "../mentions/rewrite-files.js";
import type { Window } from "./alias-block.js";
import type { RewrittenList } from "./allow-lists.js";
import type { Codemod } from "./codemod.js";
import { pairLists } from "./migration-table.js";
import type { Conflict } from "./plan-migration.js";
import type { PlannedMigration } from "./planned-migration.js";

/** How many doubtful places are shown; the report for machines has all of them. */
const SHOWN = 20;

interface Found {
  readonly lists?: readonly RewrittenList[];
  readonly codemod?: Codemod | undefined;
}

export function formatMigration(
  planned: PlannedMigration,
  { lists = [], codemod, terminal }: Found & { readonly terminal: Terminal },
): readonly string[] {
  const parts = [
    formatNames(planned, terminal),
    formatBlock(planned, terminal),
    formatLists(lists, terminal),
    codemod === undefined ? [] : formatCodemod(codemod, terminal),
  ];
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

/** Both tools of every conflict, and the ways out. */
export function formatConflicts(
  { migration: { conflicts, tools }, fromTitle, toTitle, level }: PlannedMigration,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const oldOf = new Map(tools.map(({ tool, from }) => [tool, from]));
  const lines = conflicts.flatMap(({ kind, name, tools: both }) => [
    paint("bold", escapeText(name)),
    ...wrapText(CONFLICTS[kind], { columns, indent: "  " }),
    ...formatTable(
      both.map((tool) => [`    ${escapeText(oldOf.get(tool) ?? tool.raw)}`, escapeText(tool.canonical)]),
      paint,
    ),
  ]);
  const hint =
    level === "server"
      ? "Rename one of them in the server first, or number the second with --number."
      : 'Pin one of them under "naming.pins", or number the second with --number.';
  const why = `${countNoun(conflicts.length, "conflict")} from ${fromTitle} to ${toTitle}; nothing was written.`;
  return [...lines, "", why, ...wrapText(hint, { columns })];
}

const CONFLICTS: Readonly<Record<Conflict["kind"], string>> = {
  "same-name": "would be the name of each of these:",
  "taken-over":
    "is the name of the first, and would become that of the second; old calls would reach another tool:",
};

function formatNames(
  { migration: { tools, ambiguous, left }, fromTitle, toTitle }: PlannedMigration,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const changed = tools.filter(({ from, to }) => from !== to);
  const kept = tools.length - changed.length;
  const stay = kept === 0 ? "" : `; ${kept} ${kept === 1 ? "stays" : "stay"}`;
  return [
    paint("bold", `${countNoun(changed.length, "name")} from ${fromTitle} to ${toTitle}${stay}`),
    ...formatTable(
      changed.map(({ tool, from, to }) => [
        `  ${escapeText(from)}`,
        `→ ${escapeText(to)}`,
        { text: escapeText(tool.canonical), style: "dim" },
      ]),
      paint,
    ),
    ...ambiguous.flatMap(({ name, tools: both }) =>
      wrapText(
        `${quoteText(name)} was the name of ${list(both)}; it gets no alias, because nobody knows which is meant.`,
        {
          columns,
        },
      ),
    ),
    ...(left.length === 0
      ? []
      : wrapText(`${countNoun(left.length, "tool")} without a name on one side: ${list(left)}.`, {
          columns,
        })),
  ];
}

function list(tools: readonly Tool[]): string {
  const shown = tools.slice(0, 5).map(({ canonical }) => quoteText(canonical));
  const more = tools.length > shown.length ? ` and ${tools.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

function formatBlock(
  { renames, window, level }: PlannedMigration,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  if (renames.length === 0) return [];
  const until = window === undefined ? "" : `: ${describeWindow(window)}`;
  return [
    paint("bold", `For the config, so that old names keep working${until}`),
    '"renames": [',
    ...renames.map((entry, at) => `  ${formatJson(entry)}${at < renames.length - 1 ? "," : ""}`),
    "]",
    ...(level === "server"
      ? wrapText(
          "Where no Onym is in front, the server has to answer to old names itself: see aliasTools of @onym/core.",
          {
            columns,
          },
        )
      : []),
  ];
}

/** @example describeWindow({ until: "2027-05-19" }); // "until 2027-05-19" */
function describeWindow(window: Window): string {
  if ("until" in window) return `until ${window.until}`;
  const { ends = "never" } = renameWindow(window, {});
  return `from ${escapeText(window.since)} on, refused ${ends}`;
}

function formatLists(lists: readonly RewrittenList[], terminal: Terminal): readonly string[] {
  const { paint, cwd } = terminal;
  if (lists.length === 0) return [];
  return [
    paint("bold", "Lists of clients on this machine; --clients --write changes them"),
    ...lists.flatMap(({ rewrite }) => [
      ...formatPatch({ ...rewrite, path: pathFromHere(rewrite.path, cwd) }, paint),
      ...formatDoubts([rewrite], terminal),
    ]),
  ];
}

function formatCodemod({ folder, files, rewrites, present }: Codemod, terminal: Terminal): readonly string[] {
  const { paint, cwd, columns } = terminal;
  const changed = rewrites.filter(({ before, after }) => before !== after);
  const places = changed.reduce((sum, { replaced }) => sum + replaced.length, 0);
  const [first] = present;
  return [
    paint(
      "bold",
      `${countNoun(places, "mention")} in ${countNoun(changed.length, "file")} of ${files} below ${escapeText(folder)}`,
    ),
    ...changed.flatMap((rewrite) =>
      formatPatch({ ...rewrite, path: pathFromHere(rewrite.path, cwd) }, paint),
    ),
    ...formatDoubts(rewrites, terminal),
    ...(first === undefined
      ? []
      : wrapText(
          `${countNoun(present.length, "place")} with a new name already, the first ${quoteText(first.name)} in ` +
            `${escapeText(pathFromHere(first.path, cwd))}:${first.line}: going back would change them, too.`,
          { columns },
        )),
  ];
}

function formatDoubts(rewrites: readonly FileRewrite[], { paint, cwd }: Terminal): readonly string[] {
  const doubts = rewrites.flatMap(({ path, doubtful }) => doubtful.map((doubt) => ({ path, ...doubt })));
  if (doubts.length === 0) return [];
  const more = doubts.length - SHOWN;
  return [
    `Not changed, because ${doubts.length === 1 ? "it" : "they"} may mean something else:`,
    ...formatTable(
      doubts
        .slice(0, SHOWN)
        .map(({ path, line, from, to, doubt }) => [
          `  ${escapeText(pathFromHere(path, cwd))}:${line}`,
          escapeText(from),
          `→ ${escapeText(to)}?`,
          { text: doubt === "unquoted" ? "not in a string" : "a plain word", style: "dim" },
        ]),
      paint,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

export function reportMigration(
  planned: PlannedMigration,
  {
    lists = [],
    codemod,
    guide,
    written,
    terminal,
  }: Found & {
    readonly guide?: string | undefined;
    readonly written?: number;
    readonly terminal?: Pick<Terminal, "cwd">;
  },
): unknown {
  const { from, to, fromTitle, toTitle, level, owner, as, pairs, migration, renames } = planned;
  const cwd = terminal?.cwd ?? "";
  const named = ({ canonical, server, toolbox, raw }: Tool) => ({ canonical, server, toolbox, raw });
  const file = ({ path, replaced, doubtful }: FileRewrite) => ({
    file: pathFromHere(path, cwd),
    replaced,
    doubtful,
  });
  return {
    from,
    to,
    fromTitle,
    toTitle,
    level,
    owner,
    as,
    tools: migration.tools.map(({ tool, from: old, to: name, others }) => ({
      ...named(tool),
      from: old,
      to: name,
      ...(others.length === 0 ? {} : { others }),
    })),
    renames,
    conflicts: migration.conflicts.map((conflict) => ({ ...conflict, tools: conflict.tools.map(named) })),
    ambiguous: migration.ambiguous.map(({ name, tools }) => ({ name, tools: tools.map(named) })),
    left: migration.left.map(named),
    clients: lists.map(({ client: id, rewrite }) => ({ client: id, ...file(rewrite) })),
    ...(codemod === undefined
      ? {}
      : {
          codemod: {
            folder: codemod.folder,
            files: codemod.files,
            changes: codemod.rewrites.map(file),
            present: codemod.present.map((place) => ({ ...place, path: pathFromHere(place.path, cwd) })),
          },
        }),
    pairs: pairLists(pairs),
    ...(guide === undefined ? {} : { guide: pathFromHere(guide, cwd) }),
    ...(written === undefined ? {} : { written }),
  };
}
