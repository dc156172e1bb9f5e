// Text → decisions. Unreadable entries are dropped with a problem, and never make anything approved that was not.

import { ownField } from "../../identity/name-parts.js";
import { escapeText } from "../../names/escape-text.js";
import type { ParseResult, Problem } from "../../names/problem.js";
import type { Decisions } from "./decide-tool-call.js";
import { createDoubt, type Placed } from "./decision-doubt.js";
import {
  type CallDecision,
  type CallDecisionKey,
  callDecisionKeyOf,
  type Verdict,
} from "./decision-record.js";
import { DECISIONS_FORMAT } from "./format-decisions.js";
import {
  type Read,
  readAlways,
  readCall,
  readStanding,
  type Section,
  type Subjects,
  subjectsOfAlways,
  subjectsOfCall,
  subjectsOfStanding,
} from "./read-decisions.js";
import { standingKeyOf } from "./standing-record.js";

export interface RestoredDecisions extends Decisions {
  /** One per dropped decision. */
  readonly problems: readonly Problem[];
}

type DecisionFile = Readonly<Record<Section, readonly unknown[]>>;

const SECTIONS: readonly Section[] = ["always", "calls", "tools"];

/** In format 1, decisions about calls were not bound to arguments, so approvals among them are dropped (ID-11). */
const FORMATS: readonly unknown[] = [1, DECISIONS_FORMAT];

/**
 * Reads the output of `formatDecisions`. Rejects the whole file with `decisions-newer` if a later version of the
 * program wrote it, and with `decisions-corrupt` if it is not a decisions file.
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
  return { ok: true, value: restore(json as DecisionFile, repeated) };
}

function restore(file: DecisionFile, repeated: ReadonlySet<string>): RestoredDecisions {
  const problems: Problem[] = [];
  const doubt = createDoubt();
  const read = <T>(
    section: Section,
    readOne: (json: unknown) => Read<T>,
    subjectsOf: (json: unknown) => Subjects,
  ): Placed<T>[] =>
    file[section].flatMap((json, index) => {
      const place = `${section}[${index}]`;
      const isTwice = repeated.has(place);
      const result = isTwice ? { ok: false as const, reason: "it has a field twice" } : readOne(json);
      if (result.ok) return [{ place, value: result.value }];
      problems.push(dropped("decision-malformed", place, result.reason));
      if (isTwice || ownField(json, "verdict") !== "approved")
        doubt.cast(section, isTwice ? { ...subjectsOf(json), isWhole: false } : subjectsOf(json));
      return [];
    });
  const always = read("always", readAlways, subjectsOfAlways);
  const calls = read("calls", readCall, subjectsOfCall);
  const tools = read("tools", readStanding, subjectsOfStanding);
  doubt.castOnRepeated({ always, calls, tools });

  /** A rejection is always kept; an approval only if nothing else may have rejected the same subject. */
  const keep = <T extends { readonly verdict: Verdict }>(
    entries: readonly Placed<T>[],
    isDoubtful: (value: T) => boolean,
  ): readonly T[] =>
    entries.flatMap(({ place, value }) => {
      if (value.verdict === "rejected" || !isDoubtful(value)) return [value];
      problems.push(dropped("decision-doubtful", place, DOUBTFUL));
      return [];
    });
  const restored = new Map<CallDecisionKey, CallDecision>();
  for (const [order, { callId, keys, verdict, call }] of keep(calls, doubt.ofCall).entries()) {
    for (const key of keys)
      restored.set(callDecisionKeyOf(call ?? { callId }, key), { verdict, order, call });
  }
  const record = {
    always: new Map(keep(always, doubt.ofAlways).map(({ key, verdict }) => [key, verdict])),
    calls: restored,
    size: calls.length,
  };
  const standing = new Map(keep(tools, doubt.ofStanding).map((value) => [standingKeyOf(value), value]));
  return { record, standing, problems };
}

function checkFile(json: unknown): Problem | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return corrupt("it is not an object");
  const fields = new Map<string, unknown>(Object.entries(json));
  const format = fields.get("onymDecisions");
  if (typeof format === "number" && format > DECISIONS_FORMAT) return newer(format);
  if (!FORMATS.includes(format)) return corrupt(`"onymDecisions" is not ${DECISIONS_FORMAT}`);
  const missing = SECTIONS.find((section) => !Array.isArray(fields.get(section)));
  if (missing !== undefined) return corrupt(`"${missing}" is not a list`);
  return fields.size === SECTIONS.length + 1 ? undefined : corrupt("it has a field that is not known");
}

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

// Finds fields that occur twice in one object. JSON.parse silently keeps the last one, so a rejection could read as
// an approval.

interface Frame {
  /** For an object: the keys so far. */
  readonly keys: Set<string> | undefined;
  /** For a list: the position of the item. Unused for an object. */
  index: number;
  /** For an object: whether the next string is a key. */
  expectsKey: boolean;
  lastKey: string;
}

/**
 * Where a file of lists contains a repeated key: `tools[3]` for the third entry of a list, `""` for the file
 * itself. `text` must be valid JSON. One pass.
 */
export function findRepeatedKeys(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const frame = frames.at(-1);
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      if (frame?.keys !== undefined && frame.expectsKey) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (frame.keys.has(key)) found.add(placeOf(frames));
        frame.keys.add(key);
        frame.lastKey = key;
        frame.expectsKey = false;
      }
      at = end;
    } else if (character === "{") {
      frames.push({ keys: new Set(), index: 0, expectsKey: true, lastKey: "" });
    } else if (character === "[") {
      frames.push({ keys: undefined, index: 0, expectsKey: false, lastKey: "" });
    } else if (character === "}" || character === "]") {
      frames.pop();
    } else if (character === "," && frame !== undefined) {
      frame.index += 1;
      frame.expectsKey = frame.keys !== undefined;
    }
  }
  return found;
}

/** The offset of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}

function placeOf(frames: readonly Frame[]): string {
  const [file, list] = frames;
  return frames.length < 3 ? "" : `${file?.lastKey}[${list?.index}]`;
}
