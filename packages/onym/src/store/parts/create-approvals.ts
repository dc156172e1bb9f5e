// Decisions in the store. The newest for a (principal, tool) is the only one that can be in force: when it expires or is
// revoked, an older one does not come back.

import { type ExpressionBuilder, sql, type Transaction, type Updateable } from "kysely";
import type { Sealer } from "../../audit/audit-chain.js";
import type { Log } from "../../model/log.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import { chunksOf } from "../schema/chunks-of.js";
import { encodeText, rowId } from "../schema/stored-text.js";
import type { ApprovalRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { ApprovalStore, StoredApproval } from "../store.js";
import { checkWaiting, checkWritten, storeCorrupt, storeUnwritten } from "../store-errors.js";
import {
  approvalSubject,
  approvalToRow,
  keySealOf,
  pendingToRow,
  revocationOf,
  rowToApproval,
  rowToPending,
} from "./approval-rows.js";
import { createWaitingRequests } from "./waiting-requests.js";

type SealedRow = Pick<ApprovalRow, "seal" | "key_seal"> & { readonly id: number };

const HISTORY_LIMIT = 1000;

/** What was read last. Every call that asks looks again, and definitions may be large: they are read once (SAFE-5). */
interface Standing {
  readonly revision: number | undefined;
  /** A seal is over all of a row. */
  readonly bySeal: ReadonlyMap<string, StoredApproval>;
  readonly approvals: readonly StoredApproval[];
}

/**
 * With a key, decisions that nobody with the key has made do not count: they are asked about again. To refuse the whole store
 * would leave no way to decide anew when the key was lost.
 */
export function createApprovals(session: StoreSession, sealer: Sealer | undefined, log: Log): ApprovalStore {
  let logged = 0;
  let standing: Standing = { revision: undefined, bySeal: new Map(), approvals: [] };
  const counts = ({ id, seal, key_seal }: SealedRow): boolean =>
    sealer === undefined || key_seal === keySealOf({ id, seal }, sealer);
  const logUnsealed = (unsealed: number): void => {
    if (unsealed > 0 && unsealed !== logged)
      log("warn", "decisions in the store were not made with this gateway's key, and do not count", {
        decisions: unsealed,
      });
    logged = unsealed;
  };
  const readRow = (row: Parameters<typeof rowToApproval>[0]): StoredApproval => {
    const approval = rowToApproval(row);
    if (approval === undefined) throw storeCorrupt(session.place, `the decision ${row.id} was altered`);
    return approval;
  };
  const readSealed = (rows: readonly Parameters<typeof rowToApproval>[0][]): readonly StoredApproval[] => {
    const sealed = rows.filter(counts);
    logUnsealed(rows.length - sealed.length);
    return sealed.map(readRow);
  };
  const update = async (
    tx: Transaction<Tables>,
    id: number,
    values: Updateable<Tables["onym_approvals"]>,
  ): Promise<void> => {
    const { numUpdatedRows } = await tx
      .updateTable("onym_approvals")
      .set(values)
      .where("id", "=", id)
      .executeTakeFirst();
    checkWritten(session.place, numUpdatedRows, { what: `the change of decision ${id}` });
  };
  return {
    inForce: (now) =>
      session.read(async (db) => {
        const rows = await db
          .selectFrom("onym_approvals")
          .selectAll()
          .where((eb) => isInForce(eb, now))
          .orderBy("id")
          .execute();
        return readSealed(rows);
      }),
    async standing() {
      const before = standing;
      const read = await session.read(async (db) => {
        const { revision } = await db.selectFrom("onym_state").select("revision").executeTakeFirstOrThrow();
        if (revision === before.revision) return undefined;
        const found = await db
          .selectFrom("onym_approvals")
          .select(["id", "seal", "key_seal"])
          .where((eb) => isNewest(eb))
          .orderBy("id")
          .execute();
        const sealed = found.filter((row) => before.bySeal.has(sealKey(row)) || counts(row));
        const unread = sealed.filter((row) => !before.bySeal.has(sealKey(row))).map(({ id }) => id);
        const rows = [];
        for (const ids of chunksOf(unread))
          rows.push(...(await db.selectFrom("onym_approvals").selectAll().where("id", "in", ids).execute()));
        return { revision, sealed, rows, unsealed: found.length - sealed.length };
      });
      if (read === undefined) return before.approvals;
      logUnsealed(read.unsealed);
      const parsed = await runInSlices(rowSteps(read.rows, (row) => [sealKey(row), readRow(row)] as const));
      const known = new Map([...before.bySeal, ...parsed]);
      const bySeal = new Map<string, StoredApproval>();
      for (const key of read.sealed.map(sealKey)) {
        const approval = known.get(key);
        if (approval !== undefined) bySeal.set(key, approval);
      }
      standing = { revision: read.revision, bySeal, approvals: [...bySeal.values()] };
      return standing.approvals;
    },
    expire: (id) =>
      session.change(async (tx) => {
        const row = await tx
          .selectFrom("onym_approvals")
          .selectAll()
          .where("id", "=", id)
          .where((eb) => isUnrevoked(eb))
          .executeTakeFirst();
        if (row === undefined || row.expires_at === null || !counts(row))
          return { value: undefined, changed: false };
        readRow(row);
        await update(tx, id, revocationOf(row, row.expires_at, sealer));
        return { value: undefined, changed: true };
      }),
    async history({ tool, principal, keyStarts, limit = HISTORY_LIMIT, maxBytes } = {}) {
      const rows = await session.read(async (db) => {
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
      return (await runInSlices(rowSteps(rows, readRow))).toReversed();
    },
    decide: (approval) =>
      session.change(async (tx) => {
        const row = await tx
          .insertInto("onym_approvals")
          .values(approvalToRow(approval))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw storeUnwritten(session.place, "the decision");
        if (sealer !== undefined) await update(tx, row.id, { key_seal: keySealOf(row, sealer) });
        await tx
          .deleteFrom("onym_pending")
          .where("subject", "=", approvalSubject(approval.principal, approval.tool))
          .where("digest", "=", encodeText(approval.digest))
          .execute();
        return { value: readRow(row), changed: true };
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
        if (row === undefined || newer.some(counts)) return { value: false, changed: false };
        readRow(row);
        await update(tx, id, revocationOf(row, now, sealer));
        return { value: true, changed: true };
      }),
    findWaiting: createWaitingRequests(session),
    await: (pending) =>
      session.change(async (tx) => {
        const row = pendingToRow(pending);
        const waiting = await tx
          .selectFrom("onym_pending")
          .selectAll()
          .where("ask", "=", row.ask)
          .executeTakeFirst();
        if (waiting !== undefined) return { value: rowToPending(waiting), changed: false };
        const { own, all } = await tx
          .selectFrom("onym_pending")
          .select(({ fn }) => [
            fn.countAll().as("all"),
            fn.countAll().filterWhere("principal", "=", row.principal).as("own"),
          ])
          .executeTakeFirstOrThrow();
        checkWaiting({ own: Number(own), all: Number(all) });
        const added = await tx.insertInto("onym_pending").values(row).returningAll().executeTakeFirst();
        if (added === undefined) throw storeUnwritten(session.place, "the approval request");
        return { value: rowToPending(added), changed: true };
      }),
    async pending() {
      const rows = await session.read((db) =>
        db.selectFrom("onym_pending").selectAll().orderBy("id").execute(),
      );
      return runInSlices(rowSteps(rows, rowToPending));
    },
    async pendingPage({ principal, keyStarts, after, limit, maxBytes }) {
      const { rows, total, next } = await session.read(async (db) => {
        let all = db.selectFrom("onym_pending");
        if (principal !== undefined) all = all.where("principal", "=", encodeText(principal));
        if (keyStarts !== undefined) all = all.where(startsWithOne(keyStarts));
        const { total } = await all.select(({ fn }) => fn.countAll().as("total")).executeTakeFirstOrThrow();
        const query = all.where("id", ">", after).orderBy("id");
        const bytes = sql<number>`octet_length(definition) + coalesce(octet_length(before_definition), 0)`;
        const sizes = await query
          .select(["id", bytes.as("bytes")])
          .limit(limit + 1)
          .execute();
        const count = countWithin(sizes.slice(0, limit), maxBytes);
        return {
          rows: await query.selectAll().limit(count).execute(),
          total: Number(total),
          next: count < sizes.length ? sizes[count - 1]?.id : undefined,
        };
      });
      return { entries: await runInSlices(rowSteps(rows, rowToPending)), total, next };
    },
    findPending: (id) =>
      session.read(async (db) => {
        const row = await db.selectFrom("onym_pending").selectAll().where("id", "=", id).executeTakeFirst();
        return row === undefined ? undefined : rowToPending(row);
      }),
    countPending: () =>
      session.read(async (db) => {
        const { count } = await db
          .selectFrom("onym_pending")
          .select(({ fn }) => fn.countAll().as("count"))
          .executeTakeFirstOrThrow();
        return Number(count);
      }),
    dismiss: (id) =>
      session.change(async (tx) => {
        const gone = await tx.deleteFrom("onym_pending").where("id", "=", id).executeTakeFirst();
        const changed = gone.numDeletedRows > 0n;
        return { value: changed, changed };
      }),
    dismissAbout: ({ principal, tool, before = Number.MAX_SAFE_INTEGER }) =>
      session.change(async (tx) => {
        const gone = await tx
          .deleteFrom("onym_pending")
          .where("subject", "=", approvalSubject(principal, tool))
          .where("id", "<", before)
          .executeTakeFirst();
        return { value: undefined, changed: gone.numDeletedRows > 0n };
      }),
  };
}

/** Definitions may be large, and rows many (SAFE-4). */
function* rowSteps<Row, Value>(rows: readonly Row[], read: (row: Row) => Value): Steps<readonly Value[]> {
  const values: Value[] = [];
  for (const row of rows) {
    values.push(read(row));
    yield;
  }
  return values;
}

/** How many of the first rows have at most so many bytes together; one in any case. */
function countWithin(rows: readonly { readonly bytes: number }[], maxBytes = 0): number {
  let count = 0;
  let sum = 0;
  for (const { bytes } of rows) {
    sum += Number(bytes);
    if (sum > maxBytes && count > 0) break;
    count += 1;
  }
  return count;
}

function startsWithOne(starts: readonly string[]) {
  const each = starts.map(encodeText).map((start) => {
    const { length } = [...start]; // databases count characters
    return sql`substr(tool, 1, ${sql.lit(length)}) = ${start}`;
  });
  return sql<boolean>`(${sql.join([sql`1 = 0`, ...each], sql` or `)})`;
}

/** No index has principals, so a search for those of one must end. */
function oldestSearched(eb: Approvals) {
  return eb
    .selectFrom("onym_approvals as newest")
    .select(sql<number>`max(newest.id) - ${sql.lit(HISTORY_LIMIT)}`.as("id"));
}

function sealKey({ id, seal, key_seal }: SealedRow): string {
  return `${id} ${seal} ${key_seal}`;
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
