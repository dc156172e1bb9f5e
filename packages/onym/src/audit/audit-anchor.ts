// The ends of audit chains in a second place: a signed file outside of the store. It reveals when an older
// copy replaced the store, or a chain was truncated (POL-4).

import { createReadStream } from "node:fs";
import { appendFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Log } from "../model/log.js";
import { errorCode } from "../model/onym-error.js";
import type { ChainLink, Sealer } from "./audit-chain.js";

export interface AuditAnchor {
  /** Writes the current end of a chain. `false` if that fails, which is logged. */
  readonly write: (head: ChainLink) => Promise<boolean>;
  readonly read: () => Promise<AnchoredHeads>;
  /** Records that this store is used with the key, before there is a head. */
  readonly mark: () => Promise<void>;
  /**
   * Signs that these heads no longer have to be in the store: a person accepted that records are lost.
   *
   * @throws if it cannot be written.
   */
  readonly accept: (heads: readonly ChainLink[]) => Promise<void>;
}

export interface AnchoredHeads {
  /** The last head of each chain, but for those whose loss was accepted. */
  readonly heads: readonly ChainLink[];
  /** Lines about this store that were not signed with the key. */
  readonly forged: number;
  /** The file mentions this store. */
  readonly isKnown: boolean;
  /** Why nothing can be read there, although something is there. For people. */
  readonly unreadable?: string;
}

/** What ties a store and its records to its owner. */
export interface StoreSeal {
  /** 32 bytes, kept outside of the store. */
  readonly key: Uint8Array;
  /** The second file for the ends of audit chains; `undefined`: none. */
  readonly anchorFile: string | undefined;
}

export interface AuditAnchorOptions {
  readonly file: string;
  /** Identifies the store among those that share the file. */
  readonly store: string;
  readonly sealer: Sealer;
  readonly log: Log;
}

interface Line extends ChainLink {
  readonly store: string;
  readonly seal: string;
  /** The chain may end before this head. */
  readonly accepted?: true;
}

/** What a line is signed as, so that a head cannot be made to look like an accepted loss. */
const SIGNED_AS = { head: "outside 1", accepted: "accepted loss 1" } as const;

/** A longer file is rewritten with the last head of each chain, if that is permitted. */
const MAX_BYTES = 1024 * 1024;

export function createAuditAnchor({ file, store, sealer, log }: AuditAnchorOptions): AuditAnchor {
  let hasLogged = false;
  const write = async (head: ChainLink): Promise<boolean> => {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await findFile(file);
      await appendFile(file, formatLine(head, { store, sealer, as: "head" }), { mode: 0o600 });
      hasLogged = false;
      await shorten(file).catch(() => {});
      return true;
    } catch (error) {
      if (!hasLogged)
        log("warn", "the ends of the audit cannot be written to their second place", {
          file,
          code: errorCode(error),
        });
      hasLogged = true;
      return false;
    }
  };
  return {
    write,
    read: () => readHeads(file, store, sealer),
    async mark() {
      await write({ chain: "", seq: 0, hash: "" });
    },
    accept: (heads) =>
      appendFile(file, heads.map((head) => formatLine(head, { store, sealer, as: "accepted" })).join(""), {
        mode: 0o600,
      }),
  };
}

interface Signed {
  readonly store: string;
  readonly sealer: Sealer;
  readonly as: keyof typeof SIGNED_AS;
}

function formatLine({ chain, seq, hash }: ChainLink, { store, sealer, as }: Signed): string {
  const seal = sealer.seal(SIGNED_AS[as], store, chain, String(seq), hash);
  const line: Line = { store, chain, seq, hash, seal, ...(as === "accepted" ? { accepted: true } : {}) };
  return `${JSON.stringify(line)}\n`;
}

async function readHeads(file: string, store: string, sealer: Sealer): Promise<AnchoredHeads> {
  const heads = new Map<string, ChainLink>();
  const accepted = new Map<string, number>();
  let forged = 0;
  let isKnown = false;
  try {
    for await (const text of linesOf(file)) {
      const line = parseLine(text);
      // A power cut may leave half a line.
      if (line?.store !== store) continue;
      isKnown = true;
      const { chain, seq, hash, seal } = line;
      const as = line.accepted === true ? SIGNED_AS.accepted : SIGNED_AS.head;
      if (seal !== sealer.seal(as, store, chain, String(seq), hash)) forged += 1;
      else if (line.accepted === true) accepted.set(chain, Math.max(seq, accepted.get(chain) ?? 0));
      else if (seq > (heads.get(chain)?.seq ?? 0)) heads.set(chain, { chain, seq, hash });
    }
  } catch (error) {
    return { heads: [], forged: 0, isKnown: false, unreadable: errorCode(error) ?? "unknown error" };
  }
  const required = [...heads.values()].filter(({ chain, seq }) => seq > (accepted.get(chain) ?? 0));
  return { heads: required, forged, isKnown };
}

/** Yields nothing if there is no file. */
async function* linesOf(file: string): AsyncGenerator<string> {
  if (await findFile(file))
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/**
 * Whether the file exists.
 *
 * @throws if it is something else: reading a device never ends, and a pipe waits for its other end.
 */
async function findFile(file: string): Promise<boolean> {
  try {
    if ((await stat(file)).isFile()) return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  throw Object.assign(new Error(`${file} is no file`), { code: "no file" });
}

function parseLine(text: string): Line | undefined {
  try {
    const { store, chain, seq, hash, seal, accepted } = JSON.parse(text) as Partial<Line>;
    const isWhole = [store, chain, hash, seal].every((part) => typeof part === "string");
    if (!isWhole || typeof seq !== "number") return undefined;
    return { store, chain, seq, hash, seal, ...(accepted === true ? { accepted } : {}) } as Line;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the last line of each chain, with any signature. A line that another process appends at the same
 * moment may be lost; that process writes its next head soon. An append-only file just grows.
 */
async function shorten(file: string): Promise<void> {
  if ((await stat(file)).size <= MAX_BYTES) return;
  const lines = new Map<string, { readonly seq: number; readonly text: string }>();
  for await (const text of linesOf(file)) {
    const line = parseLine(text);
    if (line === undefined) continue;
    const key = JSON.stringify([line.store, line.chain]);
    // An accepted loss follows the head that it is about.
    if (line.seq >= (lines.get(key)?.seq ?? -1)) lines.set(key, { seq: line.seq, text });
  }
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, [...lines.values()].map(({ text }) => `${text}\n`).join(""), { mode: 0o600 });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
