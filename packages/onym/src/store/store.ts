// What has to outlive a crash and be the same on every replica: names, decisions, records of calls. One interface, two
// engines (SQLite in a file, PostgreSQL), one contract suite.

import type { Lock, Owner, ToolDefinition, ToolKey } from "@onym/core";
import type { AuditRecord, StoredAuditRecord } from "../audit/audit-record.js";
import type { Approval } from "../model/approval.js";

export interface Store {
  readonly engine: "sqlite" | "postgres";
  readonly names: NameStore;
  readonly approvals: ApprovalStore;
  readonly known: KnownStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
  /** Secrets that Onym keeps for itself, such as refresh tokens for downstreams; encrypted before they get here. */
  readonly secrets: SecretStore;
  /**
   * Calls the listener after any change of names, approvals, known tools or secrets by anybody, this process included;
   * `revision` only rises, unless somebody sets the store back.
   * A change on another machine arrives within a second. Returns how to stop.
   */
  readonly watch: (listener: (revision: number) => void) => () => void;
  /**
   * What keeps the store from being used now: the error of an attempt that is made when an earlier one had failed;
   * `undefined` where nothing is known to be wrong. Bounded in time, as everything here is.
   */
  readonly trouble: () => Promise<unknown>;
  /**
   * Writes a whole copy to a path where nothing is, while others go on using the store. `undefined` where the engine has tools
   * of its own for that.
   */
  readonly backup: ((path: string) => Promise<void>) | undefined;
  /** Waits for what is being written. Idempotent. */
  readonly close: () => Promise<void>;
}

/** What it takes to decide about calls. Where no store is kept, this much is: as long as the process runs. */
export interface DecisionStore extends Pick<Store, "watch"> {
  readonly approvals: Pick<
    ApprovalStore,
    "standing" | "expire" | "decide" | "revoke" | "findWaiting" | "await"
  >;
  readonly known: Pick<KnownStore, "revision" | "load" | "note">;
  readonly usage: Pick<UsageStore, "count">;
}

/** Tools and prompts are named apart. */
export type NameSpace = "tools" | "prompts";

export interface StoredNames {
  /** Rises with every change of this space. */
  readonly revision: number;
  readonly lock: Lock;
}

export interface NameStore {
  /** The revision alone: reads one row, to find out whether names were added. */
  readonly revision: (space: NameSpace) => Promise<number>;
  readonly load: (space: NameSpace) => Promise<StoredNames>;
  /**
   * Compare and set: makes `next` the names of the space if its revision still is that of `before`; else changes nothing
   * and returns what is there now. Only rows that differ are written. Of twenty who claim one name, one wins.
   */
  readonly swap: (space: NameSpace, before: StoredNames, next: Lock) => Promise<NameSwap>;
}

export type NameSwap =
  | { readonly outcome: "kept"; readonly stored: StoredNames }
  | { readonly outcome: "moved"; readonly stored: StoredNames };

/** A decision that stands until it expires or is revoked (POL-2). Never changed: a newer one takes its place. */
export interface StoredApproval extends Approval {
  /** ms since 1970. */
  readonly decidedAt: number;
  readonly decidedBy: string;
}

export type NewApproval = Omit<StoredApproval, "id" | "revokedAt">;

/** A call that waits for somebody to decide (POL-3). */
export interface PendingApproval {
  readonly id: number;
  readonly principal: string;
  readonly tool: ToolKey;
  readonly canonical: string;
  readonly launch: string;
  readonly digest: string;
  readonly definition: ToolDefinition;
  readonly askedAt: number;
  /** The definition that was approved before, where that is why it asks again. */
  readonly before: ToolDefinition | undefined;
  /** As of an approval. */
  readonly isOfLine?: true;
}

/** What tells approval requests apart. */
export type RequestSubject = Pick<PendingApproval, "principal" | "tool" | "launch" | "digest">;

