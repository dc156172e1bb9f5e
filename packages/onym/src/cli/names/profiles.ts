// onym profiles: the rules of every client and provider Onym knows, with their sources and dates (RULE-1).

import type { Profile } from "@onym/core";
import { type Evidence, evidenceFor } from "@onym/core/evidence";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { exportProfile, nameRulesFor, type ProfileSet } from "@onym/core/profiles";
import { originOf } from "../../config/sections/read-profiles.js";
import { profileOf } from "../../configured/profile-of.js";
import { columnWidths, fitColumns } from "../../output/fit-columns.js";
import { type Cell, formatTable, widestText } from "../../output/format-table.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { wrapText } from "../../output/wrap-text.js";
import { profilesHere } from "../catalog/profiles-here.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { usageError } from "../usage-error.js";

const GAP = 2;
const ADDED = 3;
const DATE = 4;

/** As wide as `mcp__{server}__`. */
const MIN_ADDED = 15;
const MIN_TITLE = 24;

interface ProfilesOptions {
  readonly config?: string;
  readonly export?: boolean;
  readonly json?: boolean;
  readonly stale?: boolean;
}

/** What was known of a client this many months ago should be looked at again (RULE-6). */
const STALE_MONTHS = 6;

export const defineProfiles: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("[id]", "one profile, in full")
    .option("-c, --config <file>", "the config whose profiles count (default: the one here)")
    .option("--export", 'print it as a config writes one under "profiles"')
    .option("--stale", `only those that nobody looked at for ${STALE_MONTHS} months`);
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym profiles\n  onym profiles cursor\n  onym profiles cursor --export\n  onym profiles --stale",
    )
    .action((id: string | undefined, options: ProfilesOptions) =>
      run(() => printProfiles(id, options, terminal)),
    );
};

async function printProfiles(
  id: string | undefined,
  options: ProfilesOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const known = profilesHere(options, terminal);
  if (options.export === true) return exportOne(id, known, terminal);
  if (id !== undefined) {
    const profile = profileOf(id, known);
    if (options.json === true) await writeJson(terminal, reportProfile(profile, known));
    else await terminal.out(`${formatProfile(profile, known, terminal).join("\n")}\n`);
    return 0;
  }
  const profiles = options.stale === true ? known.list().filter(isStale(terminal)) : known.list();
  if (options.json === true)
    await writeJson(terminal, { profiles: profiles.map((profile) => reportProfile(profile, known)) });
  else await terminal.out(`${formatList(profiles, known, terminal).join("\n")}\n`);
  return 0;
}

/** To correct a row, or as the start of another: `{ "profiles": { … } }` without what is around it. */
async function exportOne(id: string | undefined, known: ProfileSet, terminal: Terminal): Promise<ExitCode> {
  if (id === undefined)
    throw usageError("--export takes one profile.", "For example: onym profiles cursor --export");
  const profile = profileOf(id, known);
  const { id: _id, ...row } = exportProfile(profile) ?? { id };
  await writeJson(terminal, { [id]: row });
  return 0;
}

/** A product that is no more has nothing new to tell. */
function isStale({ today }: Terminal): (profile: Profile) => boolean {
  const limit = new Date(`${today}T00:00:00Z`);
  limit.setUTCMonth(limit.getUTCMonth() - STALE_MONTHS);
  const oldest = limit.toISOString().slice(0, 10);
  return ({ asOf, retired }) => !retired && asOf !== "" && asOf < oldest;
}

function reportProfile(profile: Profile, known: ProfileSet): unknown {
  const { rules, client, ...rest } = profile;
  const { sources = [], notes } = evidenceFor(profile.id) ?? {};
  // JSON has no infinity; a limit that is not known is left out.
  const room = nameRulesFor(profile, DEFAULT_ALIAS).maxLength;
  return {
    ...rest,
    origin: originOf(profile.id, known),
    room: Number.isFinite(room) ? room : undefined,
    client: finite(client),
    rules: finite(rules),
    sources,
    notes,
  };
}

function finite(rules: object): object {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== Number.POSITIVE_INFINITY));
}

