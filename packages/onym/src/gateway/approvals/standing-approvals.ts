// The approvals in force as this process knows them: read from the store, and again after each change by any
// process. Also what an approval of one call is bound to.

import { hash } from "node:crypto";
import { type ToolBinding, toolBindingOf } from "@onym/core/approvals";
import { canonicalJson } from "@onym/core/identity";
import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { shortMember, unreadBytesOf } from "../../mcp/fast-path/unread-object.js";
import { isJsonObject } from "../../mcp/json.js";
import type { Log } from "../../model/log.js";
import {
  buildStandingCache,
  type StandingCache,
  type StandingState,
  type StandingSubject,
} from "../../policy/decide-call.js";
import type { DecisionStore, Store, StoredApproval } from "../../store/store.js";
import type { CallEnd, GuardedCall, TargetIdentity } from "../calls/guard.js";
import { describeError } from "../failure-codes.js";
import { setBounded } from "../set-bounded.js";

export interface StandingApprovals extends Pick<StoreMirror<unknown>, "refresh" | "changes" | "close"> {
  /** Whether anything was decided for the principal; otherwise `find` finds nothing. */
  readonly has: (principal: string) => boolean;
  readonly find: (subject: StandingSubject) => StandingState;
  /** The newest decision about any tool of the line that was for more than one call, also if revoked by now; 0 for none. */
  readonly lastId: (subject: StandingSubject) => number;
}

export interface StandingOptions {
  readonly store: Pick<DecisionStore, "approvals" | "watch">;
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
  readonly log: Log;
  readonly retryMs?: number;
}

/** Reads before it resolves, so that every call is decided with the approvals in force. */
export async function createStandingApprovals(options: StandingOptions): Promise<StandingApprovals> {
  const { store, now, log, retryMs } = options;
  const ends = createEnds(options);
  /** The store returns only the newest decision, so those that were seen are remembered. */
  const lastIds = new Map<string, number>();
  let read: readonly StoredApproval[] | undefined;
  const { current, refresh, changes, close } = await createStoreMirror({
    what: "approvals",
    // Includes expired ones: they explain why approval is needed again.
    load: async (before: StandingCache | undefined) => {
      const rows = await store.approvals.standing();
      ends.note(rows);
      if (before !== undefined && rows === read) return before;
      read = rows;
      for (const row of rows) if (row.isOnce !== true) lastIds.set(subjectKey(row), row.id);
      return buildStandingCache(rows);
    },
    watch: store.watch,
    log,
    retryMs,
  });
  return {
    has: (principal) => current().has(principal),
    find(subject) {
      const state = current().find(subject, now());
      if (state.kind === "none" || !ends.isOver(state)) return state;
      return { ...state, kind: "expired" };
    },
    lastId: ({ principal, tool, lineage }) =>
      Math.max(
        ...[tool, ...(lineage?.line ?? [])].map(
          (key) => lastIds.get(subjectKey({ principal, tool: key })) ?? 0,
        ),
      ),
    refresh,
    changes,
    close() {
      ends.markExpired();
      close();
    },
  };
}

function subjectKey({ principal, tool }: Pick<StandingSubject, "principal" | "tool">): string {
  return JSON.stringify([principal, tool]);
}

/**
 * Tracks when decisions expire. An expired decision stays expired: a monotonic clock ensures it in this
 * process, a mark in the store for later ones. Setting the wall clock back revives none.
 */
function createEnds({ store, now, elapsed = () => performance.now(), log }: StandingOptions) {
  /** In `elapsed` time, for each decision with an end that is not marked yet. */
  const deadlines = new Map<number, number>();
  const mark = (id: number): void => {
    deadlines.set(id, Number.NEGATIVE_INFINITY);
    store.approvals
      .expire(id)
      .catch((error: unknown) =>
        log("warn", `the end of the decision ${id} cannot be stored: ${describeError(error)}`),
      );
  };
  const markExpired = (): void => {
    for (const [id, deadline] of deadlines)
      if (deadline !== Number.NEGATIVE_INFINITY && deadline <= elapsed()) mark(id);
  };
  return {
    note(rows: readonly StoredApproval[]): void {
      const present = new Set<number>();
      for (const { id, expiresAt, revokedAt } of rows) {
        if (expiresAt === undefined || revokedAt !== undefined) continue;
        present.add(id);
        if (!deadlines.has(id)) deadlines.set(id, elapsed() + expiresAt - now());
      }
      for (const id of deadlines.keys()) if (!present.has(id)) deadlines.delete(id);
      markExpired();
    },
    isOver({ id, kind }: StandingState & { readonly id: number }): boolean {
      const deadline = deadlines.get(id);
      if (deadline === undefined) return kind === "expired";
      const isOver = kind === "expired" || deadline <= elapsed();
      if (isOver && deadline !== Number.NEGATIVE_INFINITY) mark(id);
      return isOver;
    },
    markExpired,
  };
}