export interface ApprovalStore {
  /** Every approval in force at `now`: not revoked, not expired, the newest for its (principal, tool). */
  readonly inForce: (now: number) => Promise<readonly StoredApproval[]>;
  /**
   * The newest for its (principal, tool), also if it has expired or was revoked. Expired ones explain why somebody is asked
   * again; revoked ones keep older decisions about the tool, under a former key, from counting again. The same list as long
   * as nothing in the store has changed.
   */
  readonly standing: () => Promise<readonly StoredApproval[]>;
  /**
   * Notes that a decision with an end has reached it: its `revokedAt` is its `expiresAt` then. A clock that is set back
   * does not bring it to life again.
   */
  readonly expire: (id: number) => Promise<void>;
  /** The newest last. Of a principal, those among the newest 1,000 of all. */
  readonly history: (filter?: {
    readonly tool?: ToolKey;
    readonly principal?: string | undefined;
    /** Only of tools whose keys start with one of these. */
    readonly keyStarts?: readonly string[] | undefined;
    readonly limit?: number;
    /** Of what is read: older ones are left out beyond that. One comes however large it is. */
    readonly maxBytes?: number;
  }) => Promise<readonly StoredApproval[]>;
  /** Durable when it resolves. Also ends what was pending for the same (principal, tool, digest). */
  readonly decide: (approval: NewApproval) => Promise<StoredApproval>;
  /** Whether there was one in force to revoke: of many who try at once, one gets `true`. */
  readonly revoke: (id: number, now: number) => Promise<boolean>;
  /**
   * The id of the request that waits for the same; `undefined` where none does and one more may. Cheap, however large definitions
   * are and however many look at once. Another may come first: `await` alone knows.
   *
   * @throws OnymError where `await` would.
   */
  readonly findWaiting: (about: RequestSubject) => Promise<number | undefined>;
  /**
   * Adds, or gives back the one that already waits for the same (principal, tool, launch, digest).
   *
   * @throws OnymError `too-many-requests` where `MAX_CALLER_WAITING` of this principal wait, `busy` where `MAX_WAITING` do.
   */
  readonly await: (pending: Omit<PendingApproval, "id">) => Promise<PendingApproval>;
  readonly pending: () => Promise<readonly PendingApproval[]>;
  /** Some of those that wait, the oldest first: all of them together may be more than a process should hold. */
  readonly pendingPage: (filter: PendingFilter) => Promise<PendingPage>;
  readonly findPending: (id: number) => Promise<PendingApproval | undefined>;
  /** How many wait. Their definitions, which may be large, are not read. */
  readonly countPending: () => Promise<number>;
  readonly dismiss: (id: number) => Promise<boolean>;
  /** Dismisses what this principal asks about this tool; with `before`, only what was asked before that one. */
  readonly dismissAbout: (about: {
    readonly principal: string;
    readonly tool: ToolKey;
    readonly before?: number | undefined;
  }) => Promise<void>;
}

interface PendingFilter {
  /** `undefined`: of all. */
  readonly principal: string | undefined;
  /** Only about tools whose keys start with one of these. */
  readonly keyStarts?: readonly string[] | undefined;
  /** Only those with a greater id. */
  readonly after: number;
  readonly limit: number;
  /** Of definitions. One comes however large it is. */
  readonly maxBytes: number;
}

interface PendingPage {
  readonly entries: readonly PendingApproval[];
  /** How many wait, on all pages. */
  readonly total: number;
  /** `after` of the next page; `undefined` on the last. */
  readonly next: number | undefined;
}

/** A tool of a downstream as it is reached: with another launch it is another tool. */
export interface SeenTool {
  readonly tool: ToolKey;
  readonly launch: string;
  /** `new`: it came after its downstream was first seen, and nobody has admitted it. */
  readonly state: "known" | "new";
  /** ms since 1970. */
  readonly seenAt: number;
  /** Who ended its quarantine; `undefined` for what was there from the beginning, and for what is new. */
  readonly admittedBy: string | undefined;
}

/** What a downstream lists. */
export interface Listing {
  readonly owner: Owner;
  /** The downstream under the ids that it had before: seen under one of them, it is not new. */
  readonly formerOwners: readonly Owner[];
  readonly launch: string;
  /** Raw names. */
  readonly tools: readonly string[];
  /** Nothing is missing because a page could not be had. */
  readonly isWhole: boolean;
  readonly at: number;
}

