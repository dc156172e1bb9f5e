// The rows as both engines hold them. Texts of strangers are encoded (stored-text), times are ms since 1970.

import type { Generated } from "kysely";
import type { AuditRow } from "../../audit/audit-chain.js";

export interface Tables {
  readonly onym_migrations: { readonly number: number; readonly name: string; readonly applied_at: number };
  /** One row. Who changes names, approvals or known tools locks it first, so that revisions rise in the order of commits. */
  readonly onym_state: { readonly id: number; readonly revision: number };
  readonly onym_spaces: SpaceRow;
  readonly onym_profiles: ProfileRow;
  readonly onym_names: NameRow;
  readonly onym_tools: ToolRow;
  readonly onym_approvals: ApprovalTable;
  readonly onym_pending: PendingTable;
  readonly onym_known_servers: KnownServerRow;
  readonly onym_known_tools: KnownToolRow;
  readonly onym_chains: ChainRow;
  readonly onym_audit: AuditRow;
  readonly onym_usage: UsageRow;
  readonly onym_secrets: { readonly id: string; readonly key: string; readonly value: Uint8Array };
}

interface SpaceRow {
  readonly space: string;
  readonly revision: number;
  /** Digest over all rows of the space, so that a row lost or altered is noticed. */
  readonly seal: string;
}

export interface ProfileRow {
  readonly id: string;
  readonly space: string;
  readonly profile: string;
  readonly style: string;
}

export interface NameRow {
  readonly id: string;
  readonly profile_id: string;
  readonly space: string;
  readonly name: string;
  readonly tool: string;
  readonly retired: string | null;
}

export interface ToolRow {
  readonly id: string;
  readonly space: string;
  readonly tool: string;
  readonly canonical: string;
  readonly digest: string;
  /** The key of the tool that it is now. */
  readonly successor: string | null;
}

export interface ApprovalRow {
  readonly verdict: string;
  /** `rowId` of principal and tool. */
  readonly subject: string;
  readonly tool_id: string;
  readonly principal: string;
  readonly tool: string;
  readonly launch: string;
  readonly digest: string;
  readonly definition: string;
  readonly decided_at: number;
  readonly decided_by: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  /** 1 where it is for one call, else `null`. */
  readonly is_once: number | null;
  /** 1 where `tool` is the tool that was shown; `null` in rows of before: it is the first of its line of renames. */
  readonly is_own: number | null;
  /** Digest over what was decided, so that an altered decision is noticed. */
  readonly seal: string;
  /** The same, made with the key, so that a forged decision does not count. */
  readonly key_seal: string | null;
}

interface ApprovalTable extends ApprovalRow {
  readonly id: Generated<number>;
}

export interface PendingRow {
  /** `rowId` of principal, tool, launch and digest. */
  readonly ask: string;
  readonly subject: string;
  readonly principal: string;
  readonly tool: string;
  readonly canonical: string;
  readonly launch: string;
  readonly digest: string;
  readonly definition: string;
  readonly asked_at: number;
  readonly before_definition: string | null;
  /** As of a decision. */
  readonly is_own: number | null;
}

interface PendingTable extends PendingRow {
  readonly id: Generated<number>;
}

/** A downstream that has listed in full once, however it was reached. */
interface KnownServerRow {
  /** `rowId` of toolbox and server. */
  readonly id: string;
  readonly server: string;
  readonly toolbox: string | null;
  readonly seen_at: number;
}

export interface KnownToolRow {
  /** `rowId` of tool and launch. */
  readonly id: string;
  /** `rowId` of toolbox, server and launch. */
  readonly source: string;
  readonly tool: string;
  readonly launch: string;
  readonly state: string;
  readonly seen_at: number;
  readonly admitted_by: string | null;
  /** Digest over the rest, so that a tool is not known because its row was altered. */
  readonly seal: string;
}

/** Where a chain of audit records begins (what pruning left) and ends. */
export interface ChainRow {
  readonly chain: string;
  readonly anchor_seq: number;
  readonly anchor_hash: string;
  readonly head_seq: number;
  readonly head_hash: string;
  /** Made with the key; `null` without one. Of a chain from before there was one, over its name alone. */
  readonly head_seal: string | null;
  readonly anchor_seal: string | null;
}

interface UsageRow {
  readonly id: string;
  readonly caller: string;
  readonly name: string;
  readonly tool: string;
  readonly count: number;
  readonly last_at: number;
}
