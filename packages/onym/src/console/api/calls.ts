// Calls as they end, for who may see them: an operator all, anybody else their own.

import { escapeText } from "@onym/core";
import type { CallReport } from "../../model/call-report.js";
import type { RateSeries } from "../call-log.js";
import type { ConsoleContext, Viewer } from "../console-context.js";

export type ShownCall = Omit<CallReport, "tool"> & {
  readonly tool?: NonNullable<CallReport["tool"]>;
};

const MAX_SENT = 300;

export function showCall(given: CallReport, viewer: Viewer): ShownCall {
  const { tool, sent, ...report } = viewer.isOperator ? given : asHeard(given);
  return {
    ...report,
    sent: sent === undefined ? undefined : escapeText(sent).slice(0, MAX_SENT),
    ...(tool === undefined ? {} : { tool }),
  };
}

/** To its caller, a call that a rule denied is one of a tool that does not exist (GW-6, POL-7). */
function asHeard(report: CallReport): CallReport {
  if (report.outcome !== "refused") return report;
  if (!isDenied(report)) return { ...report, call: undefined };
  return {
    ...report,
    call: undefined,
    tool: undefined,
    step: "unknown",
    isDeprecated: false,
    decision: undefined,
    rule: undefined,
    reason: "unknown",
  };
}

function isDenied({ reason }: CallReport): boolean {
  return reason === "policy";
}

export function seesCall(viewer: Viewer): (report: CallReport) => boolean {
  return (report) => viewer.isOperator || report.principal === viewer.principal;
}

export interface CallsReport {
  /** The newest first. */
  readonly calls: readonly ShownCall[];
  readonly servers: readonly RateSeries[];
  readonly tools: readonly RateSeries[];
}

const MAX_SHOWN = 500;
const MAX_TOOLS = 20;

export function readCalls({ calls }: ConsoleContext, viewer: Viewer): CallsReport {
  const sees = seesCall(viewer);
  const counts = (report: CallReport): boolean => sees(report) && (viewer.isOperator || !isDenied(report));
  return {
    calls: calls
      .recent()
      .filter(sees)
      .slice(-MAX_SHOWN)
      .reverse()
      .map((report) => showCall(report, viewer)),
    servers: calls.rates("server", counts),
    tools: calls.rates("tool", counts).slice(0, MAX_TOOLS),
  };
}
