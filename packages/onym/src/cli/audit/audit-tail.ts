// onym audit tail: the last records of calls, and with --follow those that come.

import { quoteText } from "@onym/core";
import type { StoredAuditRecord } from "../../audit/audit-record.js";
import type { ExitCode } from "../../output/show-error.js";
import { formatJson, type Terminal, writeJson } from "../../output/terminal.js";
import type { AuditStore } from "../../store/store.js";
import { closeOnSignal } from "../catalog/live-servers.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";
import { createAuditLines, foldRecords, reportRecord } from "./audit-rows.js";
import { followAudit } from "./follow-audit.js";

interface TailOptions extends StoreOptions {
  readonly count: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const MAX_LINES = 100_000;

export const defineAuditTail: DefineCommand = (command, { terminal, run }) => {
  command
    .option("-n, --count <number>", "how many records; a call that ran has two", "40")
    .option("-f, --follow", "keep printing new records until stopped");
  addJsonOption(command).action((options: TailOptions) =>
    run(() => {
      const count = readCount(options.count);
      return withStore(options, terminal, (use) => printTail(use, count, options, terminal));
    }),
  );
};

function readCount(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) <= MAX_LINES) return Number(text);
  throw usageError(
    `-n ${quoteText(text)} is no number of records.`,
    `Write a whole number, at most ${MAX_LINES}.`,
  );
}

async function printTail(
  { store, absence }: StoreUse,
  count: number,
  { follow, json }: TailOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  // With none to show, the last one is where to go on from.
  const read = (await store?.audit.read({ last: true, limit: Math.max(1, count) })) ?? [];
  const records = count === 0 ? [] : read;
  if (follow === true && store !== undefined) {
    const print = createPrinter(json === true, terminal);
    await print(records);
    await followUntilStopped(store.audit, read, print);
    return 0;
  }
  if (json === true) await writeJson(terminal, { records: records.map(reportRecord) });
  else if (store === undefined) terminal.err(`No records. ${absence.message}\n`);
  else if (records.length === 0) terminal.err("No records.\n");
  else await terminal.out(`${createAuditLines(terminal)(foldRecords(records)).join("\n")}\n`);
  return 0;
}

type Print = (records: readonly StoredAuditRecord[]) => Promise<void>;

/** With --json one record a line: a document would never end. */
function createPrinter(json: boolean, terminal: Terminal): Print {
  const linesOf = createAuditLines(terminal);
  return async (records) => {
    const lines = json
      ? records.map((record) => formatJson(reportRecord(record)))
      : linesOf(foldRecords(records));
    if (lines.length > 0) await terminal.out(`${lines.join("\n")}\n`);
  };
}

async function followUntilStopped(
  audit: AuditStore,
  shown: readonly StoredAuditRecord[],
  print: Print,
): Promise<void> {
  const stop = new AbortController();
  const following = followAudit({ audit, shown, print, signal: stop.signal });
  const watch = closeOnSignal(() => {
    stop.abort();
    return following;
  });
  try {
    await following;
  } finally {
    if (!watch.isStopping()) watch.release();
  }
}
