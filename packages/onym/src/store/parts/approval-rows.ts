// Decisions and open approval requests as rows, and back.

import type { ToolDefinition, ToolKey } from "@onym/core";
import type { Sealer } from "../../audit/audit-chain.js";
import { decodeText, encodeText, rowId } from "../schema/stored-text.js";
import type { ApprovalRow, PendingRow } from "../schema/tables.js";
import type { NewApproval, PendingApproval, RequestSubject, StoredApproval } from "../store.js";

export const approvalSubject = (principal: string, tool: ToolKey): string => rowId(principal, tool);

/** By what it asks a request waits once. */
export function askOf({ principal, tool, launch, digest }: RequestSubject): string {
  return rowId(principal, tool, launch, digest);
}

export function approvalToRow(approval: NewApproval): ApprovalRow {
  const row = {
    verdict: approval.verdict,
    subject: approvalSubject(approval.principal, approval.tool),
    tool_id: rowId(approval.tool),
    principal: encodeText(approval.principal),
    tool: encodeText(approval.tool),
    launch: encodeText(approval.launch),
    digest: encodeText(approval.digest),
    definition: JSON.stringify(approval.definition),
    decided_at: approval.decidedAt,
    decided_by: encodeText(approval.decidedBy),
    expires_at: approval.expiresAt ?? null,
    revoked_at: null,
    is_once: approval.isOnce === true ? 1 : null,
    is_own: approval.isOfLine === true ? null : 1,
  };
  return { ...row, seal: sealOf(row), key_seal: null };
}

/** Of a row that has its number: a copy of it under another does not count. */
export function keySealOf(
  { id, seal }: Pick<ApprovalRow, "seal"> & { readonly id: number },
  sealer: Sealer,
): string {
  return sealer.seal("decision 1", String(id), seal);
}

/** What changes in a row when its decision is revoked. */
export function revocationOf(
  row: ApprovalRow & { readonly id: number },
  now: number,
  sealer: Sealer | undefined,
): Pick<ApprovalRow, "revoked_at" | "seal" | "key_seal"> {
  const seal = sealOf({ ...row, revoked_at: now });
  const key_seal = sealer === undefined ? null : keySealOf({ id: row.id, seal }, sealer);
  return { revoked_at: now, seal, key_seal };
}

/** `undefined` where the row is not what was once decided. */
export function rowToApproval(row: ApprovalRow & { readonly id: number }): StoredApproval | undefined {
  const { verdict } = row;
  if (row.seal !== sealOf(row) || (verdict !== "approved" && verdict !== "rejected")) return undefined;
  return {
    id: row.id,
    verdict,
    principal: decodeText(row.principal),
    tool: decodeText(row.tool) as ToolKey,
    launch: decodeText(row.launch),
    digest: decodeText(row.digest),
    definition: JSON.parse(row.definition) as ToolDefinition,
    decidedAt: row.decided_at,
    decidedBy: decodeText(row.decided_by),
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    ...(row.is_once === null ? {} : { isOnce: true }),
    ...(row.is_own === null ? { isOfLine: true } : {}),
  };
}

export function pendingToRow(pending: Omit<PendingApproval, "id">): PendingRow {
  const { principal, tool, launch, digest } = pending;
  return {
    ask: askOf(pending),
    subject: approvalSubject(principal, tool),
    principal: encodeText(principal),
    tool: encodeText(tool),
    canonical: encodeText(pending.canonical),
    launch: encodeText(launch),
    digest: encodeText(digest),
    definition: JSON.stringify(pending.definition),
    asked_at: pending.askedAt,
    before_definition: pending.before === undefined ? null : JSON.stringify(pending.before),
    is_own: pending.isOfLine === true ? null : 1,
  };
}

export function rowToPending(row: PendingRow & { readonly id: number }): PendingApproval {
  return {
    id: row.id,
    principal: decodeText(row.principal),
    tool: decodeText(row.tool) as ToolKey,
    canonical: decodeText(row.canonical),
    launch: decodeText(row.launch),
    digest: decodeText(row.digest),
    definition: JSON.parse(row.definition) as ToolDefinition,
    askedAt: row.asked_at,
    before:
      row.before_definition === null ? undefined : (JSON.parse(row.before_definition) as ToolDefinition),
    ...(row.is_own === null ? { isOfLine: true } : {}),
  };
}

function sealOf(row: Omit<ApprovalRow, "seal" | "key_seal">): string {
  return rowId(
    row.verdict,
    row.subject,
    row.tool_id,
    row.principal,
    row.tool,
    row.launch,
    row.digest,
    row.definition,
    String(row.decided_at),
    row.decided_by,
    String(row.expires_at),
    String(row.revoked_at),
    // Rows of before have none, and keep their seals.
    ...(row.is_once === null ? [] : ["once"]),
    ...(row.is_own === null ? [] : ["own"]),
  );
}
