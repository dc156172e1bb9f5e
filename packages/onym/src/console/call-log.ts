// The last calls, for who watches: kept in memory, bounded, reported as they end; and what a plot is drawn from.

import { escapeText } from "@onym/core";
import { copyText } from "../mcp/json.js";
import type { CallReport, CallSink } from "../model/call-report.js";
import type { Log, LogSubject } from "../model/log.js";

/** Beyond these the audit has them. */
const MAX_CALLS = 2_000;
/** A plot shows an hour, a point for every half minute. */
const SLOT_MS = 30_000;
const SLOTS = 120;
/** Of each slot, to compute quantiles from. */
const MAX_TIMES = 200;

export interface CallLog extends CallSink {
  /** The newest last. */
  readonly recent: () => readonly CallReport[];
  readonly find: (id: number) => CallReport | undefined;
  readonly listen: (listener: (report: CallReport) => void) => () => void;
  readonly rates: (by: "server" | "tool", sees: (report: CallReport) => boolean) => readonly RateSeries[];
}

export interface RateSeries {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** ms. */
  readonly p50: number;
  readonly p95: number;
  /** Of each slot, the oldest first; the median in ms. */
  readonly slots: readonly (readonly [calls: number, errors: number, p50: number])[];
}

export function createCallLog(now: () => number): CallLog {
  const reports: CallReport[] = [];
  const listeners = new Set<(report: CallReport) => void>();
  return {
    ended(report) {
      if (report.method === "tools/list" || report.method === "server/discover") return;
      reports.push(report);
      // In one go now and then: to move all with every call costs more.
      if (reports.length > MAX_CALLS * 1.25) reports.splice(0, reports.length - MAX_CALLS);
      for (const listener of listeners) listener(report);
    },
    recent: () => reports.slice(-MAX_CALLS),
    find: (id) => reports.find((report) => report.id === id),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    rates(by, sees) {
      const end = Math.ceil(now() / SLOT_MS) * SLOT_MS;
      const begin = end - SLOTS * SLOT_MS;
      const groups = new Map<string, CallReport[]>();
      for (const report of reports) {
        if (report.tool === undefined || report.at < begin || !sees(report)) continue;
        const name = by === "server" ? report.tool.server : report.tool.canonical;
        const group = groups.get(name) ?? [];
        groups.set(name, group);
        group.push(report);
      }
      return [...groups]
        .map(([name, group]) => seriesOf(name, group, begin))
        .sort((a, b) => b.calls - a.calls);
    },
  };
}

function isFailure({ outcome }: Pick<CallReport, "outcome">): boolean {
  return outcome === "error" || outcome === "tool_error";
}

function seriesOf(name: string, group: readonly CallReport[], begin: number): RateSeries {
  const slots = Array.from({ length: SLOTS }, (): CallReport[] => []);
  for (const report of group)
    slots[Math.min(SLOTS - 1, Math.floor((report.at - begin) / SLOT_MS))]?.push(report);
  const at = quantiles(group.slice(-MAX_TIMES));
  return {
    name,
    calls: group.length,
    errors: group.filter(isFailure).length,
    p50: at(0.5),
    p95: at(0.95),
    slots: slots.map((each) => [each.length, each.filter(isFailure).length, quantiles(each)(0.5)]),
  };
}

function quantiles(reports: readonly CallReport[]): (share: number) => number {
  const times = reports.map(({ ms }) => ms).sort((a, b) => a - b);
  return (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

// The last log lines about each server, for who looks why it is down. Whose a line is, the event says, never its text: servers
// write what they like to stderr and into errors.

const MAX_LINES = 2_000;
const SHOWN = 50;
const MAX_LINE_LENGTH = 4_000;

export interface LogTail {
  /** The log itself, which is also kept. */
  readonly log: Log;
  readonly about: (subject: LogSubject) => readonly string[];
}

interface KeptLine {
  readonly text: string;
  readonly server: string | undefined;
  /** `undefined` if the event names a server by its id alone. */
  readonly subject: LogSubject | undefined;
}

export function createLogTail(log: Log, now: () => number): LogTail {
  let lines: KeptLine[] = [];
  return {
    log(severity, text, facts, about) {
      log(severity, text, facts, about);
      const time = new Date(now()).toISOString().slice(11, 19);
      const { line, reason } = facts ?? {};
      const said = [text, reason, line].filter((part) => part !== undefined).join(": ");
      lines.push({
        text: copyText(`${time} ${severity} ${escapeText(said.slice(0, MAX_LINE_LENGTH))}`),
        ...subjectOf(facts, about),
      });
      if (lines.length > MAX_LINES * 1.25) lines = lines.slice(-MAX_LINES);
    },
    about: ({ server, toolbox }) =>
      lines
        .filter(
          (line) =>
            line.server === server && (line.subject === undefined || line.subject.toolbox === toolbox),
        )
        .slice(-SHOWN)
        .map(({ text }) => text),
  };
}

/** Events of a server's connection have a subject; others name servers in their facts. */
function subjectOf(facts: Parameters<Log>[2] = {}, about?: LogSubject): Omit<KeptLine, "text"> {
  if (about !== undefined) return { server: about.server, subject: about };
  const { server, toolbox } = facts;
  if (typeof server !== "string") return { server: undefined, subject: undefined };
  return { server, subject: typeof toolbox === "string" ? { server, toolbox } : undefined };
}
