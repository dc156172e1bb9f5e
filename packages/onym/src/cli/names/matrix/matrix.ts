// onym matrix: tools × clients. The name each client shows with Onym, and where the raw name alone would fail.

import { fileURLToPath } from "node:url";
import { type Profile, type Snapshot, sentName } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { matchesProfile } from "@onym/core/profiles";
import { profileOf } from "../../../configured/profile-of.js";
import { PACKAGE_FOLDER } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showProblems } from "../../../output/show-problems.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { noteLeft } from "../../catalog/left-out.js";
import { type OpenOptions, openLiveSnapshot, reportOrigin } from "../../catalog/open-live.js";
import type { DefineCommand } from "../../command.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addProfilesOption,
  addServerOptions,
  refuseArguments,
} from "../../options.js";
import { usageError } from "../../usage-error.js";
import { formatMatrix } from "./format-matrix.js";
import type { MatrixRow } from "./matrix-row.js";
import { rawProblems } from "./raw-names.js";

interface MatrixOptions extends OpenOptions {
  readonly profile?: readonly string[];
  readonly demo?: boolean;
  readonly json?: boolean;
}

const USUAL = ["claude-code", "cursor", "vscode", "openai", "gemini", "universal"];
const DEMO = fileURLToPath(new URL("demo/onym.json", PACKAGE_FOLDER));

export const defineMatrix: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  addProfilesOption(command, `the clients to show (default: ${USUAL.join(" ")})`);
  addAliasOption(command).option("--demo", "a bundled example instead of your own config");
  addCatalogOptions(addServerOptions(command));
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym matrix --demo\n  onym matrix --profile claude-code windsurf zed\n" +
        "  onym matrix --live\n  onym matrix --url http://127.0.0.1:3001/mcp",
    )
    .action((_: readonly string[], options: Omit<MatrixOptions, "version">) => {
      refuseArguments(command, { started, hasDashes });
      return run(() => printMatrix({ ...options, started, version }, terminal));
    });
};

async function printMatrix(options: MatrixOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.demo === true && options.config !== undefined) {
    throw usageError("--demo brings a config of its own.", "Leave out --demo or --config.");
  }
  const opened = await openLiveSnapshot(
    options.demo === true ? { ...options, config: DEMO } : options,
    terminal,
  );
  const { config, snapshot, left } = opened;
  const as = options.as ?? config.naming.as ?? DEFAULT_ALIAS;
  const profiles = (options.profile ?? USUAL).map((id) => profileOf(id, config.profiles));
  const rows = buildMatrix(snapshot, profiles, as);
  if (options.json === true) {
    await writeJson(terminal, {
      profiles: profiles.map(({ id }) => id),
      ...reportOrigin(opened),
      tools: rows.map(({ tool, names }) => ({
        canonical: tool.canonical,
        server: tool.server,
        toolbox: tool.toolbox,
        raw: tool.raw,
        names: names.map(({ profile, name, sent, rawProblem }) => ({
          profile: profile.id,
          name: name ?? null,
          sent: sent ?? null,
          rawProblem: rawProblem && { code: rawProblem.code, message: rawProblem.message },
        })),
      })),
    });
  } else {
    await terminal.out(`${formatMatrix({ rows, profiles, as }, terminal).join("\n")}\n`);
    showProblems(
      profiles.flatMap((profile) => snapshot.namesFor(profile).problems),
      terminal,
    );
  }
  noteLeft(opened, terminal);
  return left.some(({ severity }) => severity === "error") ? 1 : 0;
}

export function buildMatrix(
  snapshot: Snapshot,
  profiles: readonly Profile[],
  as: string,
): readonly MatrixRow[] {
  const { tools } = snapshot.catalog;
  const columns = profiles.map((profile) => ({
    profile,
    table: snapshot.namesFor(profile),
    problems: rawProblems(tools, profile),
  }));
  return tools.map((tool) => ({
    tool,
    names: columns.map(({ profile, table, problems }) => {
      const name = table.nameOf(tool);
      const sent = name === undefined ? undefined : sentName(name, profile, as);
      const isValid = name !== undefined && matchesProfile(name, profile, as);
      return { profile, name, sent, isValid, rawProblem: problems.get(tool) };
    }),
  }));
}
