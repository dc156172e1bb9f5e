// Which approvals of a damaged file must not be trusted. An unreadable entry may have been a rejection, so
// everything it may have rejected becomes undecided. Damage never makes anything approved.

import type { CallId } from "../../identity/layers/call-id.js";
import { type ApprovalKey, approvalKeysOfCatalogTool } from "../approval-keys.js";
import { callDecisionKeyOf } from "./decision-record.js";
import type { AlwaysEntry, CallEntry, Section, Subjects } from "./read-decisions.js";
import { type StandingDecision, type StandingKey, standingKeyOf } from "./standing-record.js";

/** An entry and its position in the file. */
export interface Placed<T> {
  readonly place: string;
  readonly value: T;
}

export interface Doubt {
  /** Distrust everything that the lost entry may have overruled. */
  readonly cast: (section: Section, lost: Subjects) => void;
  /** Distrust subjects that are decided twice: the file does not show which decision came later. */
  readonly castOnRepeated: (entries: {
    readonly always: readonly Placed<AlwaysEntry>[];
    readonly calls: readonly Placed<CallEntry>[];
    readonly tools: readonly Placed<StandingDecision>[];
  }) => void;
  readonly ofAlways: (entry: AlwaysEntry) => boolean;
  readonly ofCall: (entry: CallEntry) => boolean;
  readonly ofStanding: (entry: StandingDecision) => boolean;
}

export function createDoubt(): Doubt {
  const keys = new Set<ApprovalKey>();
  const callIds = new Set<CallId>();
  const standing = new Set<StandingKey>();
  let isEverything = false;
  let isAllStanding = false;
  const isDoubtful = (key: ApprovalKey): boolean => isEverything || keys.has(key);
  return {
    cast(section, lost) {
      for (const key of lost.keys) keys.add(key);
      for (const id of lost.callIds) callIds.add(id);
      for (const key of lost.standing) standing.add(key);
      // If it is unknown what was lost: a decision about a call overrules all others, one by key overrules standing
      // approvals, and a standing one overrules none, because each subject has only one.
      if (!lost.isWhole && section === "calls") isEverything = true;
      if (!lost.isWhole && section !== "tools") isAllStanding = true;
    },
    castOnRepeated({ always, calls, tools }) {
      for (const key of repeatedOf(always.map(({ value }) => value.key))) keys.add(key);
      for (const key of repeatedOf(tools.map(({ value }) => standingKeyOf(value)))) standing.add(key);
      const places = calls.flatMap(({ value }) =>
        value.keys.map((key) => ({
          place: callDecisionKeyOf(value.call ?? value, key),
          callId: value.callId,
        })),
      );
      const twice = repeatedOf(places.map(({ place }) => place));
      for (const { place, callId } of places) if (twice.has(place)) callIds.add(callId);
    },
    ofAlways: ({ key }) => isDoubtful(key),
    ofCall: (entry) => callIds.has(entry.callId) || entry.keys.some(isDoubtful),
    ofStanding: (entry) =>
      isAllStanding ||
      standing.has(standingKeyOf(entry)) ||
      isDoubtful(approvalKeysOfCatalogTool(entry.tool).canonical),
  };
}

function repeatedOf<K>(keys: readonly K[]): ReadonlySet<K> {
  const seen = new Set<K>();
  return new Set(keys.filter((key) => seen.has(key) || !seen.add(key)));
}
