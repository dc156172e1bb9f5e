// How the queries run: whole transactions, tried again while another process writes, with errors that say what to do.

import type { Kysely, Transaction } from "kysely";
import { OnymError } from "../model/onym-error.js";
import type { Engine, EngineKind } from "./engine.js";
import type { Tables } from "./schema/tables.js";
import { checkWritten, isBusy, storeCorrupt, storeUnavailable, toStoreError } from "./store-errors.js";

/** `changed: false` leaves the revision as it is. */
interface Changed<T> {
  readonly value: T;
  readonly changed: boolean;
}

export interface StoreSession {
  readonly kind: EngineKind;
  readonly place: string;
  /** All that `work` reads is of one moment. */
  readonly read: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;
  /** One commit; durable when it resolves, else nothing of it is there. `work` may run more than once. */
  readonly write: <T>(work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>;
  /** One commit that the engine makes by its own means, and by its own promise of how lasting it is. */
  readonly commit: <T>(work: () => Promise<T>) => Promise<T>;
  /** A write that others are notified of; one at a time. */
  readonly change: <T>(work: (tx: Transaction<Tables>) => Promise<Changed<T>>) => Promise<T>;
  /** A read or write failed, and none of its kind has succeeded since: a full disk can still be read. */
  readonly hasFailed: () => boolean;
  /** How long a write has been waiting for another process, in milliseconds; 0 where none does. */
  readonly heldMs: () => number;
  /** Waits for what runs; what comes later is refused. */
  readonly close: () => Promise<void>;
}

/** How long a write waits for another process. A person waits for the call behind it. */
const BUSY_TIMEOUT_MS = 5_000;
/** While the store is known to fail: callers get the failure at once, and each attempt still finds out whether it is over. */
const FAILING_BUSY_TIMEOUT_MS = 250;
const MAX_PAUSE_MS = 20;

/** `elapsed` in milliseconds, from whenever. */
export function createStoreSession(
  engine: Engine,
  onChange: (revision: number) => void,
  elapsed = (): number => performance.now(),
): StoreSession {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  let failed: "read" | "write" | undefined;
  /** When a write was first turned away, and none has succeeded since. */
  let heldSince: number | undefined;

  const run = async <T>(kind: "read" | "write", work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw storeUnavailable(engine.place, "it was closed");
    const attempt = tryUntilFree(work, {
      place: engine.place,
      elapsed,
      busyTimeoutMs: failed === undefined ? BUSY_TIMEOUT_MS : FAILING_BUSY_TIMEOUT_MS,
      onBusy: (since) => {
        if (kind === "write") heldSince ??= since;
      },
    });
    running.add(attempt);
    try {
      const value = await attempt;
      if (kind === "write" || failed === "read") failed = undefined;
      if (kind === "write") heldSince = undefined;
      return value;
    } catch (error) {
      if (kind === "write") heldSince = undefined;
      if (error instanceof OnymError && failed !== "write") failed = kind;
      throw error;
    } finally {
      running.delete(attempt);
    }
  };
  const write = <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    run("write", () => engine.db.transaction().execute(work));

  return {
    kind: engine.kind,
    place: engine.place,
    read: (work) =>
      run("read", () => {
        const transaction = engine.db.transaction().setAccessMode("read only");
        return (
          engine.kind === "postgres" ? transaction.setIsolationLevel("repeatable read") : transaction
        ).execute(work);
      }),
    write,
    commit: (work) => run("write", work),
    async change(work) {
      const { value, revision } = await write(async (tx) => {
        const state = await tx
          .selectFrom("onym_state")
          .select("revision")
          .$if(engine.kind === "postgres", (query) => query.forUpdate())
          .executeTakeFirst();
        if (state === undefined) throw storeCorrupt(engine.place, "its revision is missing");
        const made = await work(tx);
        if (!made.changed) return { value: made.value, revision: undefined };
        const next = nextRevision(state.revision);
        const { numUpdatedRows } = await tx
          .updateTable("onym_state")
          .set({ revision: next })
          .executeTakeFirst();
        checkWritten(engine.place, numUpdatedRows, { what: `its revision ${next}` });
        await engine.announce(tx, next);
        return { value: made.value, revision: next };
      });
      if (revision !== undefined) {
        engine.onCommitted?.(revision);
        onChange(revision);
      }
      return value;
    },
    hasFailed: () => failed !== undefined && !isClosed,
    heldMs: () => (heldSince === undefined ? 0 : elapsed() - heldSince),
    async close() {
      isClosed = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/**
 * Somebody may have set it beyond the safe integers, where adding one changes nothing and no listener would be called. It goes on
 * with the time in ms, which is more than any store has counted to.
 */
function nextRevision(revision: number): number {
  return Number.isSafeInteger(revision + 1) ? revision + 1 : Date.now();
}

interface Attempts {
  readonly place: string;
  readonly elapsed: () => number;
  readonly busyTimeoutMs: number;
  /** Another process holds the store; gets when the attempts began. */
  readonly onBusy: (since: number) => void;
}

async function tryUntilFree<T>(
  work: () => Promise<T>,
  { place, elapsed, busyTimeoutMs, onBusy }: Attempts,
): Promise<T> {
  const since = elapsed();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || elapsed() > since + busyTimeoutMs) throw toStoreError(place, error);
    }
    onBusy(since);
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * MAX_PAUSE_MS));
  }
}
