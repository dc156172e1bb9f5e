// Approvals: what waits, as the model sees it, and a decision about exactly what was shown (POL-3).

import { diffDefinitions, explainDefinitionDiff } from "@onym/core/approvals";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import { decidePending, ONCE_MS } from "../../store/decide-pending.js";
import type { PendingApproval, StoredApproval } from "../../store/store.js";
import type { Answer, ConsoleContext, Viewer } from "../console-context.js";
import { type ShownDefinition, showDefinition } from "./tool.js";

export interface ApprovalsReport {
  /** Nothing is kept, so nothing waits. */
  readonly isKept: boolean;
  readonly pending: readonly ShownPending[];
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
  readonly before?: ShownDefinition;
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

export async function readApprovals(context: ConsoleContext, viewer: Viewer): Promise<ApprovalsReport> {
  const { store } = context;
  if (store === undefined) return { isKept: false, pending: [], decided: [] };
  const isOwn = ({ principal }: { readonly principal: string }): boolean =>
    viewer.isOperator || principal === viewer.principal;
  const [pending, history] = await Promise.all([
    store.approvals.pending(),
    store.approvals.history({ limit: MAX_DECIDED }),
  ]);
  return {
    isKept: true,
    pending: await runInSlices(pendingSteps(pending.filter(isOwn))),
    decided: history
      .filter(isOwn)
      .reverse()
      .map((approval) => showDecided(approval, context)),
  };
}

/** Definitions may have thousands of properties, and hundreds may wait (SAFE-4). */
function* pendingSteps(pending: readonly PendingApproval[]): Steps<readonly ShownPending[]> {
  const shown: ShownPending[] = [];
  for (const { id, principal, canonical, askedAt, definition, before, digest } of pending) {
    const now = showDefinition(definition);
    yield;
    const changes = before === undefined ? [] : explainDefinitionDiff(diffDefinitions(before, definition));
    yield;
    shown.push({
      id,
      principal: principal.slice(0, 300),
      canonical: canonical.slice(0, 300),
      askedAt,
      definition: { ...now, digest },
      changes,
      ...(before === undefined ? {} : { before: showDefinition(before) }),
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
  const entry = (await store.approvals.pending()).find((each) => each.id === id);
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
