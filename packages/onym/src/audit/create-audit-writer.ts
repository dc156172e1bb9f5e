// Group commit for audit records: records that arrive in one event loop turn, or during a commit, share the
// next commit and its cost (POL-4).

import { OnymError } from "../model/onym-error.js";
import type { AuditRecord } from "./audit-record.js";

export interface AuditWriter {
  /** Resolves when the record is durable; if it rejects, the call must not continue. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** The same for records that no call waits for: they join the next commit. */
  readonly follow: (record: AuditRecord) => Promise<void>;
  /** Accepted records that are not written yet. */
  readonly waiting: () => number;
  /** Writes what was accepted, then refuses more. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface AuditWriterOptions {
  /** Maximum waiting records; more are refused. */
  readonly queueLimit?: number;
  /** Maximum records per commit. */
  readonly batchLimit?: number;
  /**
   * Why no new work may start: then `record` refuses. `follow`, which records work already done, does not.
   */
  readonly room?: () => OnymError | undefined;
}

/** Records of one commit, and its result. */
interface Batch {
  readonly records: AuditRecord[];
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MOMENTS_MS = 10;

export function createAuditWriter(
  audit: { readonly append: (records: readonly AuditRecord[]) => Promise<void> },
  { queueLimit = 10_000, batchLimit = 500, room = () => undefined }: AuditWriterOptions = {},
): AuditWriter {
  const batches: Batch[] = [];
  let waiting = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeAll = async (): Promise<void> => {
    for (;;) {
      // Everything from this event loop turn joins the same commit.
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
    waiting: () => waiting,
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
