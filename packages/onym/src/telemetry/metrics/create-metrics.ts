// The numbers of a gateway: counted as each request ends, read when they are scraped (OBS-1). Labels are bounded: tools beyond a
// thousand count under `other`, and what leads to no tool under `unknown`.

import { escapeText } from "@onym/core";
import { METHODS } from "../../mcp/methods.js";
import {
  CALL_PHASES,
  type CallReport,
  type CallSink,
  type RefusalReason,
  type ReportedTool,
} from "../../model/call-report.js";
import type { Family, Sample } from "./metric-table.js";
import { CounterTally, HistogramTally, OTHER } from "./tally.js";

export interface Metrics extends CallSink {
  /** A request that was refused before anybody read it. */
  readonly refused: (reason: RefusalReason) => void;
  readonly serverFailed: (server: string, toolbox: string | undefined) => void;
  /** All that was counted, and what `gauges` reads now. */
  readonly read: () => Promise<readonly Family[]>;
}

/** What is not counted but looked at. */
export type ReadGauges = () => Promise<readonly Family[]>;

/** Each has about 25 series of its own. */
const MAX_TOOLS = 1_000;
/** Characters of a label. Ids of servers come from the config, which does not limit them. */
const MAX_LABEL = 300;
const UNKNOWN = "unknown";

/** What is counted of one tool, under one canonical name. */
interface ToolTally {
  readonly canonical: string;
  readonly labels: readonly [key: string, canonical: string, server: string];
  readonly seconds: HistogramTally;
  readonly outcomes: Map<string, { value: number }>;
  deprecated: number;
}

export function createMetrics(gauges: ReadGauges): Metrics {
  const tools = new Map<string, ToolTally>();
  const methods = new Map<string, HistogramTally>();
  const resolutions = new CounterTally();
  const refusals = new CounterTally();
  const requests = new CounterTally();
  const failures = new CounterTally();
  const own = new HistogramTally([]);

  /** To make a key of two texts costs more than all else here. */
  const met = new WeakMap<ReportedTool, ToolTally>();
  const tallyOf = (tool: ReportedTool | undefined): ToolTally => {
    const known = tool === undefined ? undefined : met.get(tool);
    if (known !== undefined) return known;
    const made = findTally(tool);
    if (tool !== undefined) met.set(tool, made);
    return made;
  };
  const findTally = (tool: ReportedTool | undefined): ToolTally => {
    const key = tool === undefined ? UNKNOWN : `${tool.key}\u0000${tool.canonical}`;
    const found = tools.get(key);
    if (found !== undefined) return found;
    const isFull = tools.size >= MAX_TOOLS && tool !== undefined;
    const at = isFull ? OTHER : key;
    const made = tools.get(at) ?? newTally(isFull ? OTHER : UNKNOWN, isFull ? undefined : tool);
    tools.set(at, made);
    return made;
  };
  const methodOf = (method: string): HistogramTally => {
    const tally = methods.get(method) ?? new HistogramTally([method]);
    methods.set(method, tally);
    return tally;
  };

  const ended = (report: CallReport): void => {
    const { tool, outcome, ms } = report;
    // Clients may send any method.
    const { isObserved, runsTool } = METHODS.get(report.method) ?? {};
    const method = isObserved ? report.method : OTHER;
    requests.add([method, outcome]);
    methodOf(method).observe(ms / 1000);
    if (report.reason !== undefined && outcome === "refused") refusals.add([report.reason]);
    if (!runsTool) return;
    if (report.step !== undefined) resolutions.add([report.step]);
    const tally = tallyOf(tool);
    const count = tally.outcomes.get(outcome);
    if (count === undefined) tally.outcomes.set(outcome, { value: 1 });
    else count.value += 1;
    tally.seconds.observe(ms / 1000);
    if (report.isDeprecated) tally.deprecated += 1;
    own.observe(ownMs(report) / 1000);
  };

  return {
    ended,
    refused: (reason) => refusals.add([reason]),
    serverFailed: (server, toolbox) => failures.add([shown(server), shown(toolbox ?? "")]),
    async read() {
      const counted = [...tools.values()];
      const perTool = (samplesOf: (tally: ToolTally) => readonly Sample[]): readonly Sample[] =>
        counted.flatMap(samplesOf);
      return [
        {
          name: "onym_calls_total",
          samples: perTool(({ labels, outcomes }) =>
            [...outcomes].map(([outcome, { value }]) => ({ labels: [...labels, outcome], value })),
          ),
        },
        { name: "onym_call_duration_seconds", histograms: counted.map(({ seconds }) => seconds.sample()) },
        { name: "onym_gateway_duration_seconds", histograms: [own.sample()] },
        {
          name: "onym_deprecated_calls_total",
          samples: perTool(({ labels, deprecated }) =>
            deprecated === 0 ? [] : [{ labels, value: deprecated }],
          ),
        },
        { name: "onym_resolutions_total", samples: resolutions.samples() },
        { name: "onym_refusals_total", samples: refusals.samples() },
        { name: "onym_requests_total", samples: requests.samples() },
        {
          name: "onym_request_duration_seconds",
          histograms: [...methods.values()].map((tally) => tally.sample()),
        },
        { name: "onym_server_failures_total", samples: failures.samples() },
        ...(await gauges()),
      ];
    },
  };
}

function newTally(name: string, tool: ReportedTool | undefined): ToolTally {
  const labels =
    tool === undefined
      ? ([name, name, name] as const)
      : ([shown(tool.key), shown(tool.canonical), shown(tool.server)] as const);
  return {
    canonical: tool?.canonical ?? name,
    labels,
    seconds: new HistogramTally(labels),
    outcomes: new Map(),
    deprecated: 0,
  };
}

/** Texts of servers: one line, nothing that could be taken for something else, and not too long. */
export function shown(text: string): string {
  const safe = escapeText(text);
  return safe.length <= MAX_LABEL ? safe : `${safe.slice(0, MAX_LABEL)}…`;
}

/** Without the server, and without people. */
function ownMs({ ms, phases }: CallReport): number {
  let others = 0;
  let before = 0;
  for (const name of CALL_PHASES) {
    const end = phases[name];
    if (end === undefined) continue;
    if (name === "server" || name === "ask") others += end - before;
    before = end;
  }
  return Math.max(0, ms - others / 1000);
}
