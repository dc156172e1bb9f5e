// What a command is: its entry in the help, how it is defined, and how it ends.

import type { Command } from "commander";
import type { ExitCode } from "../output/show-error.js";
import type { Terminal } from "../output/terminal.js";

/** What a command may use: the outside, and the way to hand back its exit code. */
export interface CommandEdge {
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

export interface CommandEntry {
  readonly name: string;
  /** Under which the help lists it. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<DefineCommand>;
}

/** After a usage error. */
export const HELP_HINT = "onym help shows the commands, onym COMMAND --help their options";

/** Where there are commands below a command, too. */
export const HELP_COMMAND = ["help [command]", "print the help of a command"] as const;
