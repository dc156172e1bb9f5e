// onym lint: which names clients and providers refuse, change or confuse when nothing stands in front of them.

import { escapeText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { ProfileSet } from "@onym/core/profiles";
import { InvalidArgumentError, Option } from "commander";
import { profileOf } from "../../../configured/profile-of.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { countNoun, pathFromHere } from "../../../output/wording.js";
import { noteLeft } from "../../catalog/left-out.js";
import {
  type LiveOptions,
  type OpenedTools,
  openLive,
  openLiveSnapshot,
  reportOrigin,
} from "../../catalog/open-live.js";
import { profilesHere } from "../../catalog/profiles-here.js";
import type { DefineCommand } from "../../command.js";
import { addAliasOption, addProfilesOption, addServerOptions, refuseArguments } from "../../options.js";
import { usageError } from "../../usage-error.js";
import { writeRewrite } from "../mentions/rewrite-files.js";
import { findingKey, isIgnored, loadBaseline, writeBaseline } from "./baseline.js";
import { countFindings, type Finding, type LintResult } from "./finding.js";
import { formatFindings } from "./format-findings.js";
import { formatGithub } from "./format-github.js";
import { formatSarif } from "./format-sarif.js";
import { lintConfig, lintName, lintTools } from "./lint-findings.js";
import { lintSkills } from "./lint-skills.js";

interface LintOptions extends LiveOptions {
  readonly profile?: readonly string[];
  readonly name?: string;
  readonly tools?: string;
  readonly format?: "text" | "json" | "sarif" | "github";
  readonly as?: string;
  readonly ignore?: readonly string[];
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly maxWarnings?: number;
  /** Where SARIF and annotations point, of what is in no file. */
  readonly file?: string;
  readonly skills?: string;
  readonly fix?: boolean;
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
  onym lint --format github                     annotations in a GitHub workflow
  onym lint --ignore no-description --ignore 'too-long:admin_*'
  onym lint --baseline onym-lint.json --update-baseline
  onym lint --baseline onym-lint.json
  onym lint --skills .claude                    tools in skills and agents; --fix corrects names`;

export const defineLint: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  addProfilesOption(addAliasOption(addServerOptions(command)), `whose rules (default: ${USUAL.join(" ")})`)
    .option("--name <text>", "check one name")
    .option("--tools <file>", "check the tools of a file: a list, or the answer to tools/list")
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
    .addOption(new Option("--format <format>", "how to print").choices(["text", "json", "sarif", "github"]))
    .option("--json", "the same as --format json")
    .option("--ignore <code[:tool]>", "leave findings out: a code, or one for tools that match", collect)
    .option("--baseline <file>", "leave out the findings listed in this file")
    .option("--update-baseline", "with --baseline: write today's findings there")
    .addOption(new Option("--max-warnings <n>", "exit 1 with more warnings than this").argParser(readCount))
    .option("--file <path>", "where reports point when a finding is in no file (default: package.json)")
    .option("--skills <dir>", "check the tools that skills, agents and commands below a folder name")
    .option("--fix", "with --skills: write the names that the client shows")
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
  const ids = options.profile ?? USUAL;
  const result = await findAll({ ...options, ids }, terminal);
  if (options.updateBaseline === true && options.baseline !== undefined) {
    writeBaseline(options.baseline, result.findings, terminal.cwd);
    const count = countNoun(result.findings.length, "finding");
    await terminal.out(
      `${terminal.paint("green", "✓")} ${escapeText(options.baseline)} written: ${count}.\n`,
    );
    return 0;
  }
  const findings = unknownFindings(result.findings, options, terminal);
  const format = options.json === true ? "json" : (options.format ?? "text");
  if (findings.length === 0 && format === "text" && terminal.isTTY) {
    const what =
      options.skills === undefined ? countNoun(result.tools, "tool") : countNoun(result.tools, "file");
    const checked = options.skills === undefined ? `${what}, ${countNoun(ids.length, "profile")}` : what;
    await terminal.out(`${terminal.paint("green", "✓")} ${checked}: nothing found.\n`);
  } else await print({ ...result, findings }, { ...options, format }, terminal);
  const { errors, warnings } = countFindings(findings);
  return errors > 0 || warnings > (options.maxWarnings ?? Number.POSITIVE_INFINITY) ? 1 : 0;
}

/** Without what a flag or the baseline knows. */
function unknownFindings(
  findings: readonly Finding[],
  { ignore = [], baseline }: LintOptions,
  { cwd }: Terminal,
): readonly Finding[] {
  const known = baseline === undefined ? new Set<string>() : loadBaseline(baseline, cwd);
  return findings.filter((finding) => !isIgnored(finding, ignore) && !known.has(findingKey(finding)));
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function readCount(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("That is a number from 0 up.");
}

/** What is checked: one name, the tools of a file, a server, or a config. */
function refuseMixed(options: LintOptions): void {
  const { name, tools, url, live, static: isStatic, started = [], skills } = options;
  if (options.updateBaseline === true && options.baseline === undefined)
    throw usageError("--update-baseline goes with --baseline.", "Name the file: --baseline onym-lint.json.");
  if (options.fix === true && skills === undefined)
    throw usageError("--fix goes with --skills.", "Names of a server's tools are changed with onym migrate.");
  if (skills !== undefined && (name !== undefined || tools !== undefined))
    throw usageError("--skills goes with a config or a server.", "Leave --name and --tools away.");
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
  options: LintOptions & { readonly ids: readonly string[] },
  terminal: Terminal,
): Promise<LintResult & Pick<OpenedTools, "origin">> {
  const origin = undefined;
  const choiceOf = (known: ProfileSet) => ({
    profiles: options.ids.map((id) => profileOf(id, known)),
    as: options.as,
  });
  if (options.skills !== undefined)
    return { ...(await findInSkills(options.skills, options, terminal)), origin };
  if (options.name !== undefined || options.tools !== undefined) {
    const choice = choiceOf(profilesHere(options, terminal));
    if (options.name !== undefined) return { ...lintName(options.name, choice), origin };
    if (options.tools !== undefined) return { ...lintTools(options.tools, choice, terminal.cwd), origin };
  }
  const opened = await openLive(options, terminal);
  // What else is to be reported of servers is among the findings.
  noteLeft({ ...opened, left: [] }, terminal);
  const result = lintConfig(opened, choiceOf(opened.config.profiles));
  // There is no file to point at.
  return opened.isGiven
    ? { ...result, findings: result.findings.map(({ place: _, ...rest }) => rest), origin }
    : { ...result, origin: opened.origin };
}

async function findInSkills(folder: string, options: LintOptions, terminal: Terminal): Promise<LintResult> {
  const opened = await openLiveSnapshot(options, terminal);
  noteLeft(opened, terminal);
  const client = profileOf(options.profile?.[0] ?? "claude-code", opened.config.profiles);
  const as = options.as ?? opened.config.naming.as ?? DEFAULT_ALIAS;
  const linted = lintSkills({ folder, cwd: terminal.cwd, snapshot: opened.snapshot, client, as });
  if (options.fix !== true) return linted;
  for (const rewrite of linted.rewrites) writeRewrite(rewrite);
  // What was corrected is no finding any more.
  return { ...linted, findings: linted.findings.filter(({ code }) => code !== "skill-old-name") };
}

async function print(
  { findings, suggestions, origin }: LintResult & Pick<OpenedTools, "origin">,
  { format, file, version }: Pick<LintOptions, "file" | "version"> & { readonly format: string },
  terminal: Terminal,
): Promise<void> {
  const { cwd } = terminal;
  const fallback = file === undefined ? "package.json" : pathFromHere(file, cwd);
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
        suggestions: [...(suggestions ?? [])].map(([tool, name]) => ({ tool, name })),
        summary: countFindings(findings),
        ...reportOrigin({ origin }),
      });
    case "sarif":
      return writeJson(terminal, formatSarif(findings, { cwd, version, fallback }));
    case "github":
      return terminal.out(formatGithub(findings, { cwd, fallback }));
    default: {
      const lines = formatFindings(
        { findings, ...(suggestions === undefined ? {} : { suggestions }) },
        terminal,
      );
      return lines.length === 0 ? undefined : terminal.out(`${lines.join("\n")}\n`);
    }
  }
}
