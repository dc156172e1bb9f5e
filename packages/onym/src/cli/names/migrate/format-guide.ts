// The guide of a migration, in Markdown, for the people who use those tools.

import { resolve } from "node:path";
import { findProfile, type Rename } from "@onym/core";
import { renameWindow } from "@onym/core/resolve";
import { textWidth, widestText } from "../../../output/format-table.js";
import { formatJson, type Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import { writeConfig } from "../../setup/write-config.js";
import type { Window } from "./alias-block.js";
import type { PlannedMigration } from "./planned-migration.js";

/** Where a user meets names in a client; the shapes that differ. */
const CLIENTS: readonly (readonly [string, string])[] = [
  ["claude-code", "`permissions` in `.claude/settings.json`, `allowed-tools` of skills, `tools` of agents"],
  ["codex", "`enabled_tools` and `disabled_tools` in `~/.codex/config.toml` hold the plain name"],
  ["cursor", "the list of allowed tools in the settings, `.cursor/cli.json`"],
  ["gemini-cli", "`includeTools`, `excludeTools` and policies"],
  ["opencode", "`tools` and `permission` in `opencode.json`"],
  ["vscode", "`tools` of prompt files, agents and tool sets"],
];

/** @returns The path of the file. @throws OnymError where it cannot be written. */
export function writeGuide(planned: PlannedMigration, file: string, { cwd }: Pick<Terminal, "cwd">): string {
  const path = resolve(cwd, file);
  writeConfig(path, formatGuide(planned), { force: true, isSecret: false, orElse: "" });
  return path;
}

function formatGuide(planned: PlannedMigration): string {
  const { migration, owner, level, window, renames } = planned;
  const changed = migration.tools.filter(({ from, to }) => from !== to);
  const kept = migration.tools.length - changed.length;
  const hasWindow = window !== undefined && renames.length > 0;
  const what = level === "server" ? `of ${code(owner)}` : `behind ${code(owner)}`;
  const sections = [
    [
      `# New names for the tools ${what}`,
      "",
      `${countNoun(changed.length, "tool")} ${what} ${changed.length === 1 ? "has" : "have"} a new name. ` +
        "What the tools do, what they take and what they answer stays the same." +
        (kept === 0
          ? ""
          : ` ${countNoun(kept, "other tool")} ${kept === 1 ? "keeps its" : "keep their"} name.`),
      "",
      !hasWindow
        ? "**Old names stop working when the new ones come.**"
        : `${whenOf(window)} A call by an old name is answered as before, with a notice that names the new one. ` +
          "After that it is refused, and the error names the new one.",
    ],
    [
      "## The names",
      "",
      ...table([["old", "new"], ...changed.map(({ from, to }) => [code(from), code(to)])]),
    ],
    changed.length === 0 ? [] : whatToDo(planned, hasWindow),
    migration.ambiguous.length === 0
      ? []
      : [
          "## Names without an alias",
          "",
          "Several tools had each of these, so nothing says which is meant. Look up yours in the table above.",
          "",
          ...migration.ambiguous.map(({ name, tools }) => {
            const all = tools.map(({ canonical }) => code(canonical)).join(", ");
            return `- ${code(name)}: ${all}`;
          }),
        ],
    level === "server" && renames.length > 0 ? forGateways(renames) : [],
    [
      "## Back again",
      "",
      "The table is one to one. To undo what was written in your files:",
      "",
      "```sh",
      "npx onym migrate --table migration.json --codemod . --clients --back --write",
      "```",
    ],
  ];
  return `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n")}\n`;
}

function whenOf(window: Window): string {
  if ("until" in window) return `**Old names work until ${window.until}.**`;
  const { ends = "never" } = renameWindow(window, {});
  return `**The names change with version ${code(window.since)}. Old names go on working, and are refused ${ends.replace("its server", "the server")}.**`;
}

/** Aligned, as formatters write it. The first row is the head. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) =>
    widestText(
      rows.map((row) => row[column] ?? ""),
      3,
    ),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - textWidth(cell))).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.slice(1).map(line)];
}

function whatToDo({ as, pairs }: PlannedMigration, hasWindow: boolean): readonly string[] {
  const rows = CLIENTS.flatMap(([id, where]) => {
    const [old, name] = pairs.examples.get(id) ?? [];
    if (old === undefined || name === undefined) return [];
    const change = old === name ? "the same" : code(name);
    return [[findProfile(id)?.title ?? id, code(old), change, where]];
  });
  return [
    "## What to change, and where",
    "",
    (hasWindow
      ? "What runs goes on running: calls by old names are answered. Permission lists cannot wait. "
      : "Change permission lists first. ") +
      "They know a tool by its name alone: until they have the new one, a tool that you allowed is asked about again, and " +
      "**one that you denied is no longer denied**.",
    "",
    "1. **Permission lists of your client.** Most clients put the name under which you registered the server in front, and some " +
      `change characters. Registered as ${code(as)}, one of the tools is shown like this. Where both are the same, that client's ` +
      "lists stay as they are, unless they hold plain names.",
    "",
    ...table([["client", "old", "new", "where names stand"], ...rows]).map((row) => `   ${row}`),
    "",
    "   `migration.json` comes with this guide; it is the table above for programs. With it, this shows what would change in the",
    "   lists of the clients on your machine, and `--write` writes it:",
    "",
    "   ```sh",
    "   npx onym migrate --table migration.json",
    "   npx onym migrate --table migration.json --clients --write",
    "   ```",
    "",
    "2. **Skills, agents, prompts, scripts.** This shows every exact mention below a folder, and with `--write` changes it:",
    "",
    "   ```sh",
    "   npx onym migrate --table migration.json --codemod .",
    "   npx onym migrate --table migration.json --codemod . --write",
    "   ```",
    "",
    "   A name that is a plain word, such as `search`, and a name in code outside of quotes are listed and left to you.",
  ];
}

function forGateways(renames: readonly Rename[]): readonly string[] {
  return [
    "## If you run Onym in front",
    "",
    "Add this to `onym.json`. Where your id of the server is another, write it in place of what stands before each `@1/`. Policy, " +
      "approvals and names that were given out go on with the tool.",
    "",
    "```json",
    '"renames": [',
    ...renames.map((entry, at) => `  ${formatJson(entry)}${at < renames.length - 1 ? "," : ""}`),
    "]",
    "```",
  ];
}

/** As code in Markdown, in a table too, whatever it is made of. */
function code(text: string): string {
  const shown = text.replaceAll("|", "\\|").replace(/[\p{Cc}\p{Cf}]/gu, (character) => {
    const [point = 0] = [character.codePointAt(0)];
    return `\\u{${point.toString(16)}}`;
  });
  const fence = shown.includes("`") ? "``" : "`";
  return fence === "`" ? `\`${shown}\`` : `${fence} ${shown} ${fence}`;
}
