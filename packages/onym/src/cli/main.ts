// The command line: which commands exist, how usage mistakes and errors end. Each command is loaded when it is called.

import { Command, CommanderError } from "commander";
import { showError } from "./show-error.js";
import type { Terminal } from "./terminal.js";

/** 0 fine, 1 findings or not resolved, 2 usage or configuration (Appendix A); 70 is a bug in Onym. */
export type ExitCode = 0 | 1 | 2 | 70;

/** What a command may use: the outside, and the way to hand back its exit code. */
interface CommandEdge {
  readonly terminal: Terminal;
  /** Of this program. */
  readonly version: string;
  /** What stands after `--`. */
  readonly started: readonly string[];
  /** There is a `--`, with or without anything after it. */
  readonly hasDashes: boolean;
  /** Runs the command and keeps its exit code. */
  readonly run: (work: () => Promise<ExitCode> | ExitCode) => Promise<void>;
}

export type DefineCommand = (command: Command, edge: CommandEdge) => void;

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<DefineCommand>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: "serve",
    summary: "the gateway: one MCP server in front of many",
    load: async () => (await import("./serve.js")).defineServe,
  },
  {
    name: "init",
    summary: "a first config from the clients on this machine; how to register Onym in them",
    load: async () => (await import("./init.js")).defineInit,
  },
  {
    name: "doctor",
    summary: "what is wrong with the setup, and how to mend it",
    load: async () => (await import("./doctor.js")).defineDoctor,
  },
  {
    name: "names",
    summary: "the name of every tool in one client or provider",
    load: async () => (await import("./names.js")).defineNames,
  },
  {
    name: "resolve",
    summary: "which tool a name leads to",
    load: async () => (await import("./resolve.js")).defineResolve,
  },
  {
    name: "explain",
    summary: "how a name was resolved, what the tool is, and its name everywhere",
    load: async () => (await import("./explain.js")).defineExplain,
  },
  {
    name: "lint",
    summary: "names that clients and providers refuse, change or confuse",
    load: async () => (await import("./lint.js")).defineLint,
  },
  {
    name: "matrix",
    summary: "tools × clients: the name each client shows",
    load: async () => (await import("./matrix.js")).defineMatrix,
  },
  {
    name: "profiles",
    summary: "the rules of clients and providers, with their sources",
    load: async () => (await import("./profiles.js")).defineProfiles,
  },
  {
    name: "lock",
    summary: "records the names given out, so that none ever moves",
    load: async () => (await import("./lock.js")).defineLock,
  },
  {
    name: "diff",
    summary: "names added, kept, retired and moved between two locks or configs",
    load: async () => (await import("./diff.js")).defineDiff,
  },
  {
    name: "token",
    summary: "a new token for a client that connects over HTTP",
    load: async () => (await import("./token.js")).defineToken,
  },
  {
    name: "login",
    summary: "signs in to a server that asks for it",
    load: async () => (await import("./login.js")).defineLogin,
  },
  {
    name: "logout",
    summary: "forgets a sign-in, and tells the other side",
    load: async () => (await import("./logout.js")).defineLogout,
  },
  {
    name: "approvals",
    summary: "what waits for a decision, and what was decided",
    load: async () => (await import("./approvals.js")).defineApprovals,
  },
  {
    name: "approve",
    summary: "shows what a tool is and what has changed, and approves exactly that",
    load: async () => (await import("./approve.js")).defineApprove,
  },
  {
    name: "deny",
    summary: "turns down what waits for a decision",
    load: async () => (await import("./deny.js")).defineDeny,
  },
  {
    name: "revoke",
    summary: "takes a decision back",
    load: async () => (await import("./revoke.js")).defineRevoke,
  },
  {
    name: "audit",
    summary: "the record of calls: look, verify, export, prune",
    load: async () => (await import("./audit.js")).defineAudit,
  },
  {
    name: "policy",
    summary: "which rule decides about a call, and letting new tools in",
    load: async () => (await import("./policy.js")).definePolicy,
  },
  {
    name: "renames",
    summary: "old names: how long they work, who still calls them, and likely renames",
    load: async () => (await import("./renames.js")).defineRenames,
  },
  {
    name: "import",
    summary: "a config from another tool's, with the names it used",
    load: async () => (await import("./import.js")).defineImport,
  },
];

const EXAMPLES = `
Examples:
  onym serve                              the gateway, for clients to connect to
  onym matrix --demo                      a first look, with a bundled example
  onym names --profile claude-code        the names Claude Code gets
  onym resolve sf_create_lead             which tool is that?
  onym lint --name "search files"         would this name work?
  onym names --live                       with the tools that servers list now
  onym doctor                             what is wrong, and how to mend it
  onym lock && onym lock --check          record the names; fail when they drift
  onym approvals                          what waits for a decision

The config is onym.json, or the file of a client in this folder;
name another with --config.
Exit codes: 0 fine, 1 findings or not resolved, 2 usage or configuration.`;

/** Runs one command line, without the program's own name: `["names", "--profile", "openai"]`. */
export async function main(args: readonly string[], terminal: Terminal, version: string): Promise<ExitCode> {
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
    .version(version, "-V, --version", "print the version; -v too")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EXAMPLES);
  quietly(program, terminal);
  const wanted = args[0] === "help" ? args[1] : args[0];
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary).description(summary);
    quietly(command, terminal);
    if (name === wanted) (await load())(command, edge);
  }
  try {
    if (args.length === 0) program.outputHelp();
    else if (args[0] === "help" && wanted !== undefined && !isCommand(wanted))
      program.error(`error: unknown command '${wanted}'`);
    else await program.parseAsync(args[0] === "-v" ? ["--version"] : [...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return showError(error, terminal);
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

function isCommand(word: string): boolean {
  return word === "help" || word.startsWith("-") || COMMANDS.some(({ name }) => name === word);
}

/** Throws instead of leaving the process, and writes where the terminal says. */
function quietly(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError("(onym help shows the commands, onym COMMAND --help their options)")
    .configureOutput({
      writeOut: (text) => void terminal.out(text),
      writeErr: (text) => terminal.err(visible(text)),
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.columns ?? 100,
    });
}

/** Usage errors repeat what was typed. As `escapeText` does it, without loading the library to refuse a flag. */
function visible(text: string): string {
  return text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}
