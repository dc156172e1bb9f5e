// Old names for people, and the block that would declare the likely ones.

import { escapeText, quoteText, type Rename } from "@onym/core";
import { type Cell, formatTable } from "../../../output/format-table.js";
import type { Style } from "../../../output/paint.js";
import { formatJson, type Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { showMoment } from "../../read-moment.js";
import { type KeyedTool, showKeyedTool } from "../../store/name-keys.js";
import type { RenameProposal } from "./propose-renames.js";
import type { ServerProposal } from "./propose-servers.js";

export interface RenamesReport {
  readonly declared: readonly DeclaredRename[];
  readonly used: readonly OldNameUse[];
  readonly proposals: readonly RenameProposal[];
  readonly servers: readonly ServerProposal[];
}

export function formatRenames(
  { declared, used, proposals, servers }: RenamesReport,
  { paint }: Pick<Terminal, "paint">,
): readonly string[] {
  const parts = [
    declared.length === 0
      ? ["No renames are declared."]
      : [paint("bold", "Declared"), ...formatTable(declared.map(declaredRow), paint)],
    used.length === 0 ? [] : [paint("bold", "Still called"), ...formatTable(used.map(usedRow), paint)],
    proposals.length === 0
      ? []
      : [
          paint("bold", "Likely"),
          ...formatTable(proposals.map(proposalRow), paint),
          'Should that be so, add to the config what stands below, or to the "renames" it has:',
          ...renamesBlock(proposals),
        ],
    servers.length === 0
      ? []
      : [
          paint("bold", "Likely the same server"),
          ...formatTable(servers.map(serverRow), paint),
          "Should that be so, add to its entry in the config:",
          ...servers.map(({ to, entry }) => `${formatJson(to)}: ${formatJson(entry)}`),
        ],
  ];
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

const STATE_STYLES: Readonly<Record<DeclaredRename["state"], Style>> = {
  "in force": "green",
  ended: "dim",
  refused: "dim",
  taken: "yellow",
};

function declaredRow(rename: DeclaredRename): readonly Cell[] {
  const { from, to, policy, state, lost, near } = rename;
  return [
    `  ${escapeText(from)}`,
    `→ ${escapeText(to)}`,
    windowText(rename),
    policy,
    { text: state === "taken" ? "a tool has this name" : state, style: STATE_STYLES[state] },
    lost === undefined ? "" : { text: lostText(lost, near), style: "yellow" },
  ];
}

function lostText(lost: NonNullable<DeclaredRename["lost"]>, near: string | undefined): string {
  if (lost === "its server was not asked") return `not known: ${lost}`;
  const meant = near === undefined ? "" : `; did you mean ${escapeText(near)}?`;
  return `leads nowhere: ${lost}${meant}`;
}

function windowText({ until, ends, since, serverVersion, isUncounted, leads }: DeclaredRename): string {
  if (until !== undefined) return `until ${until}`;
  if (ends === undefined || since === undefined) return "no end";
  if (!leads) return `refused ${ends}`;
  if (!isUncounted) return `refused ${ends}, now ${escapeText(serverVersion ?? "")}`;
  const said = serverVersion === undefined ? "no version" : quoteText(serverVersion);
  return `refused ${ends}, but that says ${said}`;
}

function usedRow({ name, caller, tool, count, lastAt }: OldNameUse): readonly Cell[] {
  return [
    `  ${escapeText(name)}`,
    `by ${quoteText(caller)}`,
    countNoun(count, "call"),
    `last ${showMoment(lastAt)}`,
    { text: `→ ${showKeyedTool(tool)}`, style: "dim" },
  ];
}

function proposalRow({ from, to }: RenameProposal): readonly Cell[] {
  return [`  ${escapeText(from)}`, `→ ${escapeText(to)}`, "the same definition"];
}

function serverRow({ from, to, toolbox, why }: ServerProposal): readonly Cell[] {
  return [
    `  ${escapeText(from)}`,
    `→ ${escapeText(to)}`,
    why === "launch" ? "reached in the same way" : "the same tools",
    { text: toolbox === undefined ? "" : `in ${escapeText(toolbox)}`, style: "dim" },
  ];
}

/** JSON to paste: what a terminal must not get is escaped as JSON escapes it, so that it means the same. */
function renamesBlock(proposals: readonly RenameProposal[]): readonly string[] {
  const entries = proposals.flatMap(({ renames }) => renames).map((entry) => formatJson(entry));
  return [
    '"renames": [',
    ...entries.map((text, at) => `  ${text}${at < entries.length - 1 ? "," : ""}`),
    "]",
  ];
}
export interface DeclaredRename extends Rename {
  readonly policy: NonNullable<Rename["policy"]>;
  /** From when on it is refused, in words; absent where it has no end. */
  readonly ends: string | undefined;
  /** What the server announces now, where the window is counted in its versions. */
  readonly serverVersion: string | undefined;
  /** The window is counted in versions, and there is none that can be read. */
  readonly isUncounted: boolean;
  /** `ended` and `refused` names are answered with their successor; a `taken` one is a tool's own name again. */
  readonly state: "in force" | "ended" | "refused" | "taken";
  /** Whether the tool it leads to is known here. */
  readonly leads: boolean;
  /** Why it leads nowhere, as far as that is known. */
  readonly lost?: "no such tool" | "hidden by filters" | "its server was not asked";
  /** The tool that may be meant, where there is none of that name. */
  readonly near?: string;
}
export interface OldNameUse {
  readonly name: string;
  readonly caller: string;
  readonly tool: KeyedTool;
  readonly count: number;
  readonly lastAt: number;
}
