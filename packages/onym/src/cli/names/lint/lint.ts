// onym lint: which names clients and providers refuse, change or confuse when nothing stands in front of them.

import type { Profile } from "@onym/core";
import { Option } from "commander";
import { type LiveOptions, type OpenedTools, openLive, reportOrigin } from "../../catalog/open-live.js";
import { noteLeft } from "../../catalog/open-snapshot.js";
import type { DefineCommand, ExitCode } from "../../command.js";
import { addProfilesOption, addServerOptions, profileOf, refuseArguments } from "../../options.js";
import { countNoun } from "../../output/count-noun.js";
import { type Terminal, writeJson } from "../../terminal.js";
import { usageError } from "../../usage-error.js";
import { countFindings, type LintResult } from "./finding.js";
import { formatFindings } from "./format-findings.js";
import { formatGithub } from "./format-github.js";
import { formatSarif } from "./format-sarif.js";
import { lintConfig, lintName, lintTools } from "./lint-findings.js";

interface LintOptions extends LiveOptions {
  readonly profile?: readonly string[];
  readonly name?: string;
  readonly tools?: string;
  readonly format?: "text" | "json" | "sarif" | "github";
  readonly json?: boolean;
}

/** The specification, the three large providers, and the three clients with the narrowest rules. */
const USUAL = ["mcp", "openai", "anthropic", "gemini", "claude-code", "cursor", "vscode"];

const EXAMPLES = `
Examples:
  onym lint                                     the tools of the config
  onym lint --tools tools.json --profile openai
  onym lint --live                              what its servers list now
  onym lint -- npx -y some-server               a server that is in no config
  onym lint --url http://127.0.0.1:3001/mcp
  onym lint --name "search files"
  onym lint --format sarif > onym.sarif         for code scanning
  onym lint --format github                     annotations in a GitHub workflow`;

export const defineLint: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  addProfilesOption(addServerOptions(command), `whose rules (default: ${USUAL.join(" ")})`)
    .option("--name <text>", "check one name")
    .option("--tools <file>", "check the tools of a file: a list, or the answer to tools/list")
    .option("-c, --config <file>", "the config to read (default: onym.json, else a client's file here)")
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json", "sarif", "github"]))
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action((_: readonly string[], options: Omit<LintOptions, "version">) => {
      refuseArguments(command, { started, hasDashes });
      return run(() => printFindings({ ...options, started, version }, terminal));
    });
};

async function printFindings(options: LintOptions, terminal: Terminal): Promise<ExitCode> {
  refuseMixed(options);
  if (options.json === true && options.format !== undefined && options.format !== "json") {
    throw usageError(`--json and --format ${options.format} do not go together.`, "Use one of them.");
  }
  const profiles = (options.profile ?? USUAL).map(profileOf);
  const { findings, tools, origin } = await findAll(options, profiles, terminal);
  const format = options.json === true ? "json" : (options.format ?? "text");
  if (findings.length === 0 && format === "text" && terminal.isTTY) {
    const checked = `${countNoun(tools, "tool")}, ${countNoun(profiles.length, "profile")}`;
    await terminal.out(`${terminal.paint("green", "✓")} ${checked}: nothing found.\n`);
  } else await print({ findings, origin }, format, terminal);
  return countFindings(findings).errors > 0 ? 1 : 0;
}

/** What is checked: one name, the tools of a file, a server, or a config. */
function refuseMixed({ name, tools, url, live, static: isStatic, started = [] }: LintOptions): void {
  const asked = Object.entries({
    "--name": name !== undefined,
    "--tools": tools !== undefined,
    "--url": url !== undefined,
    "--live": live === true,
    "--static": isStatic === true,
    "a command": started.length > 0,
  }).flatMap(([flag, isGiven]) => (isGiven ? [flag] : []));
  if (asked.length > 1) throw usageError(`${asked.join(" and ")} do not go together.`, "Use one of them.");
}

async function findAll(
  options: LintOptions,
  profiles: readonly Profile[],
  terminal: Terminal,
): Promise<LintResult & Pick<OpenedTools, "origin">> {
  const origin = undefined;
  if (options.name !== undefined) return { ...lintName(options.name, profiles), origin };
  if (options.tools !== undefined) return { ...lintTools(options.tools, profiles, terminal.cwd), origin };
  const opened = await openLive(options, terminal);
  // What else is to be told of servers is among the findings.
  noteLeft({ ...opened, left: [] }, terminal);
  const { findings, tools } = lintConfig(opened, profiles);
  // There is no file to point at.
  return opened.isGiven
    ? { findings: findings.map(({ place: _, ...rest }) => rest), tools, origin }
    : { findings, tools, origin: opened.origin };
}

async function print(
  { findings, origin }: Pick<LintResult, "findings"> & Pick<OpenedTools, "origin">,
  format: string,
  terminal: Terminal,
): Promise<void> {
  switch (format) {
    case "json":
      return writeJson(terminal, {
        findings: findings.map(({ code, severity, profile, tool, message, fix }) => ({
          code,
          severity,
          profile,
          tool,
          message,
          fix,
        })),
        summary: countFindings(findings),
        ...reportOrigin({ origin }),
      });
    case "sarif":
      return writeJson(terminal, formatSarif(findings, terminal.cwd));
    case "github":
      return terminal.out(formatGithub(findings, terminal.cwd));
    default: {
      const lines = formatFindings(findings, terminal);
      return lines.length === 0 ? undefined : terminal.out(`${lines.join("\n")}\n`);
    }
  }
}
