// Text → decisions. What cannot be read is dropped with a finding, and nothing that is dropped makes anything approved
// that was not: an entry that cannot be read may have been a rejection, so it takes the approvals of its tool with it.

import type { CallId } from "../identity/call-id.js";
import { escapeText } from "../names/escape-text.js";
import type { ParseResult, Problem } from "../names/problem.js";
import { type ApprovalKey, approvalKeysOfCatalogTool } from "./approval-keys.js";
import type { Decisions } from "./decide-tool-call.js";
import { type CallDecisionKey, callDecisionKeyOf, type Verdict } from "./decision-record.js";
import { DECISIONS_FORMAT } from "./format-decisions.js";
import { type Read, readAlways, readCall, readStanding, subjectsOf } from "./read-decisions.js";
import { findRepeatedKeys } from "./repeated-keys.js";
import { type StandingDecision, type StandingKey, standingKeyOf } from "./standing-record.js";

export interface RestoredDecisions extends Decisions {
  /** One for each decision that was dropped. */
  readonly problems: readonly Problem[];
}

interface Placed<T> {
  readonly place: string;
  readonly value: T;
}

const SECTIONS = ["always", "calls", "tools"] as const;

/**
 * Reads what `formatDecisions` wrote. Refuses the whole file with `decisions-newer` where a later version of the
 * program wrote it, with `decisions-corrupt` where it is no file of decisions.
 *
 * @example
 * const parsed = parseDecisions(text);
 * if (parsed.ok) for (const problem of parsed.value.problems) console.warn(problem.message);
 */
export function parseDecisions(text: string): ParseResult<RestoredDecisions> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? escapeText(error.message) : "unknown reason";
    return { ok: false, problem: corrupt(`it is not JSON (${reason})`) };
  }
  const repeated = findRepeatedKeys(text);
  const problem = repeated.has("") ? corrupt("it has a field twice") : checkFile(json);
  if (problem !== undefined) return { ok: false, problem };
  const file = json as Readonly<Record<(typeof SECTIONS)[number], readonly unknown[]>>;
  return { ok: true, value: restore(file, repeated) };
}

function restore(
  file: Readonly<Record<(typeof SECTIONS)[number], readonly unknown[]>>,
  repeated: ReadonlySet<string>,
): RestoredDecisions {
  const problems: Problem[] = [];
  const doubtful = {
    keys: new Set<ApprovalKey>(),
    callIds: new Set<CallId>(),
    standing: new Set<StandingKey>(),
  };
  const read = <T>(section: (typeof SECTIONS)[number], readOne: (json: unknown) => Read<T>): Placed<T>[] =>
    file[section].flatMap((json, index) => {
      const place = `${section}[${index}]`;
      const result = repeated.has(place) ? { ok: false as const, reason: TWICE } : readOne(json);
      if (result.ok) return [{ place, value: result.value }];
      problems.push(dropped("decision-malformed", place, result.reason));
      const subjects = subjectsOf(json);
      for (const key of subjects.keys) doubtful.keys.add(key);
      for (const id of subjects.callIds) doubtful.callIds.add(id);
      for (const key of subjects.standing) doubtful.standing.add(key);
      return [];
    });
  const always = read("always", readAlways);
  const calls = read("calls", readCall);
  const tools = read("tools", readStanding);

  for (const key of repeatedOf(always.map(({ value }) => value.key))) doubtful.keys.add(key);
  for (const key of repeatedOf(tools.map(({ value }) => standingKeyOf(value)))) doubtful.standing.add(key);
  const places = calls.flatMap(({ value: { callId, keys } }) =>
    keys.map((key) => [callDecisionKeyOf(callId, key), key] as const),
  );
  const twice = repeatedOf(places.map(([place]) => place));
  for (const [place, key] of places) if (twice.has(place)) doubtful.keys.add(key);

  /** A rejection is kept in any case; an approval only where nothing else may have spoken against it. */
  const isKept = (place: string, verdict: Verdict, isDoubtful: boolean): boolean => {
    if (verdict === "approved" && isDoubtful) problems.push(dropped("decision-doubtful", place, DOUBTFUL));
    return verdict === "rejected" || !isDoubtful;
  };
  const restoredAlways = new Map<ApprovalKey, Verdict>();
  for (const { place, value } of always) {
    if (isKept(place, value.verdict, doubtful.keys.has(value.key)))
      restoredAlways.set(value.key, value.verdict);
  }
  const restoredCalls = new Map<CallDecisionKey, { readonly verdict: Verdict; readonly order: number }>();
  for (const [order, { place, value }] of calls.entries()) {
    const { callId, keys, verdict } = value;
    if (!isKept(place, verdict, doubtful.callIds.has(callId) || keys.some((key) => doubtful.keys.has(key))))
      continue;
    for (const key of keys) restoredCalls.set(callDecisionKeyOf(callId, key), { verdict, order });
  }
  const standing = new Map<StandingKey, StandingDecision>();
  for (const { place, value } of tools) {
    const key = standingKeyOf(value);
    const byKey = doubtful.keys.has(approvalKeysOfCatalogTool(value.tool).canonical);
    if (isKept(place, value.verdict, byKey || doubtful.standing.has(key))) standing.set(key, value);
  }
  const record = { always: restoredAlways, calls: restoredCalls, size: calls.length };
  return { record, standing, problems };
}

function repeatedOf<K>(keys: readonly K[]): ReadonlySet<K> {
  const seen = new Set<K>();
  return new Set(keys.filter((key) => seen.has(key) || !seen.add(key)));
}

function checkFile(json: unknown): Problem | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return corrupt("it is not an object");
  const fields = new Map<string, unknown>(Object.entries(json));
  const format = fields.get("onymDecisions");
  if (typeof format === "number" && format > DECISIONS_FORMAT) return newer(format);
  if (format !== DECISIONS_FORMAT) return corrupt(`"onymDecisions" is not ${DECISIONS_FORMAT}`);
  const missing = SECTIONS.find((section) => !Array.isArray(fields.get(section)));
  if (missing !== undefined) return corrupt(`"${missing}" is not a list`);
  return fields.size === SECTIONS.length + 1 ? undefined : corrupt("it has a field that is not known");
}

const TWICE = "it has a field twice";
const DOUBTFUL = "another decision about the same tool cannot be read, or contradicts it";

function dropped(code: string, place: string, reason: string): Problem {
  return {
    code,
    severity: "warning",
    message: `The decision ${place} was dropped: ${reason}.`,
    fix: "Nothing is allowed because of it. Decide again when asked, or restore the file from a copy.",
  };
}

function corrupt(reason: string): Problem {
  return {
    code: "decisions-corrupt",
    severity: "error",
    message: `The decisions cannot be read: ${reason}.`,
    fix: "Restore the file from a copy. Without it nothing is approved, and rejections are lost too.",
  };
}

function newer(format: number): Problem {
  return {
    code: "decisions-newer",
    severity: "error",
    message: `The decisions have format ${format}; this program knows formats up to ${DECISIONS_FORMAT}.`,
    fix: "Use the version of Onym that wrote them, or a later one.",
  };
}