function formatList(
  profiles: readonly Profile[],
  known: ProfileSet,
  { paint, columns }: Terminal,
): readonly string[] {
  const head = ["ID", "KIND", "ROOM", "CLIENT ADDS", "AS OF", "CLIENT OR PROVIDER"].map((text) => ({
    text,
    style: "dim" as const,
  }));
  const rows = profiles.map((profile) => [
    { text: profile.id, style: "bold" as const },
    profile.kind,
    showRoom(profile).padStart(4),
    [profile.prefixAddedByClient, profile.suffixAddedByClient].filter(Boolean).join(" … "),
    profile.asOf,
    `${profile.title}${markOf(profile, known)}`,
  ]);
  const table = [head, ...rows];
  const isNarrow = fitColumns(table, columns, []) !== table;
  // The date gives way first, then what clients add, of which most add nothing: onym profiles ID has both. Ids stay
  // whole, because people copy them.
  const undated = isNarrow ? without(table, DATE).map((row) => row.map(shortKind)) : table;
  const least = columnWidths(undated).with(ADDED, MIN_ADDED).with(-1, MIN_TITLE);
  const isTight = isNarrow && least.reduce((sum, width) => sum + GAP + width, -GAP) > (columns ?? 0);
  const shown = isTight ? without(undated, ADDED) : undated;
  const yielding = isTight
    ? [{ column: 3, least: 8 }]
    : [
        { column: ADDED, least: MIN_ADDED },
        { column: 4, least: MIN_TITLE },
      ];
  const about = `${profiles.length} profiles. ROOM is what is left for a name when the gateway is registered as ${DEFAULT_ALIAS}.`;
  return [
    ...formatTable(fitColumns(shown, columns, yielding), paint),
    "",
    ...wrapText(about, { columns }).map((line) => paint("dim", line)),
  ];
}

/** What sets a profile apart from the others in the list. */
function markOf({ id, retired }: Profile, known: ProfileSet): string {
  const origin = originOf(id, known);
  const marks = [...(origin === "built in" ? [] : [origin]), ...(retired ? ["retired"] : [])];
  return marks.length === 0 ? "" : ` (${marks.join("; ")})`;
}

function without(rows: readonly (readonly Cell[])[], column: number): readonly (readonly Cell[])[] {
  return rows.map((row) => row.filter((_, at) => at !== column));
}

function shortKind(cell: Cell): Cell {
  return cell === "specification" ? "spec" : cell;
}

function showRoom(profile: Profile): string {
  const { maxLength } = nameRulesFor(profile, DEFAULT_ALIAS);
  return Number.isFinite(maxLength) ? String(maxLength) : "any";
}

function formatProfile(profile: Profile, known: ProfileSet, { paint, columns }: Terminal): readonly string[] {
  const origin = originOf(profile.id, known);
  const evidence: Evidence | undefined = origin === "config" ? undefined : evidenceFor(profile.id);
  const facts: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ["kind", profile.kind],
    ["pattern", profile.pattern],
    ["length", `${profile.minLength} to ${profile.maxLength ?? "any number of"} characters`],
    ["safe length", profile.safeMaxLength],
    ["first character", profile.firstChar],
    [
      "client adds",
      [profile.prefixAddedByClient, profile.suffixAddedByClient].filter(Boolean).join(" before and after ") ||
        undefined,
    ],
    ["limit with that", profile.combinedMaxLength],
    ["safe limit with that", profile.safeCombinedMaxLength],
    ["room for a name", `${showRoom(profile)}, registered as ${DEFAULT_ALIAS}`],
    ["tools at most", profile.maxTools],
    [
      "list_changed",
      profile.listChanged === undefined ? "not known" : profile.listChanged ? "honoured" : "ignored",
    ],
    ["on violation", profile.onViolation],
    ["announced as", profile.clientInfoNames.join(", ") || undefined],
    [
      "as of",
      `${profile.asOf || "no date"}, ${profile.confidence}${profile.version === undefined ? "" : ` in ${profile.version}`}`,
    ],
    ["origin", origin],
    ["retired", profile.retired ? "no longer offered" : undefined],
  ];
  const present = facts.filter(([, value]) => value !== undefined && value !== "");
  const indent =
    GAP +
    widestText(
      present.map(([fact]) => `  ${fact}`),
      0,
    );
  const width = columns === undefined ? undefined : Math.max(20, columns - indent);
  const rows = present.flatMap(([fact, value]) =>
    wrapText(String(value), { columns: width }).map((line, index) => [
      { text: index === 0 ? `  ${fact}` : "", style: "dim" as const },
      line,
    ]),
  );
  return [
    ...wrapText(`${paint("bold", profile.id)}  ${profile.title}`, { columns }),
    ...formatTable(rows, paint),
    ...(evidence?.notes === undefined ? [] : ["", ...wrapText(evidence.notes, { columns })]),
    ...(evidence?.ours === undefined ? [] : ["", ...wrapText(`In Onym: ${evidence.ours}`, { columns })]),
    ...(evidence === undefined
      ? []
      : [
          "",
          paint("bold", "Sources"),
          ...evidence.sources.flatMap((source) => wrapText(source, { columns, indent: "  " })),
        ]),
  ];
}
