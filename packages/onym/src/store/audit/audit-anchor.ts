// The ends of audit chains in a second place, signed: a file outside of the store. Who puts an older copy of the store in its
// place, or cuts off a chain, does not find them there (POL-4).

import { createReadStream } from "node:fs";
import { appendFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { errorCode } from "../store-errors.js";
import type { StoreLog } from "../store-log.js";
import type { ChainLink } from "./audit-chain.js";
import type { Sealer } from "./audit-seal.js";

export interface AuditAnchor {
  /** A chain ends here now. Costs nothing: it is written later. */
  readonly due: (head: ChainLink) => void;
  readonly read: () => Promise<AnchoredHeads>;
  /** Leaves word that this store is used with the key, before there is a head. */
  readonly mark: () => Promise<void>;
  /** Writes the last head. After the store has brought it to the disk. */
  readonly close: () => Promise<void>;
}

export interface AnchoredHeads {
  /** The last of each chain. */
  readonly heads: readonly ChainLink[];
  /** Lines about this store that nobody with the key has written. */
  readonly forged: number;
  /** There is any word of this store. */
  readonly isKnown: boolean;
}

/** What makes a store and its records one's own. */
export interface StoreSeal {
  /** 32 bytes, kept outside of the store. */
  readonly key: Uint8Array;
  /** Where the ends of audit chains are written too; `undefined` for nowhere. */
  readonly anchorFile: string | undefined;
}

export interface AuditAnchorOptions {
  readonly file: string;
  /** Tells the stores apart that share the file. */
  readonly store: string;
  readonly sealer: Sealer;
  readonly log: StoreLog;
  readonly intervalMs?: number;
}

interface Line extends ChainLink {
  readonly store: string;
  readonly seal: string;
}

/** A head is written when it is so old: on the disk by then, so that a power cut leaves no head without its record. */
const INTERVAL_MS = 10_000;
/** A longer file is written anew with the last head of each chain, where that is allowed. */
const MAX_BYTES = 1024 * 1024;

export function createAuditAnchor(options: AuditAnchorOptions): AuditAnchor {
  const { file, store, sealer, log, intervalMs = INTERVAL_MS } = options;
  let last: ChainLink | undefined;
  let written: ChainLink | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isTold = false;

  const write = async (head: ChainLink): Promise<void> => {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await appendFile(file, formatLine(head, store, sealer), { mode: 0o600 });
      written = head;
      isTold = false;
      await shorten(file).catch(() => {});
    } catch (error) {
      if (!isTold)
        log("warn", "the ends of the audit cannot be written to their second place", {
          file,
          code: errorCode(error),
        });
      isTold = true;
    }
  };
  const start = (head: ChainLink): void => {
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(() => write(head));
      if (last !== undefined && last !== head) start(last);
    }, intervalMs).unref();
  };
  return {
    due(head) {
      last = head;
      if (timer === undefined) start(head);
    },
    read: () => readHeads(file, store, sealer),
    mark: () => write({ chain: "", seq: 0, hash: "" }),
    async close() {
      clearTimeout(timer);
      await writing;
      if (last !== undefined && last.seq !== written?.seq) await write(last);
    },
  };
}

function formatLine({ chain, seq, hash }: ChainLink, store: string, sealer: Sealer): string {
  const seal = sealer.seal("outside 1", store, chain, String(seq), hash);
  return `${JSON.stringify({ store, chain, seq, hash, seal } satisfies Line)}\n`;
}

async function readHeads(file: string, store: string, sealer: Sealer): Promise<AnchoredHeads> {
  const heads = new Map<string, ChainLink>();
  let forged = 0;
  let isKnown = false;
  for await (const text of linesOf(file)) {
    const line = parseLine(text);
    // Half a line is what a power cut leaves.
    if (line?.store !== store) continue;
    isKnown = true;
    const { chain, seq, hash, seal } = line;
    if (seal !== sealer.seal("outside 1", store, chain, String(seq), hash)) forged += 1;
    else if (seq > (heads.get(chain)?.seq ?? 0)) heads.set(chain, { chain, seq, hash });
  }
  return { heads: [...heads.values()], forged, isKnown };
}

/** None where there is no file. */
async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    await stat(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

function parseLine(text: string): Line | undefined {
  try {
    const { store, chain, seq, hash, seal } = JSON.parse(text) as Partial<Line>;
    const isWhole = [store, chain, hash, seal].every((part) => typeof part === "string");
    return isWhole && typeof seq === "number" ? ({ store, chain, seq, hash, seal } as Line) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the last line of each chain, whoever signed it. What another process appends in the same moment may be lost; it
 * writes its next head soon. A file that may only be appended to is left to grow.
 */
async function shorten(file: string): Promise<void> {
  if ((await stat(file)).size <= MAX_BYTES) return;
  const lines = new Map<string, { readonly seq: number; readonly text: string }>();
  for await (const text of linesOf(file)) {
    const line = parseLine(text);
    if (line === undefined) continue;
    const key = JSON.stringify([line.store, line.chain]);
    if (line.seq > (lines.get(key)?.seq ?? -1)) lines.set(key, { seq: line.seq, text });
  }
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, [...lines.values()].map(({ text }) => `${text}\n`).join(""), { mode: 0o600 });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
