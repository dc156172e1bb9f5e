// The matrix on a terminal: one line a tool, its name, and a mark for each client; what differs gets a line of its own.

import { escapeText, type Profile } from "@onym/core";
import { type Cell, clipText, formatTable, widestText } from "../../../output/format-table.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun, serverLabel } from "../../../output/wording.js";
import { wrapText } from "../../../output/wrap-text.js";
import { WITHOUT_TOOLS } from "../../catalog/left-out.js";
import { isNoClient, sentForm } from "../sent-form.js";
import { isGrave, markOf, markWidth, reasonsOf } from "./matrix-marks.js";
import type { Matrix, MatrixEntry, MatrixRow } from "./matrix-row.js";

/** The two text columns give way on a narrow screen, down to this. */
const MIN_WIDTHS = { full: { raw: 20, name: 26 }, compact: { raw: 14, name: 16 } };
const GAP = 2;
/** The width in a pipe: people read it on a screen later, and machines use --json. */
const USUAL_COLUMNS = 100;

/** How the columns are laid out. `compact`: clients by number, one reason a line, for narrow screens. */
interface Layout {
  readonly raw: number;
  readonly name: number;
  readonly compact: boolean;
  /** Some names are shortened. */
  readonly isCut: boolean;
  /** Clients that do not fit side by side go below each other. */
  readonly blocks: readonly (readonly Profile[])[];
}

export function formatMatrix(
  matrix: Matrix,
  { paint, columns = USUAL_COLUMNS }: Terminal,
): readonly string[] {
  if (matrix.rows.length === 0) return wrapText(`No tools. ${WITHOUT_TOOLS}`, { columns });
  const full = layOut(matrix, columns, false);
  const layout = full.blocks.length === 1 ? full : layOut(matrix, columns, true);
  const blocks = layout.blocks.map((profiles, index) =>
    formatTable(blockRows(matrix, profiles, layout, index === 0), paint),
  );
  return [
    ...blocks.flatMap((block) => [...block, ""]),
    ...(layout.isCut
      ? wrapText("Long names are cut to fit (…); --json has them in full.", { columns }).map((line) =>
          paint("dim", line),
        )
      : []),
    ...formatLegend(
      matrix,
      layout.compact
        ? matrix.profiles.map((profile) => `${numberOf(profile, matrix.profiles)} ${profile.id}`)
        : [],
      { paint, columns },
    ),
  ];
}

/** Columns are as wide as their texts; on a narrow screen the two text columns give way first. */
function layOut({ rows, profiles }: Matrix, columns: number, compact: boolean): Layout {
  const least = compact ? MIN_WIDTHS.compact : MIN_WIDTHS.full;
  const fullRaw = widestText(
    rows.map(({ tool }) => `  ${escapeText(tool.raw)}`),
    least.raw,
  );
  const fullName = widestText(
    rows.flatMap(({ names }) => names.map(shown)),
    least.name,
  );
  const reasonTexts = rows.map(({ names }) => reasonsOf(names));
  const reasons = compact ? GAP + widestText(reasonTexts, 0) : 0;
  const widthOf = (profile: Profile): number =>
    GAP + (compact ? numberOf(profile, profiles).length : markWidth(profile, rows));
  const marks = profiles.reduce((sum, profile) => sum + widthOf(profile), reasons);
  const over = Math.max(0, fullRaw + GAP + fullName + marks - columns);
  const fromName = Math.min(fullName - least.name, Math.ceil((over * fullName) / (fullRaw + fullName)));
  const raw = fullRaw - Math.min(fullRaw - least.raw, over - fromName);
  const name = fullName - fromName;

  const blocks: Profile[][] = [];
  let room = 0;
  for (const profile of profiles) {
    const last = blocks[blocks.length - 1];
    if (last === undefined || widthOf(profile) > room) {
      blocks.push([profile]);
      room = columns - raw - GAP - name - reasons;
    } else last.push(profile);
    room -= widthOf(profile);
  }
  return { raw, name, compact, isCut: raw < fullRaw || name < fullName, blocks };
}

