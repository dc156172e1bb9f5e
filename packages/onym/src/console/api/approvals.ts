// Approvals: what waits, as the model sees it, and a decision about exactly what was shown (POL-3).

import { diffDefinitions, explainDefinitionDiff } from "@onym/core/approvals";
import { keyStartsIn } from "../../gateway/calls/guarded-item.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import { decidePending, ONCE_MS } from "../../store/decide-pending.js";
import type { PendingApproval, StoredApproval } from "../../store/store.js";
import type { Answer, ConsoleContext, Viewer } from "../console-context.js";
import { type ShownDefinition, showDefinition } from "./tool.js";

export interface ApprovalsReport {
  /** Nothing is kept, so nothing waits. */
  readonly isKept: boolean;
  /** The oldest first: what comes while somebody decides moves nothing. */
  readonly pending: readonly ShownPending[];
  /** How many wait, on all pages. */
  readonly total: number;
  /** `after` of the next page; absent on the last. */
  readonly next?: number;
  /** The newest first. */
  readonly decided: readonly ShownDecision[];
}

interface ShownPending {
  readonly id: number;
  readonly principal: string;
  readonly canonical: string;
  readonly askedAt: number;
  readonly definition: ShownDefinition;
  /** From what was approved before to what is there now. */
  readonly changes: readonly string[];
}

interface ShownDecision {
  readonly id: number;
  readonly verdict: string;
  readonly principal: string;
  readonly tool: string;
  readonly by: string;
  readonly at: number;
  readonly until?: number;
  readonly revoked?: number;
  readonly isOnce?: true;
}

export interface Decision {
  readonly verdict: "approved" | "rejected";
  /** The digest that was shown. */
  readonly digest: string;
  readonly how: "once" | "always" | "until";
  /** ms since 1970. */
  readonly until?: number | undefined;
}

const MAX_DECIDED = 50;
/** Of a page. */
const MAX_PENDING = 20;
/** Of the definitions that wait on a page, and as many of those that were decided about. */
const MAX_DEFINITION_BYTES = 2_097_152;

export async function readApprovals(
  context: ConsoleContext,
  viewer: Viewer,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<ApprovalsReport> {
  const { store } = context;
  if (store === undefined) return { isKept: false, pending: [], total: 0, decided: [] };
  const seen = viewer.isOperator
    ? { principal: undefined }
    : { principal: viewer.principal, keyStarts: viewer.confinedTo?.flatMap(keyStartsIn) };
  const maxBytes = MAX_DEFINITION_BYTES;
  const page = await store.approvals.pendingPage({ ...seen, after, limit: MAX_PENDING, maxBytes });
  signal.throwIfAborted();
  const history = await store.approvals.history({ ...seen, limit: MAX_DECIDED, maxBytes });
  return {
    isKept: true,
    pending: await runInSlices(pendingSteps(page.entries), { signal }),
    total: page.total,
    ...(page.next === undefined ? {} : { next: page.next }),
    decided: history.toReversed().map((approval) => showDecided(approval, context)),
  };
}

/** Definitions may have thousands of properties (SAFE-4). */
function* pendingSteps(pending: readonly PendingApproval[]): Steps<readonly ShownPending[]> {
  const shown: ShownPending[] = [];
  for (const { id, principal, canonical, askedAt, definition, before, digest } of pending) {
    const changes = before === undefined ? [] : explainDefinitionDiff(diffDefinitions(before, definition));
    yield;
    shown.push({
      id,
      principal: principal.slice(0, 300),
      canonical: canonical.slice(0, 300),
      askedAt,
      definition: showDefinition(definition, digest),
      changes,
    });
    yield;
  }
  return shown;
}

function showDecided(
  approval: StoredApproval,
  { gateway, lock }: Pick<ConsoleContext, "gateway" | "lock">,
): ShownDecision {
  const { id, verdict, principal, tool, decidedBy, decidedAt, expiresAt, revokedAt, isOnce } = approval;
  // Decisions go by key. People go by the name that the tool has, or had when it was last seen.
  const canonical =
    gateway.snapshot().tools.catalog.toolWithKey(tool)?.canonical ??
    lock().tools.get(tool)?.canonical ??
    tool;
  return {
    id,
    verdict,
    principal: principal.slice(0, 300),
    tool: canonical.slice(0, 300),
    by: decidedBy,
    at: decidedAt,
    ...(expiresAt === undefined ? {} : { until: expiresAt }),
    ...(revokedAt === undefined ? {} : { revoked: revokedAt }),
    ...(isOnce === undefined ? {} : { isOnce }),
  };
}

export async function decide(
  context: ConsoleContext,
  id: number,
  { verdict, digest, how, until }: Decision,
): Promise<Answer<{ readonly id: number }>> {
  const { store, now } = context;
  if (store === undefined)
    return { ok: false, status: 409, error: "Nothing is kept here, so nothing waits." };
  const entry = Number.isSafeInteger(id) ? await store.approvals.findPending(id) : undefined;
  if (entry === undefined)
    return {
      ok: false,
      status: 404,
      error: "That question does not wait any more: somebody has decided, or it changed.",
    };
  // Whoever decided saw this definition, and not another that came meanwhile.
  if (entry.digest !== digest)
    return {
      ok: false,
      status: 409,
      error: "The tool's definition is another one by now. Look at it again.",
    };
  if (how === "until" && (until === undefined || until <= now()))
    return { ok: false, status: 400, error: "The end must be in the future." };
  const at = now();
  const { approval, isRecorded } = await decidePending(store, entry, {
    verdict,
    by: BY,
    at,
    expiresAt: how === "once" ? at + ONCE_MS : how === "until" ? until : undefined,
    isOnce: how === "once" && verdict === "approved",
  });
  if (!isRecorded) context.log("warn", "a decision stands, but could not be recorded in the audit");
  return { ok: true, value: { id: approval.id } };
}

/** Who decided, on record. */
const BY = "console";
