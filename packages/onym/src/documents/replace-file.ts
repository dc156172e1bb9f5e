// A file of the user's, read as bytes and written whole or not at all: through links, with the rights it had.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { reasonAgainst } from "../config/files/read-text-file.js";
import { OnymError } from "../model/onym-error.js";
import { showPath } from "../model/show-path.js";

export type FileBytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** UTF-8 with its byte order mark, if it has one: what is written back has it again. */
export function readFileBytes(file: string): FileBytes {
  let bytes: Buffer;
  try {
    const reason = reasonAgainst(statSync(file), file);
    if (reason !== undefined) return { kind: "unreadable", reason };
    bytes = readFileSync(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { kind: "missing" };
    return { kind: "unreadable", reason: code === "EISDIR" ? "it is a folder" : `the system says ${code}` };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "bytes", bytes, text };
  } catch {
    return { kind: "unreadable", reason: "it is not UTF-8" };
  }
}

/**
 * New files and folders are for their owner alone: settings hold secrets.
 *
 * @throws OnymError `file-unwritable`; the file is as it was then.
 */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const target = targetOf(file);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const mode = modeOf(target) ?? 0o600;
    writeFileSync(draft, content, { flag: "wx", mode });
    chmodSync(draft, mode);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new OnymError(
      "file-unwritable",
      `${showPath(file)} cannot be written (${codeOf(error)}).`,
      "Check that its folder may be written to; the file is as it was.",
      { cause: error },
    );
  }
}

/** Where a link leads, also one to a file that is not there yet. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function modeOf(file: string): number | undefined {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
