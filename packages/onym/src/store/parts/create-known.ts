// Known tools in the store: what downstreams had when they were first seen, what came later, and what was admitted.

import type { Transaction } from "kysely";
import { chunksOf } from "../schema/chunks-of.js";
import { decodeText, encodeText } from "../schema/stored-text.js";
import type { KnownToolRow, Tables } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { KnownStore, Listing, SeenTool } from "../store.js";
import { storeCorrupt } from "../store-errors.js";
import { changeByListing, rowToSeen, seenToRow, serverIdOf, sourceIdOf, toolIdOf } from "./known-rows.js";

const SPACE = "known";

export function createKnown(session: StoreSession): KnownStore {
  const readRow = (row: KnownToolRow): SeenTool => {
    const seen = rowToSeen(row);
    if (seen === undefined) throw storeCorrupt(session.place, "a row of its known tools was altered");
    return seen;
  };
  const revisionOf = async (db: Pick<Transaction<Tables>, "selectFrom">): Promise<number> => {
    const head = await db
      .selectFrom("onym_spaces")
      .select("revision")
      .where("space", "=", SPACE)
      .executeTakeFirst();
    if (head === undefined) throw storeCorrupt(session.place, "the revision of its known tools is missing");
    return head.revision;
  };
  const rise = async (tx: Transaction<Tables>): Promise<void> => {
    const revision = (await revisionOf(tx)) + 1;
    await tx.updateTable("onym_spaces").set({ revision }).where("space", "=", SPACE).execute();
  };
  return {
    revision: () => session.read(revisionOf),
    load: () =>
      session.read(async (db) => {
        const servers = await db.selectFrom("onym_known_servers").selectAll().orderBy("id").execute();
        const tools = await db
          .selectFrom("onym_known_tools")
          .selectAll()
          .orderBy("tool")
          .orderBy("launch")
          .execute();
        return {
          revision: await revisionOf(db),
          servers: servers.map(({ server, toolbox }) => ({
            server: decodeText(server),
            toolbox: toolbox === null ? undefined : decodeText(toolbox),
          })),
          tools: tools.map(readRow),
        };
      }),
    note: (listing) =>
      session.change(async (tx) => {
        const source = sourceIdOf(listing.owner, listing.launch);
        const rows = await tx
          .selectFrom("onym_known_tools")
          .selectAll()
          .where("source", "=", source)
          .execute();
        const own = serverIdOf(listing.owner);
        const former = listing.formerOwners.map(serverIdOf);
        const servers = await tx
          .selectFrom("onym_known_servers")
          .select("id")
          .where("id", "in", [own, ...former])
          .execute();
        const { isFirst, put, dropped } = changeByListing(listing, {
          seen: rows.map(readRow),
          isSeen: servers.some(({ id }) => id === own),
          wasSeen: servers.some(({ id }) => former.includes(id)),
        });
        const changed = isFirst || put.length > 0 || dropped.length > 0;
        if (changed) {
          if (isFirst) await addServer(tx, listing);
          await removeTools(tx, [...put, ...dropped]);
          const fresh = put.map((each) => seenToRow(each, source));
          for (const some of chunksOf(fresh)) await tx.insertInto("onym_known_tools").values(some).execute();
          await rise(tx);
        }
        return { value: put.flatMap(({ tool, state }) => (state === "new" ? [tool] : [])), changed };
      }),
    admit: (tools, by) =>
      session.change(async (tx) => {
        const admitted: SeenTool[] = [];
        for (const id of new Set(tools.map(toolIdOf))) {
          const row = await tx
            .selectFrom("onym_known_tools")
            .selectAll()
            .where("id", "=", id)
            .where("state", "=", "new")
            .executeTakeFirst();
          if (row === undefined) continue;
          const next: SeenTool = { ...readRow(row), state: "known", admittedBy: by };
          await tx
            .updateTable("onym_known_tools")
            .set(seenToRow(next, row.source))
            .where("id", "=", id)
            .execute();
          admitted.push(next);
        }
        if (admitted.length > 0) await rise(tx);
        return { value: admitted, changed: admitted.length > 0 };
      }),
  };
}

async function addServer(tx: Transaction<Tables>, { owner, at }: Listing): Promise<void> {
  const { server, toolbox } = owner;
  await tx
    .insertInto("onym_known_servers")
    .values({
      id: serverIdOf(owner),
      server: encodeText(server),
      toolbox: toolbox === undefined ? null : encodeText(toolbox),
      seen_at: at,
    })
    .execute();
}

async function removeTools(tx: Transaction<Tables>, tools: readonly SeenTool[]): Promise<void> {
  for (const ids of chunksOf(tools.map(toolIdOf)))
    await tx.deleteFrom("onym_known_tools").where("id", "in", ids).execute();
}
