// One command line on a set of commands: how usage mistakes and errors end. Each command is loaded when it is called.

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { nameProgram, nameProgramInHelp, PACKAGE_FOLDER } from "../output/package-folder.js";
import type { ExitCode } from "../output/show-error.js";
import { showError } from "../output/show-error.js";
import type { Terminal } from "../output/terminal.js";
import { type CommandEdge, type CommandEntry, HELP_COMMAND, HELP_HINT } from "./command.js";
import { MIN_BESIDE, wrapHelp } from "./wrap-help.js";

export interface CommandLine {
  /** Without the program's own name: `["names", "--profile", "openai"]`. */
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly version: string;
}

/** Of help in a pipe. */
const USUAL_COLUMNS = 100;

const VERSION_FLAGS: ReadonlySet<string | undefined> = new Set(["-V", "-v", "--version"]);

const EXAMPLES = `
Examples:
  onym matrix --demo                      a first look, with a bundled example
  onym connect                            the clients you have; onym connect cursor connects one
  onym serve                              the gateway, for clients to connect to
  onym names --profile claude-code        the names Claude Code gets
  onym resolve sf_create_lead             which tool is that?
  onym lint --name "search files"         would this name work?
  onym names --live                       with the tools that servers list now
  onym doctor                             what is wrong, and how to fix it
  onym lock && onym lock --check          record the names; fail when they drift
  onym approvals                          what waits for a decision

The config is onym.json in this folder, else a client's file here, else your own (~/.config/onym/onym.json on Linux);
name another with --config.
Exit codes: 0 fine, 1 findings or not resolved, 2 usage or configuration.
onym COMMAND --help shows the options of a command, and examples.`;

export async function runCommands(
  commands: readonly CommandEntry[],
  { args, terminal, version }: CommandLine,
): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const edge: CommandEdge = {
    terminal,
    version,
    hasDashes: args.includes("--"),
    started: args.includes("--") ? args.slice(args.indexOf("--") + 1) : [],
    run: async (work) => {
      exitCode = await work();
    },
  };
  const program = new Command("onym")
    .description("One identity for every AI tool, and a name for it that is valid in every client.")
    .version(
      VERSION_FLAGS.has(args[0]) ? versionWithBuild(version) : version,
      "-V, --version",
      "print the version and its build; -v too",
    )
    .helpOption("-h, --help", "print this help")
    .commandsGroup("Setting up:")
    .helpCommand(...HELP_COMMAND)
    .addHelpText("after", EXAMPLES);
  quietly(program, terminal);
  const wanted = args[0] === "help" ? args[1] : args[0];
  for (const { name, group, summary, load } of commands) {
    const command = program.command(name).summary(summary).description(summary).helpGroup(`${group}:`);
    quietly(command, terminal);
    if (name === wanted) (await load())(command, edge);
  }
  try {
    if (args.length === 0) program.outputHelp();
    // As if it had been called, which says what may have been meant.
    else if (args[0] === "help" && wanted !== undefined && !isCommand(wanted, commands))
      await program.parseAsync([wanted], { from: "user" });
    else await program.parseAsync(args[0] === "-v" ? ["--version"] : [...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, terminal);
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

function isCommand(word: string, commands: readonly CommandEntry[]): boolean {
  return word === "help" || word.startsWith("-") || commands.some(({ name }) => name === word);
}

/** Throws instead of leaving the process, and writes where the terminal says. */
function quietly(command: Command, terminal: Terminal): void {
  const { columns, errColumns, env } = terminal;
  command
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError(`(${nameProgram(HELP_HINT, terminal.env)})`)
    .configureHelp({ minWidthToWrap: MIN_BESIDE })
    .configureOutput({
      writeOut: (text) => void terminal.out(wrapHelp(nameProgramInHelp(text, env), columns)),
      writeErr: (text) => terminal.err(wrapHelp(nameProgramInHelp(visible(text), env), errColumns)),
      getOutHelpWidth: () => columns ?? USUAL_COLUMNS,
      getErrHelpWidth: () => errColumns ?? USUAL_COLUMNS,
    });
}

/** Usage errors repeat what was typed. As `escapeText` does it, without loading the library to refuse a flag. */
function visible(text: string): string {
  return text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

// Which build this is, for --version: the commit it was made from and that commit's day, as tools/bundle.mjs wrote them.

/** `0.1.0 (7b87ece, 2026-11-17)`; the version alone where the build did not know its commit. */
function versionWithBuild(version: string): string {
  const { commit, date } = readBuild();
  return typeof commit === "string" && typeof date === "string" ? `${version} (${commit}, ${date})` : version;
}

function readBuild(): { readonly commit?: unknown; readonly date?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(new URL("dist/build.json", PACKAGE_FOLDER), "utf8")));
  } catch {
    return {};
  }
}
