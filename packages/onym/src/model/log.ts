// The gateway's log: one line per event on stderr, for people or for machines.

import { escapeText } from "@onym/core";

type LogSeverity = "debug" | "info" | "warn" | "error";

type LogFact = string | number | boolean | undefined;

/**
 * Structured values besides the text. They are escaped for display; never put a secret here. A function is called only where the
 * event is written: for values that take work.
 */
type LogFacts = Readonly<Record<string, LogFact | (() => LogFact)>>;

/** The server that an event is about. A server can write anything into the text, but not here. */
export interface LogSubject {
  readonly server: string;
  readonly toolbox: string | undefined;
  /** `down`: it has just become that. Its status says so too, so an output that shows the status may skip the line. */
  readonly event?: "down";
}

/** `about` is set for events of one server, whose texts name it. */
export type Log = (severity: LogSeverity, text: string, facts?: LogFacts, about?: LogSubject) => void;

export interface LogOptions {
  readonly write: (line: string) => void;
  /** The minimum severity that is written. */
  readonly least: LogSeverity;
  readonly json: boolean;
  readonly now: () => number;
}

const SEVERITIES: readonly LogSeverity[] = ["debug", "info", "warn", "error"];

export function createLog({ write, least, json, now }: LogOptions): Log {
  const floor = SEVERITIES.indexOf(least);
  return (severity, text, facts = {}, about = undefined) => {
    if (SEVERITIES.indexOf(severity) < floor) return;
    const time = new Date(now()).toISOString();
    const shownFacts =
      json && about !== undefined ? { server: about.server, toolbox: about.toolbox, ...facts } : facts;
    const present = Object.entries(shownFacts)
      .map(([key, fact]) => [key, readFact(fact)] as const)
      .filter(([, value]) => value !== undefined);
    if (json) {
      const shown = present.map(([key, value]) => [
        key,
        typeof value === "string" ? escapeText(value) : value,
      ]);
      write(`${JSON.stringify({ time, severity, text: escapeText(text), ...Object.fromEntries(shown) })}\n`);
      return;
    }
    const tail = present.map(([key, value]) => ` ${key}=${formatFact(String(value))}`).join("");
    write(`${time.slice(11, 19)} ${severity.padEnd(5)} ${escapeText(text)}${tail}\n`);
  };
}

/** The value of a fact of an event that is kept or written. */
export function readFact(fact: LogFacts[string]): LogFact {
  return typeof fact === "function" ? fact() : fact;
}

function formatFact(value: string): string {
  const shown = escapeText(value);
  return /[\s"=]/.test(shown) ? JSON.stringify(shown) : shown;
}

export const silentLog: Log = () => {};
