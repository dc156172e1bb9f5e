// onym resolve: text → tool, for one text or for every line of the input.

import { escapeText, type ResolveContext, type Resolver } from "@onym/core";
import { explainStep } from "@onym/core/resolve";
import type { Config } from "../../config/config.js";
import type { ExitCode } from "../../output/show-error.js";
import { formatJson, type Terminal, writeJson } from "../../output/terminal.js";
import { toolLabel } from "../../output/wording.js";
import { noteLeft } from "../catalog/left-out.js";
import { type Opened, type OpenOptions, openLiveSnapshot, reportOrigin } from "../catalog/open-live.js";
import type { DefineCommand } from "../command.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addLiveOption,
  addProfileOption,
} from "../options.js";
import { readLines } from "../read-lines.js";
import { usageError } from "../usage-error.js";
import { contextOf } from "./context-of.js";
import { formatResolution } from "./format-resolution.js";
import { findHidden } from "./hidden-tools.js";
import { reportResolution } from "./report-resolution.js";

interface ResolveOptions extends OpenOptions {
  readonly profile?: string;
  readonly server?: string;
  readonly toolbox?: string;
  readonly stdin?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  onym resolve sf_create_lead
  onym resolve "salesforce@v1/Create_Lead" --json
  onym resolve search --server docs
  onym resolve -- -strange-
  printf 'sf_create_lead\\n"a\\\\u0000b"\\n' | onym resolve --stdin`;

export const defineResolve: DefineCommand = (command, { terminal, run, version }) => {
  command.argument("[text]", "any spelling of a tool");
  addProfileOption(command, "whose names come first (default: naming.profile of the config, else universal)");
  addAliasOption(command)
    .option("--server <id>", "the server a raw name belongs to")
    .option("--toolbox <id>", "the toolbox a raw name belongs to")
    .option(
      "--stdin",
      "resolve every line of the input, plain text or a JSON string; one JSON object per line",
    );
  addCatalogOptions(addLiveOption(command));
  addJsonOption(command)
    .addHelpText("after", EXAMPLES)
    .action((text: string | undefined, options: Omit<ResolveOptions, "version">) =>
      run(() => printResolution(text, { ...options, version }, terminal)),
    );
};

async function printResolution(
  text: string | undefined,
  options: ResolveOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if ((text === undefined) === (options.stdin !== true)) {
    throw usageError("Give one text, or --stdin.", "For example: onym resolve sf_create_lead");
  }
  const checkConfig = (read: Config): void => void contextOf(options, read);
  const opened = await openLiveSnapshot({ ...options, checkConfig }, terminal);
  const { config, snapshot } = opened;
  const profile = options.profile ?? config.naming.profile ?? "universal";
  const resolve = snapshot.resolverFor(profile);
  const context = contextOf(options, config);
  noteLeft(opened, terminal);
  if (text === undefined) return resolveLines({ resolve, profile, context, opened }, terminal);

  const resolution = resolve(text, context);
  const hidden = findHidden(opened.hidden, { text, resolution }, { profile, context });
  if (options.json === true)
    await writeJson(terminal, { ...reportResolution(text, resolution, hidden), ...reportOrigin(opened) });
  else if (resolution.outcome === "resolved") {
    const { tool, step, warnings } = resolution;
    await terminal.out(`${terminal.paint("bold", escapeText(tool.canonical))}\n`);
    await terminal.out(`${terminal.paint("dim", `  ${toolLabel(tool)}: ${explainStep(step)}`)}\n`);
    for (const warning of warnings)
      terminal.err(`${terminal.paintErr("yellow", "warning:")} ${escapeText(warning)}\n`);
  } else {
    const [summary = ""] = snapshot.explain(text, { profile, context });
    const lines = formatResolution(summary, { text, resolution }, { problems: snapshot.problems, hidden });
    terminal.err(`${lines.join("\n")}\n`);
  }
  return resolution.outcome === "resolved" ? 0 : 1;
}

interface ResolvedWith {
  readonly resolve: Resolver;
  readonly profile: string;
  readonly context: ResolveContext;
  readonly opened: Opened;
}

/** One report a line, written in large pieces and never faster than they are read. */
async function resolveLines(
  { resolve, profile, context, opened }: ResolvedWith,
  terminal: Terminal,
): Promise<ExitCode> {
  const origin = reportOrigin(opened);
  let isAllResolved = true;
  for await (const lines of readLines(terminal.stdin)) {
    let reports = "";
    for (const line of lines) {
      const text = readLine(line);
      const resolution = resolve(text, context);
      isAllResolved &&= resolution.outcome === "resolved";
      const hidden = findHidden(opened.hidden, { text, resolution }, { profile, context });
      reports += `${formatJson({ ...reportResolution(text, resolution, hidden), ...origin })}\n`;
    }
    await terminal.out(reports);
  }
  return isAllResolved ? 0 : 1;
}

/** A line that is a JSON string stands for it, so that a text with a line break can be asked for. */
function readLine(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : line;
  } catch {
    return line;
  }
}