function blockRows(
  matrix: Matrix,
  profiles: readonly Profile[],
  { raw, name, compact }: Layout,
  isFirst: boolean,
): readonly (readonly Cell[])[] {
  const heads = profiles.map((profile) => (compact ? numberOf(profile, matrix.profiles) : profile.id));
  const lines: Cell[][] = [["RAW NAME", "NAME WITH ONYM", ...heads].map((text) => ({ text, style: "dim" }))];
  let owner = "";
  for (const { heading, tool, names } of byServer(matrix.rows)) {
    if (heading !== owner) lines.push([{ text: clipText(heading, raw), style: "bold" }]);
    owner = heading;
    const entries = names.filter((entry) => profiles.includes(entry.profile));
    const common = clipText(commonest(names), name);
    lines.push([
      `  ${clipText(escapeText(tool.raw), raw - 2)}`,
      { text: common, style: "cyan" },
      ...entries.map((entry) => markOf(entry, compact)),
      ...(compact ? [{ text: reasonsOf(entries), style: "red" as const }] : []),
    ]);
    // Names that differ, as far as that can be seen here, are printed once, not in every block.
    for (const [other, ids] of isFirst ? otherNames(names, name, common) : []) {
      lines.push([
        { text: clipText(`    in ${ids.join(", ")}`, raw), style: "dim" },
        { text: other, style: "cyan" },
      ]);
    }
  }
  return lines;
}

/** The catalog has the tools of one server in two toolboxes beside each other; here each server has its own together. */
function byServer(rows: readonly MatrixRow[]): readonly (MatrixRow & { readonly heading: string })[] {
  const groups = new Map<string, (MatrixRow & { readonly heading: string })[]>();
  for (const row of rows) {
    const heading = serverLabel(row.tool);
    const group = groups.get(heading);
    if (group === undefined) groups.set(heading, [{ ...row, heading }]);
    else group.push({ ...row, heading });
  }
  return [...groups.values()].flat();
}

function numberOf(profile: Profile, profiles: readonly Profile[]): string {
  return String(profiles.indexOf(profile) + 1);
}

function shown({ name }: MatrixEntry): string {
  return name === undefined ? "(no name)" : escapeText(name);
}

function commonest(names: readonly MatrixEntry[]): string {
  const counts = new Map<string, number>();
  for (const entry of names) counts.set(shown(entry), (counts.get(shown(entry)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}

function otherNames(
  names: readonly MatrixEntry[],
  width: number,
  common: string,
): ReadonlyMap<string, readonly string[]> {
  const others = new Map<string, string[]>();
  for (const entry of names) {
    const name = clipText(shown(entry), width);
    if (name !== common) others.set(name, [...(others.get(name) ?? []), entry.profile.id]);
  }
  return others;
}

// What stands below the matrix: the signs, what clients send, and the sum of it.

/** `numbers` are the clients as narrow screens number them. */
function formatLegend(
  { rows, profiles, as }: Matrix,
  numbers: readonly string[],
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const dim = (text: string) => wrapText(text, { columns }).map((line) => paint("dim", line));
  const entries = rows.flatMap(({ names }) => names);
  const failing = entries.filter(({ rawProblem }) => rawProblem !== undefined && isGrave(rawProblem)).length;
  const valid = entries.filter(({ isValid }) => isValid).length;
  const forms = profiles.flatMap((profile) => {
    const entry = entries.find((candidate) => candidate.profile === profile && candidate.name !== undefined);
    const form = entry && sentForm(entry);
    return form === undefined || isNoClient(profile) ? [] : [`${profile.id} ${escapeText(form)}`];
  });
  const servers = new Set(rows.map(({ tool }) => JSON.stringify([tool.toolbox, tool.server]))).size;
  return [
    ...(numbers.length === 0 ? [] : dim(numbers.join("  "))),
    ...dim("Raw names alone: ✓ works, ! may not, ✗ is refused, changed, dropped or mistaken."),
    ...(forms.length === 0
      ? []
      : dim(`Sent by clients where Onym is ${escapeText(as)}: ${forms.join(", ")}.`)),
    ...wrapText(
      `${countNoun(rows.length, "tool")}, ${countNoun(servers, "server")}, ${countNoun(profiles.length, "client or provider", "clients and providers")}: ` +
        `${paint(failing > 0 ? "red" : "green", `${failing} of ${entries.length}`)} raw names fail; ` +
        `with Onym ${paint(valid < entries.length ? "red" : "green", `${valid} of ${entries.length}`)} are valid.`,
      { columns },
    ),
  ];
}
