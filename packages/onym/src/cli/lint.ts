// onym lint: which names clients and providers refuse, change or confuse when nothing stands in front of them.

import type { Profile } from "@onym/core";
import { Option } from "commander";
import { loadConfig } from "../config/load-config.js";
import { countNoun } from "./count-noun.js";
import { countFindings, type Finding, type LintResult } from "./finding.js";
import { formatFindings } from "./format-findings.js";
import { formatGithub } from "./format-github.js";
import { formatSarif } from "./format-sarif.js";
import { lintConfig, lintName, lintTools } from "./lint-findings.js";
import type { DefineCommand, ExitCode } from "./main.js";
import { noteUnread } from "./open-snapshot.js";
import { addProfilesOption, profileOf } from "./options.js";
import { type Terminal, writeJson } from "./terminal.js";
import { usageError } from "./usage-error.js";

interface LintOptions {
  readonly config?: string;
  readonly profile?: readonly string[];
  readonly name?: string;
  readonly tools?: string;
  readonly url?: string;
  readonly format?: "text" | "json" | "sarif" | "github";
  readonly json?: boolean;
}

/** The specification, the three large providers, and the three clients with the narrowest rules. */
const USUAL = ["mcp", "openai", "anthropic", "gemini", "claude-code", "cursor", "vscode"];

const EXAMPLES = `
Examples:
  onym lint                                     the tools of the config
  onym lint --tools tools.json --profile openai
  onym lint --name "search files"
  onym lint --format sarif > onym.sarif         for code scanning
  onym lint --format github                     annotations in a GitHub workflow`;

export const defineLint: DefineCommand = (command, { terminal, run }) => {
  command.argument("[command...]", "after --: a server to start and ask (comes with the gateway)");
  addProfilesOption(command, `whose rules (default: ${USUAL.join(" ")})`)
    .option("--name <text>", "check one name")
    .option("--tools <file>", "check the tools of a file: a list, or the answer to tools/list")
    .option("--url <url>", "check a running server (comes with the gateway)")
    .option("-c, --config <file>", "the config to read (default: onym.json, else a client's file here)")
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json", "sarif", "github"]))
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action((started: readonly string[], options: LintOptions) =>
      run(() => printFindings(started, options, terminal)),
    );
};

async function printFindings(
  started: readonly string[],
  options: LintOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (started.length > 0 || options.url !== undefined) {
    throw usageError(
      "Connecting to a server is not built yet: it arrives with the gateway.",
      "Save the answer to tools/list in a file and use --tools FILE.",
    );
  }
  if (options.name !== undefined && options.tools !== undefined) {
    throw usageError("--name and --tools do not go together.", "Use one of them.");
  }
  if (options.json === true && options.format !== undefined && options.format !== "json") {
    throw usageError(`--json and --format ${options.format} do not go together.`, "Use one of them.");
  }
  const profiles = (options.profile ?? USUAL).map(profileOf);
  const { findings, tools } = findAll(options, profiles, terminal);
  const format = options.json === true ? "json" : (options.format ?? "text");
  if (findings.length === 0 && format === "text" && terminal.isTTY) {
    const checked = `${countNoun(tools, "tool")}, ${countNoun(profiles.length, "profile")}`;
    await terminal.out(`${terminal.paint("green", "✓")} ${checked}: nothing found.\n`);
  } else await print(findings, format, terminal);
  return countFindings(findings).errors > 0 ? 1 : 0;
}

function findAll(options: LintOptions, profiles: readonly Profile[], terminal: Terminal): LintResult {
  if (options.name !== undefined) return lintName(options.name, profiles);
  if (options.tools !== undefined) return lintTools(options.tools, profiles, terminal.cwd);
  const config = loadConfig({ file: options.config, env: terminal.env, cwd: terminal.cwd });
  noteUnread(config, terminal);
  return lintConfig(config, profiles);
}

async function print(findings: readonly Finding[], format: string, terminal: Terminal): Promise<void> {
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