// A part of the store as this process knows it: read whole, and again after each change by any process.

export interface StoreMirror<Value> {
  readonly current: () => Value;
  /** Resolves when the current content of the store is known here. */
  readonly refresh: () => Promise<void>;
  /** Called after each change. */
  readonly changes: Set<() => void>;
  readonly close: () => void;
}

export interface MirrorOptions<Value> {
  /** Names the data in messages. */
  readonly what: string;
  /** Returns the same value if nothing changed. */
  readonly load: (before: Value | undefined) => Promise<Value>;
  readonly watch: Store["watch"];
  readonly log: Log;
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 1_000;

/** Reads before it resolves. If the store cannot be read later, the last value stays. */
export async function createStoreMirror<Value>(options: MirrorOptions<Value>): Promise<StoreMirror<Value>> {
  const { what, load, watch, log, retryMs = RETRY_MS } = options;
  const changes = new Set<() => void>();
  let value = await load(undefined);
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const before = value;
    try {
      value = await load(before);
    } catch (error) {
      if (isClosed) return;
      // The store announces a change only once: without a retry a revocation would be missed.
      log("error", `${what} cannot be read again: ${describeError(error)}`);
      clearTimeout(retry);
      retry = setTimeout(() => void refresh(), retryMs).unref();
      return;
    }
    if (value === before) return;
    for (const listener of [...changes]) {
      try {
        listener();
      } catch (error) {
        // A bug in one listener must not keep changes from the others.
        log("error", `a change of ${what} could not be announced: ${describeError(error)}`);
      }
    }
  };
  /** One after the other: an older state must not replace a newer one. */
  const refresh = (): Promise<void> => {
    next ??= reading.then(() => {
      next = undefined;
      reading = isClosed ? Promise.resolve() : read();
      return reading;
    });
    return next;
  };
  const stopWatching = watch(() => void refresh());
  return {
    current: () => value,
    refresh,
    changes,
    close() {
      isClosed = true;
      clearTimeout(retry);
      stopWatching();
    },
  };
}

// Calls that were approved once and whose server then asked for input. Their next request belongs to the same
// call and needs no new approval. Each grant works once, for the same caller, tool, definition and arguments.

export interface CallGrants {
  /** Grants the next request of a call, if the reply asks for one. */
  readonly give: (call: GuardedCall, end: CallEnd) => void;
  /** Whether the call is granted; uses the grant up. */
  readonly take: (call: GuardedCall) => boolean;
}

export function createCallGrants(max = 1_000): CallGrants {
  const left = new Map<string, number>();
  return {
    give(call, end) {
      const state = hasReadableArguments(call) ? askedBackState(end) : undefined;
      if (state === undefined) return;
      const key = grantKey(call, state);
      setBounded(left, key, (left.get(key) ?? 0) + 1, max);
    },
    take(call) {
      const { requestState: state } = call.params;
      if (typeof state !== "string" || left.size === 0 || !hasReadableArguments(call)) return false;
      const key = grantKey(call, state);
      const count = left.get(key) ?? 0;
      if (count > 1) left.set(key, count - 1);
      else left.delete(key);
      return count > 0;
    },
  };
}

function askedBackState(end: CallEnd): string | undefined {
  if (end.kind !== "result" || shortMember(end.result, "resultType") !== "input_required") return undefined;
  const { requestState: state } = end.result;
  return typeof state === "string" ? state : undefined;
}

/** Others are never asked about. */
function hasReadableArguments({ params }: GuardedCall): boolean {
  const { arguments: args } = params;
  return !isJsonObject(args) || isReadable(args);
}

/** Servers choose the states, so many calls may share one. */
function grantKey(call: GuardedCall, state: string): string {
  const { principal, tool, launch, digest } = bindCall(call);
  return canonicalJson([
    state,
    call.method,
    principal,
    tool,
    launch,
    digest,
    argumentsKey(call.params["arguments"]),
  ]);
}

/** Large arguments stay bytes: to parse and write 8 MB of them takes 100 ms (SAFE-4). */
const LARGE_BYTES = 65_536;

function argumentsKey(args: unknown): string | undefined {
  const bytes = unreadBytesOf(args);
  return bytes === undefined || bytes.length <= LARGE_BYTES
    ? JSON.stringify(args)
    : hash("sha256", bytes, "hex");
}

// What an approval of a call is bound to (POL-2). The digest is computed once per definition. A tool is identified
// by its own key: it is the one that people are shown.

const known = new WeakMap<TargetIdentity, ToolBinding>();

export function bindCall({
  target: { identity },
  caller: { principal },
  launch,
}: Pick<GuardedCall, "target" | "caller" | "launch">): ToolBinding {
  const before = known.get(identity);
  // Nearly always unchanged.
  if (before?.principal === principal && before.launch === launch) return before;
  const binding =
    before === undefined
      ? toolBindingOf({ principal, launch, tool: identity })
      : { ...before, principal, launch };
  known.set(identity, binding);
  return binding;
}
