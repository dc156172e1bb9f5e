// A text file from disk, or in a few words why there is none.

import { readFileSync } from "node:fs";

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
export function readTextFile(file: string): TextFile {
  let bytes: Uint8Array;
  try {
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
