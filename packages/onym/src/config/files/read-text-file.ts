// A text file from disk, or in a few words why there is none.

import { readFileSync, type Stats, statSync } from "node:fs";

export type TextFile = { readonly text: string } | { readonly reason: string; readonly isMissing: boolean };

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "a part of its path is no folder"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "reading it is not permitted"],
  ["EPERM", "reading it is not permitted"],
  ["ELOOP", "its links lead in a circle"],
  ["ENAMETOOLONG", "its path is too long"],
  ["ERR_INVALID_ARG_VALUE", "its path holds a NUL"],
]);

/** Reads UTF-8; a byte order mark is left out, and bytes that are none of it are refused rather than replaced. */
export function readTextFile(file: string, maxBytes = MAX_FILE_BYTES): TextFile {
  let bytes: Uint8Array;
  try {
    const reason = reasonAgainst(statSync(file), file, maxBytes);
    if (reason !== undefined) return { reason, isMissing: false };
    bytes = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { reason: REASONS.get(code) ?? `the system says ${code || "no"}`, isMissing: code === "ENOENT" };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { reason: "it is not UTF-8", isMissing: false };
  }
}

/** Reads each file once, so that what somebody was shown or asked about is what is used, whoever writes it meanwhile. */
export function createFileReader(): (file: string) => TextFile {
  const files = new Map<string, TextFile>();
  return (file) => {
    const read = files.get(file) ?? readTextFile(file);
    files.set(file, read);
    return read;
  };
}

/** A lock or a list of tools is far smaller. */
export const MAX_FILE_BYTES = 256 * 1_048_576;

/** A config that was only found, and each file that it names. JSON with places takes a quarter of a second per MiB of blanks (2026-11). */
export const MAX_CONFIG_BYTES = 4_194_304;

/** A pipe that a shell makes for a command: `onym diff <(…) <(…)`. */
const SHELL_PIPE = /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$/;

/** A folder may hold links to anything: reading a device never ends, and a pipe waits until something writes to it. */
export function reasonAgainst(stats: Stats, file: string, maxBytes = MAX_FILE_BYTES): string | undefined {
  if (stats.isFile()) return stats.size > maxBytes ? `it has more than ${maxBytes} bytes` : undefined;
  if (stats.isDirectory() || (stats.isFIFO() && SHELL_PIPE.test(file)) || file === "/dev/stdin")
    return undefined;
  return "it is no file but a device, a pipe or a socket";
}
