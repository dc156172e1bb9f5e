// The output of serve on stderr: lines for people, or only JSON log objects.

import { formatDuration } from "../model/clock.js";
import { createLog, type Log } from "../model/log.js";
import { OnymError } from "../model/onym-error.js";
import type { ExitCode } from "../output/show-error.js";
import { showError } from "../output/show-error.js";
import type { Terminal } from "../output/terminal.js";

type Facts = Parameters<Log>[2];

export interface LogOutput {
  readonly log: Log;
  /**
   * The log for events that progress output also shows: each failure appears there once, not on every
   * attempt.
   */
  readonly gatewayLog: Log;
  /** For code that writes notes; with `--log-json` each becomes an object. */
  readonly terminal: Terminal;
  readonly say: (text: string, facts?: Facts) => void;
  /** Something that needs attention while Onym continues. */
  readonly warn: (text: string, facts?: Facts) => void;
  /** Prints it like every command does, or as one object. `about` states the consequence. */
  readonly fail: (error: unknown, about?: string) => ExitCode;
}

/** The message when a gateway is asked to stop. */
export function sayClosing(drainMs: number): string {
  return `onym: shutting down: waiting up to ${formatDuration(drainMs)} for calls in flight; send the signal again to stop now`;
}

export interface LogOutputOptions {
  readonly verbose?: boolean;
  readonly logJson?: boolean;
}

export function createLogOutput(terminal: Terminal, { verbose, logJson }: LogOutputOptions): LogOutput {
  const json = logJson === true;
  const least = verbose === true ? "debug" : json ? "info" : "warn";
  const log = createLog({ write: terminal.err, least, json, now: Date.now });
  if (json) return createJsonOutput(terminal, log);
  return {
    log,
    gatewayLog: verbose === true ? log : withoutDown(log),
    terminal,
    say: (text) => terminal.err(`${text}\n`),
    warn: (text) => terminal.err(`onym: ${text}\n`),
    fail(error, about) {
      if (about !== undefined) terminal.err(`onym: ${about}\n`);
      return showError(error, terminal);
    },
  };
}

function createJsonOutput(terminal: Terminal, log: Log): LogOutput {
  const err = (text: string): void => log("info", text.trim());
  const quiet: Terminal = { ...terminal, err, errColumns: undefined, paintErr: (_, text) => text };
  return {
    log,
    gatewayLog: log,
    terminal: quiet,
    say: (text, facts) => log("info", text, facts),
    warn: (text, facts) => log("warn", text, facts),
    fail(error, about) {
      if (!(error instanceof OnymError))
        return showError(error, { ...quiet, err: (text) => log("error", oneLine(text)) });
      const text = oneLine(error.message);
      log("error", about === undefined ? text : `${about}: ${text}`, { hint: oneLine(error.hint) });
      return 2;
    },
  };
}

/** Progress output shows which servers are down, and says it once; the log would say it on every attempt. */
function withoutDown(log: Log): Log {
  return (severity, text, facts, about) => {
    if (about?.event !== "down") log(severity, text, facts, about);
  };
}

function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
