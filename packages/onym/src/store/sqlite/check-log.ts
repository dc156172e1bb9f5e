// Whether the log beside a store file (`-wal`) holds all that was committed to it. SQLite takes a log that it cannot read
// for one that ends there, and goes on without the rest: approvals would come back that were revoked.
//
// Reading the log by other means than SQLite is safe: unlike the file itself, it carries no locks.

import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { escapeText } from "@onym/core";
import { errorCode } from "../../model/onym-error.js";
import { storeCorrupt, toStoreError } from "../store-errors.js";
import { statFile } from "./check-file.js";

const HEADER_BYTES = 32;
const FRAME_BYTES = 24;
/** The last bit says how numbers are read for the checksum. */
const MAGIC = 0x377f0682;
/**
 * The first page of the table `onym_state`, in every store: it is the second table that is made. Each change of names,
 * approvals, known tools and secrets writes to it.
 */
export const STATE_PAGE = 3;
/** What is longer than this is looked at only at its beginning. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Others may be writing meanwhile: what is wrong is so every time. */
const TRIES = 5;
const PAUSE_MS = 25;

/** @throws OnymError `store-corrupt`. */
export async function checkLog(path: string, place: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const problem = findProblem(path, place);
    if (problem === undefined) return;
    if (tries === TRIES) throw storeCorrupt(place, problem);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function findProblem(path: string, place: string): string | undefined {
  const [log, index] = [`${path}-wal`, `${path}-shm`];
  const name = escapeText(basename(log));
  // The log is made before its index and removed after it.
  const hasIndex = statFile(index, place) !== undefined;
  const bytes = readLog(log, place);
  if (bytes === undefined)
    return hasIndex
      ? `its log ${name} is missing, with what was last written; if you have put back a whole store, remove ${escapeText(basename(index))}`
      : undefined;
  if (bytes.length < HEADER_BYTES || bytes.subarray(0, HEADER_BYTES).every((byte) => byte === 0))
    return undefined;
  return isWhole(bytes) ? undefined : `its log ${name} is damaged`;
}

/** `undefined` where there is none. */
function readLog(path: string, place: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw toStoreError(place, error);
  }
  try {
    const size = Number(statFile(path, place)?.size ?? 0n);
    const bytes = Buffer.alloc(size > MOST_BYTES ? HEADER_BYTES : size);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } catch (error) {
    throw toStoreError(place, error);
  } finally {
    closeSync(file);
  }
}

/**
 * A log may end in what was being written when the power went, in any order: audit records, and frames of one change that
 * was never acknowledged. Where a whole change follows what cannot be read, and something follows that, more than this was
 * lost: each change is on the disk, with all before it, before the next transaction begins.
 */
function isWhole(log: Buffer): boolean {
  const magic = log.readUInt32BE(0);
  if (magic >>> 1 !== MAGIC >>> 1) return false;
  const isBigEndian = (magic & 1) === 1;
  let sum = addUp({ first: 0, second: 0 }, log.subarray(0, 24), isBigEndian);
  if (!isSum(sum, log, 24)) return false;
  const frameBytes = FRAME_BYTES + pageBytes(log);
  let isBroken = false;
  let isChange = false;
  let hasChange = false;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const isOfThisLog = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24));
    if (!isBroken) {
      sum = addUp(sum, log.subarray(at, at + 8), isBigEndian);
      sum = addUp(sum, log.subarray(at + FRAME_BYTES, at + frameBytes), isBigEndian);
      isBroken = !isOfThisLog || !isSum(sum, log, at + 16);
    }
    if (!isOfThisLog) continue;
    if (hasChange) return false;
    isChange ||= log.readUInt32BE(at) === STATE_PAGE;
    if (log.readUInt32BE(at + 4) === 0) continue;
    // The end of a transaction; the broken one may itself be it.
    hasChange = isBroken && isChange;
    isChange = false;
  }
  return true;
}

function pageBytes(log: Buffer): number {
  const size = log.readUInt32BE(8);
  return size === 1 ? 65_536 : size;
}

interface Sum {
  readonly first: number;
  readonly second: number;
}

function addUp({ first, second }: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [a, b] = [first, second];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBigEndian) + b) >>> 0;
    b = (b + view.getUint32(at + 4, !isBigEndian) + a) >>> 0;
  }
  return { first: a, second: b };
}

function isSum({ first, second }: Sum, log: Buffer, at: number): boolean {
  return log.readUInt32BE(at) === first && log.readUInt32BE(at + 4) === second;
}
