// The lock beside the tools that are there: what is on record for nobody, not on record yet, or defined otherwise by now (LOCK-1).

import type { Lock } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import type { GatewaySnapshot } from "../../gateway/catalog/gateway-snapshot.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { ConsoleContext } from "../console-context.js";

export interface LockReport {
  readonly names: number;
  readonly tools: number;
  /** Names that are kept for tools that are not there now. */
  readonly kept: number;
  readonly drift: LockDrift;
}

interface LockDrift {
  /** On record, and listed by no server now. */
  readonly gone: SomeTools;
  /** Listed, and given to no client yet. */
  readonly unrecorded: SomeTools;
  /** With another definition than the one on record. */
  readonly redefined: SomeTools;
}

interface SomeTools {
  readonly count: number;
  /** Canonical names. */
  readonly first: readonly string[];
}

const MAX_SHOWN = 20;

/** For operators: it counts tools that are hidden from callers. */
export function readLock({ gateway, lock }: ConsoleContext): Promise<LockReport> {
  return compare(gateway.snapshot(), lock());
}

/** A page asks every few seconds; both change seldom. */
let last: { snapshot: GatewaySnapshot; lock: Lock; report: Promise<LockReport> } | undefined;

function compare(snapshot: GatewaySnapshot, lock: Lock): Promise<LockReport> {
  if (last?.snapshot !== snapshot || last.lock !== lock)
    last = { snapshot, lock, report: runInSlices(compareSteps(snapshot, lock)) };
  return last.report;
}

function* compareSteps({ tools: { catalog } }: GatewaySnapshot, lock: Lock): Steps<LockReport> {
  const named = new Set<string>();
  let [names, kept] = [0, 0];
  for (const profile of lock.profiles.values()) {
    for (const { key } of profile.names.values()) {
      names += 1;
      named.add(key);
      if (catalog.toolWithKey(key) === undefined) kept += 1;
      if (names % STEP === 0) yield;
    }
  }
  const unrecorded: string[] = [];
  const redefined: string[] = [];
  for (const { key, canonical, definition } of catalog.tools) {
    yield;
    const digest = lock.tools.get(key)?.digest ?? "";
    if (!named.has(key)) unrecorded.push(canonical);
    else if (digest !== "" && digest !== definitionDigest(definition)) redefined.push(canonical);
  }
  // A renamed tool goes on as its successor.
  const gone = [...lock.tools]
    .filter(([key, { successor }]) => successor === undefined && catalog.toolWithKey(key) === undefined)
    .map(([, { canonical }]) => canonical);
  return {
    names,
    tools: lock.tools.size,
    kept,
    drift: { gone: someOf(gone), unrecorded: someOf(unrecorded), redefined: someOf(redefined) },
  };
}

function someOf(canonicals: readonly string[]): SomeTools {
  return { count: canonicals.length, first: canonicals.slice(0, MAX_SHOWN) };
}

/** Names a step. */
const STEP = 1_000;
