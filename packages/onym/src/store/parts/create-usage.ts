// Who still calls former names, counted (LOCK-2).

import type { ToolKey } from "@onym/core";
import { sql } from "kysely";
import { decodeText, encodeText, rowId } from "../schema/stored-text.js";
import type { StoreSession } from "../session.js";
import type { UsageStore } from "../store.js";

export function createUsage(session: StoreSession): UsageStore {
  return {
    count: ({ caller, name, tool, at }) =>
      session.write(async (tx) => {
        await tx
          .insertInto("onym_usage")
          .values({
            id: rowId(caller, name, tool),
            caller: encodeText(caller),
            name: encodeText(name),
            tool: encodeText(tool),
            count: 1,
            last_at: at,
          })
          .onConflict((on) =>
            on.column("id").doUpdateSet({
              count: sql`onym_usage.count + 1`,
              last_at: sql`case when excluded.last_at > onym_usage.last_at then excluded.last_at else onym_usage.last_at end`,
            }),
          )
          .execute();
      }),
    list: () =>
      session.read(async (db) => {
        const rows = await db
          .selectFrom("onym_usage")
          .selectAll()
          .orderBy("name")
          .orderBy("caller")
          .orderBy("tool")
          .execute();
        return rows.map((row) => ({
          caller: decodeText(row.caller),
          name: decodeText(row.name),
          tool: decodeText(row.tool) as ToolKey,
          count: row.count,
          lastAt: row.last_at,
        }));
      }),
  };
}
