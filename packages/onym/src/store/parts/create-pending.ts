// Approval requests in the store, which wait for a decision.

import { sql } from "kysely";
import { runInSlices } from "../../model/run-slices.js";
import { encodeText } from "../schema/stored-text.js";
import type { StoreSession } from "../session.js";
import type { ApprovalStore } from "../store.js";
import { checkWaiting, storeUnwritten } from "../store-errors.js";
import { countWithin, rowSteps, startsWithOne } from "./approval-queries.js";
import { approvalSubject, pendingToRow, rowToPending } from "./approval-rows.js";
import { createWaitingRequests } from "./waiting-requests.js";

type PendingStore = Pick<
  ApprovalStore,
  | "findWaiting"
  | "await"
  | "pending"
  | "pendingPage"
  | "findPending"
  | "countPending"
  | "dismiss"
  | "dismissAbout"
>;

export function createPending(session: StoreSession): PendingStore {
  return {
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
