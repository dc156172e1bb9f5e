// The last calls, for who watches: kept in memory, bounded, reported as they end; and what a plot is drawn from.

import { escapeText } from "@onym/core";
import { copyText } from "../mcp/json.js";
import { METHODS } from "../mcp/methods.js";
import type { CallReport, CallSink } from "../model/call-report.js";
import { type Log, type LogSubject, readFact } from "../model/log.js";
import type { Steps } from "../model/run-slices.js";

/** Beyond these the audit has them. */
const MAX_CALLS = 2_000;
/** A plot shows an hour, a point for every half minute. */
const SLOT_MS = 30_000;
const SLOTS = 120;
/** Of each slot, to compute quantiles from. */
const MAX_TIMES = 200;
/** A page has room for a dozen plots. */
const MAX_SERIES = 20;

export interface CallLog extends CallSink {
  /** The newest last. */
  readonly recent: () => readonly CallReport[];
  readonly find: (id: number) => CallReport | undefined;
  readonly listen: (listener: (report: CallReport) => void) => () => void;
  /** Of each server that was called within the hour. */
  readonly totals: (counts: CountsCall) => readonly RateTotals[];
  /** Of those that were called most. */
  readonly seriesSteps: (by: "server" | "tool", counts: CountsCall) => Steps<readonly RateSeries[]>;
}

type CountsCall = (report: CallReport) => boolean;

interface RateTotals {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** ms. */
  readonly p50: number;
  readonly p95: number;
}

export interface RateSeries extends RateTotals {
  /** Of each slot, the oldest first; the median in ms. */
  readonly slots: readonly (readonly [calls: number, errors: number, p50: number])[];
}

export function createCallLog(now: () => number): CallLog {
  const reports: CallReport[] = [];
  const listeners = new Set<(report: CallReport) => void>();
  const beginOf = (): number => Math.ceil(now() / SLOT_MS) * SLOT_MS - SLOTS * SLOT_MS;
  const groupsOf = (by: "server" | "tool", counts: CountsCall, begin: number): CallGroup[] => {
    const groups = new Map<string, CallReport[]>();
    for (const report of reports) {
      if (report.tool === undefined || report.at < begin || !counts(report)) continue;
      if (METHODS.get(report.method)?.runsTool !== true) continue;
      const name = by === "server" ? report.tool.server : report.tool.canonical;
      const group = groups.get(name) ?? [];
      groups.set(name, group);
      group.push(report);
    }
    return [...groups].map(([name, group]) => ({ name, reports: group }));
  };
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
    totals: (counts) => groupsOf("server", counts, beginOf()).map(totalsOf),
    *seriesSteps(by, counts) {
      const begin = beginOf();
      const most = groupsOf(by, counts, begin)
        .sort((a, b) => b.reports.length - a.reports.length)
        .slice(0, MAX_SERIES);
      yield;
      const series: RateSeries[] = [];
      for (const group of most) {
        series.push({ ...totalsOf(group), slots: slotsOf(group, begin) });
        yield;
      }
      return series;
    },
  };
}

interface CallGroup {
  readonly name: string;
  readonly reports: readonly CallReport[];
}

function isFailure({ outcome }: Pick<CallReport, "outcome">): boolean {
  return outcome === "error" || outcome === "tool_error";
}

function totalsOf({ name, reports }: CallGroup): RateTotals {
  const at = quantiles(reports.slice(-MAX_TIMES));
  return {
    name,
    calls: reports.length,
    errors: reports.filter(isFailure).length,
    p50: at(0.5),
    p95: at(0.95),
  };
}

function slotsOf({ reports }: CallGroup, begin: number): RateSeries["slots"] {
  const slots = new Map<number, CallReport[]>();
  for (const report of reports) {
    const index = Math.min(SLOTS - 1, Math.floor((report.at - begin) / SLOT_MS));
    const slot = slots.get(index) ?? [];
    slots.set(index, slot);
    slot.push(report);
  }
  return Array.from({ length: SLOTS }, (_, index) => {
    const slot = slots.get(index);
    return slot === undefined ? NO_CALLS : [slot.length, slot.filter(isFailure).length, quantiles(slot)(0.5)];
  });
}

const NO_CALLS = [0, 0, 0] as const;

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
      const said = [text, readFact(reason), readFact(line)].filter((part) => part !== undefined).join(": ");
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
