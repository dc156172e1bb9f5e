// Calls as they end. An operator sees all, everybody else their own.

import { escapeText } from "@onym/core";
import type { Config } from "../../config/config.js";
import { policyOf, subjectNamed } from "../../configured/policy-of.js";
import { CALL_PHASES, type CallReport } from "../../model/call-report.js";
import type { Steps } from "../../model/run-slices.js";
import type { Policy } from "../../policy/build-policy.js";
import type { RateSeries } from "../call-log.js";
import type { ConsoleContext, Viewer } from "../console-context.js";

export type ShownCall = Omit<CallReport, "tool" | "hidden" | "confinedTo" | "request" | "phases"> & {
  readonly request: string;
  readonly tool?: NonNullable<CallReport["tool"]>;
  /** Those that it went through, in order; the end in ms from its beginning. */
  readonly phases: readonly { readonly name: string; readonly end: number }[];
};

const MAX_SENT = 300;

/** Not while the caller waits: what a hidden tool is shown with takes longer than an unknown name (GW-6). */
export function showCall(
  context: Pick<ConsoleContext, "config" | "gateway">,
  given: CallReport,
  viewer: Viewer,
): ShownCall {
  const {
    tool,
    hidden: _hidden,
    confinedTo: _confinedTo,
    sent,
    request,
    phases,
    ...report
  } = viewer.isOperator ? asDenied(given, context) : asHeard(given);
  return {
    ...report,
    request: String(request),
    phases: CALL_PHASES.flatMap((name) => {
      const end = phases[name];
      return end === undefined ? [] : [{ name, end: end / 1000 }];
    }),
    sent: sent === undefined ? undefined : escapeText(sent).slice(0, MAX_SENT),
    ...(tool === undefined ? {} : { tool }),
  };
}

const policies = new WeakMap<Config, Policy>();

/** To an operator, with the tool that was meant and the rule, by the policy that is in force now. */
function asDenied(
  report: CallReport,
  { config, gateway }: Pick<ConsoleContext, "config" | "gateway">,
): CallReport {
  const { hidden, principal } = report;
  if (hidden === undefined) return report;
  const inForce = config();
  const policy = policies.get(inForce) ?? policyOf(inForce, gateway.snapshot().tools);
  policies.set(inForce, policy);
  const { effect, rule } = policy.decide(hidden, subjectNamed(principal, inForce), () => false);
  const { key, canonical, server, toolbox } = hidden;
  return {
    ...report,
    tool: { key, canonical, server, toolbox },
    decision: "deny",
    rule: effect === "deny" ? rule : undefined,
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

/** A caller sees its own calls, but none that it made with more toolboxes than it has now. */
export function seesCall({ isOperator, principal, confinedTo }: Viewer): (report: CallReport) => boolean {
  return (report) =>
    isOperator || (report.principal === principal && isWithin(report.confinedTo, confinedTo));
}

function isWithin(theirs: CallReport["confinedTo"], own: Viewer["confinedTo"]): boolean {
  return own === undefined || theirs?.every((toolbox) => own.includes(toolbox)) === true;
}

/** To its caller, a call that a rule denied is none of its tool or server. */
export function countsCall(viewer: Viewer): (report: CallReport) => boolean {
  const sees = seesCall(viewer);
  return (report) => sees(report) && (viewer.isOperator || !isDenied(report));
}

export interface CallsReport {
  /** The newest first. */
  readonly calls: readonly ShownCall[];
  readonly servers: readonly RateSeries[];
  readonly tools: readonly RateSeries[];
}

const MAX_SHOWN = 500;

/** A call per step: to decide again about those that a rule denied takes as long as there are rules (SAFE-4). */
export function* callsSteps(context: ConsoleContext, viewer: Viewer): Steps<CallsReport> {
  const { calls } = context;
  const shown: ShownCall[] = [];
  for (const report of calls.recent().filter(seesCall(viewer)).slice(-MAX_SHOWN).reverse()) {
    shown.push(showCall(context, report, viewer));
    yield;
  }
  const counts = countsCall(viewer);
  return {
    calls: shown,
    servers: yield* calls.seriesSteps("server", counts),
    tools: yield* calls.seriesSteps("tool", counts),
  };
}
