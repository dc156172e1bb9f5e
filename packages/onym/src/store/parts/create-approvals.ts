// Decisions in the store. The newest for a (principal, tool) is the only one that can be in force: when it expires or is
// revoked, an older one does not come back.

import { type ExpressionBuilder, type Kysely, sql, type Transaction, type Updateable } from "kysely";
import type { Sealer } from "../../audit/audit-chain.js";
import type { Log } from "../../model/log.js";
import { runInSlices } from "../../model/run-slices.js";
import { chunksOf } from "../schema/chunks-of.js";
import { encodeText, rowId } from "../schema/stored-text.js";
import type { ApprovalRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { ApprovalStore, StoredApproval } from "../store.js";
import { checkWritten, storeCorrupt, storeUnwritten } from "../store-errors.js";
import { countWithin, rowSteps, startsWithOne } from "./approval-queries.js";
import { approvalSubject, approvalToRow, keySealOf, revocationOf, rowToApproval } from "./approval-rows.js";
import { createPending } from "./create-pending.js";

type StoredRow = Parameters<typeof rowToApproval>[0];

type SealedRow = Pick<ApprovalRow, "seal" | "key_seal"> & { readonly id: number };

const HISTORY_LIMIT = 1000;

/**
 * With a key, decisions that nobody with the key has made do not count: they are asked about again. To refuse the whole store
 * would leave no way to decide anew when the key was lost.
 */
export function createApprovals(session: StoreSession, sealer: Sealer | undefined, log: Log): ApprovalStore {
  const rows = new DecisionRows(session, sealer, log);
  return { ...createReading(session, rows), ...createDeciding(session, rows), ...createPending(session) };
}

/** Rows of decisions, and which of them count. */
class DecisionRows {
  readonly #session: StoreSession;
  readonly #sealer: Sealer | undefined;
  readonly #log: Log;
  /** How many did not count when that was last looked at. */
  #unsealed = 0;

  constructor(session: StoreSession, sealer: Sealer | undefined, log: Log) {
    this.#session = session;
    this.#sealer = sealer;
    this.#log = log;
  }

  readonly counts = ({ id, seal, key_seal }: SealedRow): boolean =>
    this.#sealer === undefined || key_seal === keySealOf({ id, seal }, this.#sealer);

  readonly read = (row: StoredRow): StoredApproval => {
    const approval = rowToApproval(row);
    if (approval === undefined) throw storeCorrupt(this.#session.place, `the decision ${row.id} was altered`);
    return approval;
  };

  /** Those that count. */
  readSealed(rows: readonly StoredRow[]): readonly StoredApproval[] {
    const sealed = rows.filter(this.counts);
    this.logUnsealed(rows.length - sealed.length);
    return sealed.map(this.read);
  }

  /** Says so once, until the number changes. */
  logUnsealed(unsealed: number): void {
    if (unsealed > 0 && unsealed !== this.#unsealed)
      this.#log("warn", "decisions in the store were not made with this gateway's key, and do not count", {
        decisions: unsealed,
      });
    this.#unsealed = unsealed;
  }

  /** Makes a new row count. */
  async seal(tx: Transaction<Tables>, row: SealedRow): Promise<void> {
    if (this.#sealer !== undefined)
      await this.#update(tx, row.id, { key_seal: keySealOf(row, this.#sealer) });
  }

  async revoke(tx: Transaction<Tables>, row: StoredRow, at: number): Promise<void> {
    await this.#update(tx, row.id, revocationOf(row, at, this.#sealer));
  }

  async #update(
    tx: Transaction<Tables>,
    id: number,
    values: Updateable<Tables["onym_approvals"]>,
  ): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable("onym_approvals")
      .set(values)
      .where("id", "=", id)
      .executeTakeFirst();
    checkWritten(this.#session.place, numUpdatedRows, { what: `the change of decision ${id}` });
  }
}

type DecisionReads = Pick<ApprovalStore, "inForce" | "standing" | "history">;

function createReading(session: StoreSession, rows: DecisionRows): DecisionReads {
  const standing = new StandingDecisions(session, rows);
  return {
    inForce: (now) =>
      session.read(async (db) => {
        const found = await db
          .selectFrom("onym_approvals")
          .selectAll()
          .where((eb) => isInForce(eb, now))
          .orderBy("id")
          .execute();
        return rows.readSealed(found);
      }),
    standing: () => standing.read(),
    async history({ tool, principal, keyStarts, limit = HISTORY_LIMIT, maxBytes } = {}) {
      const found = await session.read(async (db) => {
        let query = db.selectFrom("onym_approvals").orderBy("id", "desc");
        if (tool !== undefined) query = query.where("tool_id", "=", rowId(tool));
        if (principal !== undefined)
          query = query.where("principal", "=", encodeText(principal)).where("id", ">", oldestSearched);
        if (keyStarts !== undefined) query = query.where(startsWithOne(keyStarts));
        const sizes =
          maxBytes === undefined
            ? undefined
            : await query.select(sql<number>`octet_length(definition)`.as("bytes")).limit(limit).execute();
        const count = sizes === undefined ? limit : countWithin(sizes, maxBytes);
        return query.selectAll().limit(count).execute();
      });
      return (await runInSlices(rowSteps(found, rows.read))).toReversed();
    },
  };
}

type DecisionWrites = Pick<ApprovalStore, "expire" | "decide" | "revoke">;

function createDeciding(session: StoreSession, rows: DecisionRows): DecisionWrites {
  return {
    expire: (id) =>
      session.change(async (tx) => {
        const row = await tx
          .selectFrom("onym_approvals")
          .selectAll()
          .where("id", "=", id)
          .where((eb) => isUnrevoked(eb))
          .executeTakeFirst();
        if (row === undefined || row.expires_at === null || !rows.counts(row))
          return { value: undefined, changed: false };
        rows.read(row);
        await rows.revoke(tx, row, row.expires_at);
        return { value: undefined, changed: true };
      }),
    decide: (approval) =>
      session.change(async (tx) => {
        const row = await tx
          .insertInto("onym_approvals")
          .values(approvalToRow(approval))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw storeUnwritten(session.place, "the decision");
        await rows.seal(tx, row);
        await tx
          .deleteFrom("onym_pending")
          .where("subject", "=", approvalSubject(approval.principal, approval.tool))
          .where("digest", "=", encodeText(approval.digest))
          .execute();
        return { value: rows.read(row), changed: true };
      }),
    revoke: (id, now) =>
      session.change(async (tx) => {
        const row = await tx
          .selectFrom("onym_approvals")
          .selectAll()
          .where("id", "=", id)
          .where((eb) => isValid(eb, now))
          .executeTakeFirst();
        const newer =
          row === undefined
            ? []
            : await tx
                .selectFrom("onym_approvals")
                .select(["id", "seal", "key_seal"])
                .where("subject", "=", row.subject)
                .where("id", ">", id)
                .execute();
        // A later decision that does not count keeps nobody from taking this one back.
        if (row === undefined || newer.some(rows.counts)) return { value: false, changed: false };
        rows.read(row);
        await rows.revoke(tx, row, now);
        return { value: true, changed: true };
      }),
  };
}

/** What was read last. */
interface Standing {
  readonly revision: number | undefined;
  /** A seal is over all of a row. */
  readonly bySeal: ReadonlyMap<string, StoredApproval>;
  readonly approvals: readonly StoredApproval[];
}

/** Every call that asks looks again, and definitions may be large: they are read once (SAFE-5). */
class StandingDecisions {
  readonly #session: StoreSession;
  readonly #rows: DecisionRows;
  #last: Standing = { revision: undefined, bySeal: new Map(), approvals: [] };

  constructor(session: StoreSession, rows: DecisionRows) {
    this.#session = session;
    this.#rows = rows;
  }

  async read(): Promise<readonly StoredApproval[]> {
    const before = this.#last;
    const found = await this.#session.read((db) => this.#find(db, before));
    if (found === undefined) return before.approvals;
    this.#rows.logUnsealed(found.unsealed);
    const parsed = await runInSlices(
      rowSteps(found.rows, (row) => [sealKey(row), this.#rows.read(row)] as const),
    );
    const known = new Map([...before.bySeal, ...parsed]);
    const bySeal = new Map<string, StoredApproval>();
    for (const key of found.sealed.map(sealKey)) {
      const approval = known.get(key);
      if (approval !== undefined) bySeal.set(key, approval);
    }
    this.#last = { revision: found.revision, bySeal, approvals: [...bySeal.values()] };
    return this.#last.approvals;
  }

  /** All that count, and the rows of those that were not read before; `undefined` if nothing has changed. */
  async #find(db: Kysely<Tables>, before: Standing) {
    const { revision } = await db.selectFrom("onym_state").select("revision").executeTakeFirstOrThrow();
    if (revision === before.revision) return undefined;
    const found = await db
      .selectFrom("onym_approvals")
      .select(["id", "seal", "key_seal"])
      .where((eb) => isNewest(eb))
      .orderBy("id")
      .execute();
    const sealed = found.filter((row) => before.bySeal.has(sealKey(row)) || this.#rows.counts(row));
    const unread = sealed.filter((row) => !before.bySeal.has(sealKey(row))).map(({ id }) => id);
    const rows = [];
    for (const ids of chunksOf(unread))
      rows.push(...(await db.selectFrom("onym_approvals").selectAll().where("id", "in", ids).execute()));
    return { revision, sealed, rows, unsealed: found.length - sealed.length };
  }
}

function sealKey({ id, seal, key_seal }: SealedRow): string {
  return `${id} ${seal} ${key_seal}`;
}

/** No index has principals, so a search for those of one must end. */
function oldestSearched(eb: Approvals) {
  return eb
    .selectFrom("onym_approvals as newest")
    .select(sql<number>`max(newest.id) - ${sql.lit(HISTORY_LIMIT)}`.as("id"));
}

type Approvals = ExpressionBuilder<Tables, "onym_approvals">;

function isInForce(eb: Approvals, now: number) {
  return eb.and([isValid(eb, now), isNewest(eb)]);
}

/** Neither revoked nor expired. */
function isValid(eb: Approvals, now: number) {
  return eb.and([
    isUnrevoked(eb),
    eb.or([eb("onym_approvals.expires_at", "is", null), eb("onym_approvals.expires_at", ">", now)]),
  ]);
}

function isUnrevoked(eb: Approvals) {
  return eb("onym_approvals.revoked_at", "is", null);
}

function isNewest(eb: Approvals) {
  const newer = eb
    .selectFrom("onym_approvals as newer")
    .select(sql`1`.as("one"))
    .whereRef("newer.subject", "=", "onym_approvals.subject")
    .whereRef("newer.id", ">", "onym_approvals.id");
  return eb.not(eb.exists(newer));
}
