// Which approval requests wait, as they were read last. Every call that is asked about looks here before it writes: calls that look
// at the same time share one read, definitions are not read, and nothing but the revision is where nothing has changed (SAFE-5).

import { encodeText } from "../schema/stored-text.js";
import type { StoreSession } from "../session.js";
import type { ApprovalStore } from "../store.js";
import { checkWaiting } from "../store-errors.js";
import { askOf } from "./approval-rows.js";

interface Waiting {
  readonly revision: number | undefined;
  /** The numbers of all that wait, by what they ask. */
  readonly ids: ReadonlyMap<string, number>;
  /** How many wait of each principal, as it is stored. */
  readonly counts: ReadonlyMap<string, number>;
}

export function createWaitingRequests(session: StoreSession): ApprovalStore["findWaiting"] {
  let waiting: Waiting = { revision: undefined, ids: new Map(), counts: new Map() };
  let reading: Promise<unknown> = Promise.resolve();
  let next: Promise<Waiting> | undefined;

  const read = async (): Promise<Waiting> => {
    const before = waiting;
    waiting = await session.read(async (db) => {
      const { revision } = await db.selectFrom("onym_state").select("revision").executeTakeFirstOrThrow();
      if (revision === before.revision) return before;
      const rows = await db.selectFrom("onym_pending").select(["id", "ask", "principal"]).execute();
      const counts = new Map<string, number>();
      for (const { principal } of rows) counts.set(principal, (counts.get(principal) ?? 0) + 1);
      return { revision, ids: new Map(rows.map(({ ask, id }) => [ask, id])), counts };
    });
    return waiting;
  };
  /** Begins after the call that looks: what was committed before is seen. */
  const look = (): Promise<Waiting> => {
    next ??= reading.then(() => {
      next = undefined;
      const now = read();
      reading = now.catch(() => {});
      return now;
    });
    return next;
  };
  return async (about) => {
    const { ids, counts } = await look();
    const found = ids.get(askOf(about));
    if (found === undefined)
      checkWaiting({ own: counts.get(encodeText(about.principal)) ?? 0, all: ids.size });
    return found;
  };
}
