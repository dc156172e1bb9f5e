// Group commit for audit records: what arrives in one round of the event loop, or while a commit runs, goes into the next
// together, so that its cost is shared (POL-4).

import { OnymError } from "@onym/core";
import type { AuditRecord, AuditStore } from "../store.js";

export interface AuditWriter {
  /** Resolves when the record is there to stay; rejects when it is not, and then the call must not go on. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** The same for what nobody waits for: it goes with the next commit, which is moments away. */
  readonly follow: (record: AuditRecord) => Promise<void>;
  /** Writes what was accepted, then refuses more. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface AuditWriterOptions {
  /** How many records may wait; more are refused. */
  readonly queueLimit?: number;
  /** The most records in one commit. */
  readonly batchLimit?: number;
  /** Why no new work may begin: then `record` refuses, and `follow`, which is about work that was done, does not. */
  readonly room?: () => OnymError | undefined;
}

/** Records of one commit, and what becomes of it. */
interface Batch {
  readonly records: AuditRecord[];
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MOMENTS_MS = 10;

export function createAuditWriter(
  audit: Pick<AuditStore, "append">,
  { queueLimit = 10_000, batchLimit = 500, room = () => undefined }: AuditWriterOptions = {},
): AuditWriter {
  const batches: Batch[] = [];
  let waiting = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeAll = async (): Promise<void> => {
    for (;;) {
      // All that came in this round of the event loop joins the same commit.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = batches.shift();
      if (batch === undefined) break;
      waiting -= batch.records.length;
      try {
        await audit.append(batch.records);
        batch.resolve();
      } catch (error) {
        batch.reject(error);
      }
      if (batches.length === 0) break;
    }
    writing = undefined;
  };
  const write = (): void => {
    writing ??= writeAll();
  };
  const add = (record: AuditRecord): Promise<void> => {
    if (isClosed) return Promise.reject(refuse("it was closed"));
    if (waiting >= queueLimit)
      return Promise.reject(refuse(`${queueLimit} records are already waiting to be written`));
    waiting += 1;
    const last = batches.at(-1);
    if (last !== undefined && last.records.length < batchLimit) {
      last.records.push(record);
      return last.done;
    }
    const batch = createBatch(record);
    batches.push(batch);
    return batch.done;
  };
  const writeFollowers = (): void => {
    timer = undefined;
    if (waiting > 0) write();
  };

  return {
    record(record) {
      const full = room();
      if (full !== undefined) return Promise.reject(full);
      const done = add(record);
      write();
      return done;
    },
    follow(record) {
      timer ??= setTimeout(writeFollowers, MOMENTS_MS);
      return add(record);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (waiting > 0) write();
      await writing;
    },
  };
}

function createBatch(first: AuditRecord): Batch {
  let resolve = (): void => {};
  let reject = (_: unknown): void => {};
  const done = new Promise<void>((kept, failed) => {
    resolve = kept;
    reject = failed;
  });
  return { records: [first], done, resolve, reject };
}

function refuse(reason: string): OnymError {
  return new OnymError(
    "audit-unavailable",
    `The audit cannot take a record: ${reason}.`,
    "Nothing was recorded, so the call was not made. Try again; if it stays so, the store is too slow or gone.",
  );
}
