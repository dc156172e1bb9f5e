// Calls as they end, for who may see them: an operator all, anybody else their own.

import { escapeText } from "@onym/core";
import type { CallReport } from "../../model/call-report.js";
import type { RateSeries } from "../call-log.js";
import type { ConsoleContext, Viewer } from "../console-context.js";

export type ShownCall = Omit<CallReport, "tool"> & {
  readonly tool?: NonNullable<CallReport["tool"]>;
};

const MAX_SENT = 300;

export function showCall({ tool, sent, ...report }: CallReport): ShownCall {
  return {
    ...report,
    sent: sent === undefined ? undefined : escapeText(sent).slice(0, MAX_SENT),
    ...(tool === undefined ? {} : { tool }),
  };
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
  return {
    calls: calls.recent().filter(sees).slice(-MAX_SHOWN).reverse().map(showCall),
    servers: calls.rates("server", sees),
    tools: calls.rates("tool", sees).slice(0, MAX_TOOLS),
  };
}
