// Group commit for audit records: what arrives while one commit runs goes into the next together, so that waiting for the
// disk is shared (POL-4).

import { OnymError } from "@onym/core";
import type { AuditRecord, AuditStore } from "./store.js";

export interface AuditWriter {
  /** Resolves when the record is durable; rejects when it is not, and then the call must not go on. */
  readonly record: (record: AuditRecord) => Promise<void>;
  /** Writes what was accepted, then refuses more. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface AuditWriterOptions {
  /** How many records may wait; more are refused. */
  readonly queueLimit?: number;
  /** The most records in one commit. */
  readonly batchLimit?: number;
}

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createAuditWriter(
  audit: Pick<AuditStore, "append">,
  { queueLimit = 10_000, batchLimit = 500 }: AuditWriterOptions = {},
): AuditWriter {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      // All that came in this round of the event loop joins the same commit.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = waiting.slice(0, batchLimit);
      waiting = waiting.slice(batch.length);
      try {
        await audit.append(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  };

  return {
    record(record) {
      if (isClosed) return Promise.reject(refuse("it was closed"));
      if (waiting.length >= queueLimit)
        return Promise.reject(refuse(`${queueLimit} records are already waiting to be written`));
      return new Promise<void>((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        writing ??= writeAll();
      });
    },
    async close() {
      isClosed = true;
      await writing;
    },
  };
}

function refuse(reason: string): OnymError {
  return new OnymError(
    "audit-unavailable",
    `The audit cannot take a record: ${reason}.`,
    "Nothing was recorded, so the call was not made. Try again; if it stays so, the store is too slow or gone.",
  );
}
