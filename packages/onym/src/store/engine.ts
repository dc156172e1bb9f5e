// What an engine brings: a connection that takes the shared queries, and how it hears of what others changed.

import type { Kysely, Transaction } from "kysely";
import type { ChainLink } from "../audit/audit-chain.js";
import type { AuditRecord } from "../audit/audit-record.js";
import type { OnymError } from "../model/onym-error.js";
import type { Tables } from "./schema/tables.js";

export type EngineKind = "sqlite" | "postgres";

export interface Engine {
  readonly kind: EngineKind;
  /** For messages; holds no secret. */
  readonly place: string;
  readonly db: Kysely<Tables>;
  /** The tables of ours that exist. */
  readonly listTables: (db: Kysely<Tables>) => Promise<ReadonlySet<string>>;
  /** Keeps two processes from migrating at once; holds until the transaction ends. */
  readonly lockSchema: (tx: Transaction<Tables>) => Promise<void>;
  /** Tells other processes of a change, as part of the transaction that makes it. */
  readonly announce: (tx: Transaction<Tables>, revision: number) => Promise<void>;
  /** Told of each change once it is on the disk. */
  readonly onCommitted?: (revision: number) => void;
  /** Calls `look` when others may have changed something, at least within a second of it. Returns how to stop. */
  readonly watchOthers: (look: () => void) => () => Promise<void>;
  /**
   * Appends to a chain of audit records, in one commit, by a quicker way than the shared queries; where there is one.
   * Returns where the chain ends then.
   */
  readonly appendAudit?: (chain: string, records: readonly AuditRecord[]) => Promise<ChainLink | undefined>;
  /** How much the audit takes, about. What was pruned does not count, although a file does not shrink. */
  readonly auditBytes: (db: Kysely<Tables>) => Promise<number>;
  /** Why no new work may begin, where file and disk can be seen from here: damage, or hardly any room. */
  readonly room?: () => OnymError | undefined;
  /** Writes a whole copy to a path where nothing is, while others go on using the store; where the engine can. */
  readonly backup?: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}