/** Which tools downstreams had when they were first seen, and which came later (quarantine). What is not in it is new. */
export interface KnownStore {
  /** Rises with every change: reads one row, to find out whether there is anything to load. */
  readonly revision: () => Promise<number>;
  readonly load: () => Promise<StoredKnown>;
  /**
   * Takes note of a listing, in one commit. The first whole one of a downstream that was never seen, however it was
   * reached, makes what it lists known; of two who see it first, one does. Of any other, what is not there yet is new.
   * Returns the tools that are new with it.
   */
  readonly note: (listing: Listing) => Promise<readonly ToolKey[]>;
  /** Makes these known that are new; durable when it resolves. Returns those that were. */
  readonly admit: (
    tools: readonly Pick<SeenTool, "tool" | "launch">[],
    by: string,
  ) => Promise<readonly SeenTool[]>;
}

interface StoredKnown {
  readonly revision: number;
  /** Those that have listed in full once. */
  readonly servers: readonly Owner[];
  readonly tools: readonly SeenTool[];
}

export interface AuditWriter {
  /** Resolves when the record is durable; if it rejects, the call must not continue. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** The same for records that no call waits for: they join the next commit. */
  readonly recordLater: (record: AuditRecord) => Promise<void>;
  /** Accepted records that are not written yet. */
  readonly waiting: () => number;
  /** Writes what was accepted, then refuses more. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface AuditStore {
  /**
   * Appends all in one commit, in order, to this process's chain. When it resolves, other processes can read it, and it
   * outlives this one however that ends; else nothing of it is there. PostgreSQL has it on the disk then, too. SQLite
   * brings it there within moments: a power cut may take the last records, never what comes before them.
   */
  readonly append: (records: readonly AuditRecord[]) => Promise<void>;
  /** Appends what many calls record at once in few commits. */
  readonly createWriter: () => AuditWriter;
  /** Newest last. */
  readonly read: (filter: AuditFilter) => Promise<readonly StoredAuditRecord[]>;
  /** Recomputes every chain; the first broken record of each broken chain. */
  readonly verify: () => Promise<AuditCheck>;
  /** Removes what is older than `before`, whole prefixes of chains only, and leaves an anchor. Returns how many. */
  readonly prune: (before: number) => Promise<number>;
  /**
   * Where the audit takes more than so many bytes, removes the oldest records until it takes a tenth less, in many small commits.
   * Returns how many.
   */
  readonly shrink: (maxBytes: number) => Promise<number>;
  /** No longer reports that these chains have lost records; others that are lost later are reported. */
  readonly acceptLoss: (chains: readonly string[]) => Promise<void>;
  /** How much it takes, about. */
  readonly bytes: () => Promise<number>;
}

export interface AuditFilter {
  readonly chain?: string;
  /** Records after this position, as `read` ordered them. */
  readonly after?: { readonly at: number; readonly chain: string; readonly seq: number };
  readonly limit?: number;
  /** The last ones instead of the first. */
  readonly last?: boolean;
}

export interface AuditCheck {
  readonly records: number;
  readonly chains: number;
  readonly broken: readonly {
    readonly chain: string;
    readonly seq: number;
    readonly problem: string;
    /** Nothing else is known to be wrong than that the records from here on are gone. */
    readonly isLost?: true;
  }[];
  /** When the oldest records were written, where chains say that they were sealed with a key. To about 50 ms. */
  readonly sealedSince?: number | undefined;
  /** The ends of chains were held against the key. */
  readonly isSealed?: true | undefined;
  /** How many chains stand in the second place too; `undefined` where there is none. */
  readonly anchored?: number | undefined;
}

/** Who still calls former names (LOCK-2). */
export interface UsageStore {
  readonly count: (use: {
    readonly caller: string;
    readonly name: string;
    readonly tool: ToolKey;
    readonly at: number;
  }) => Promise<void>;
  readonly list: () => Promise<readonly FormerUse[]>;
}

interface FormerUse {
  readonly caller: string;
  readonly name: string;
  readonly tool: ToolKey;
  readonly count: number;
  readonly lastAt: number;
}

export interface SecretStore {
  readonly read: (key: string) => Promise<Uint8Array | undefined>;
  /** Durable when it resolves. */
  readonly write: (key: string, value: Uint8Array) => Promise<void>;
  /** Compare and set: writes `next` if `before` still is what is there. Whether it was. */
  readonly swap: (key: string, before: Uint8Array, next: Uint8Array) => Promise<boolean>;
  readonly remove: (key: string) => Promise<void>;
}
