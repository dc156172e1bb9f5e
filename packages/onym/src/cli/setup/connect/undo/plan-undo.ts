// What --undo is to do with one file: all that Onym wrote to it is taken back, from the last change to the first. Where the file is
// exactly as Onym left it each time, that is byte for byte; where others have written to it, too, only what Onym wrote goes (LOCK-7).

import { editDocument, readDocument } from "../../../../documents/edit-document.js";
import { readFileBytes } from "../../../../documents/replace-file.js";
import type { ConnectStep, RecordedFile } from "./connect-record.js";
import { revertEdits } from "./revert-edits.js";

/** All that Onym wrote to one file, the first change first. */
export interface FileHistory extends Pick<RecordedFile, "file" | "role" | "format"> {
  readonly changes: readonly RecordedFile[];
}

export type PlannedUndo = { readonly history: FileHistory } & (
  | {
      readonly kind: "restore";
      /** `undefined` where there was no file. */
      readonly bytes: Buffer | undefined;
    }
  | { readonly kind: "merge"; readonly now: string; readonly text: string }
  /** The config of Onym, which other clients use. */
  | { readonly kind: "shared" }
  /** Changed since: of a client a conflict; the config of Onym is left to those who changed it. */
  | {
      readonly kind: "changed";
      readonly reason: string;
      readonly differences: readonly Difference[];
      /** What Onym wrote is still there as it wrote it, so that it can be taken back alone. */
      readonly isApart: boolean;
    }
);

/** What somebody else changed between two changes of Onym's, or after the last. */
interface Difference {
  readonly written: string;
  readonly found: string;
}

/** The files of these steps, each once. */
export function historiesOf(
  steps: readonly ConnectStep[],
  wanted: RecordedFile["role"],
): readonly FileHistory[] {
  const all = steps.flatMap(({ files }) => files.filter(({ role }) => role === wanted));
  return all
    .filter(({ file }, at) => all.findIndex((other) => other.file === file) === at)
    .map(({ file, role, format }) => ({
      file,
      role,
      format,
      changes: all.filter((change) => change.file === file),
    }));
}

/** A file of a client. What others changed is kept only where the user says so. */
export function planClientUndo(
  history: FileHistory,
  { keepChanges }: { readonly keepChanges?: boolean },
): PlannedUndo {
  const { file, changes } = history;
  const read = readFileBytes(file);
  if (read.kind === "unreadable")
    return { history, kind: "changed", reason: read.reason, differences: [], isApart: false };
  const now = read.kind === "bytes" ? read.bytes : undefined;
  const original = changes[0]?.before;
  // Somebody has put it back already, or an undo was interrupted.
  if (isEqual(now, original)) return { history, kind: "restore", bytes: original };
  const differences = findDifferences(changes, now);
  const undone = takeBack(changes, now);
  if (!undone.ok) return { history, kind: "changed", reason: undone.reason, differences, isApart: false };
  if (!undone.isMerged) return { history, kind: "restore", bytes: undone.bytes };
  return keepChanges === true
    ? { history, kind: "merge", now: textOf(now), text: textOf(undone.bytes) }
    : { history, kind: "changed", reason: "it was changed", differences, isApart: true };
}

type TakenBack =
  | { readonly ok: true; readonly bytes: Buffer | undefined; readonly isMerged: boolean }
  | { readonly ok: false; readonly reason: string };

function takeBack(changes: readonly RecordedFile[], now: Buffer | undefined): TakenBack {
  let bytes = now;
  let isMerged = false;
  for (const change of changes.toReversed()) {
    if (isEqual(bytes, change.after)) bytes = change.before;
    // Else it was recorded and never written, or taken back by hand.
    else if (!isEqual(bytes, change.before)) {
      if (bytes === undefined) return { ok: false, reason: "it is gone" };
      const merged = mergeBack(change, textOf(bytes));
      if (!merged.ok) return merged;
      bytes = Buffer.from(merged.text);
      isMerged = true;
    }
  }
  return { ok: true, bytes, isMerged };
}

function findDifferences(changes: readonly RecordedFile[], now: Buffer | undefined): readonly Difference[] {
  return changes.flatMap(({ before, after }, index) => {
    const next = index + 1 < changes.length ? changes[index + 1]?.before : now;
    if (isEqual(next, after) || isEqual(next, before)) return [];
    return [{ written: textOf(after), found: textOf(next) }];
  });
}

/**
 * The config of Onym, in whatever order clients wrote to it: each change whose result stands there gives way to what was before it.
 * What others have written there stays without being asked for.
 */
export function planConfigUndo(history: FileHistory): PlannedUndo {
  const { file, changes } = history;
  const read = readFileBytes(file);
  if (read.kind !== "bytes") return planClientUndo(history, {});
  const left = [...changes];
  const seen: (Buffer | undefined)[] = [read.bytes];
  let bytes: Buffer | undefined = read.bytes;
  while (bytes !== undefined) {
    const at = left.findLastIndex(({ after }) => isEqual(bytes, after));
    if (at === -1) break;
    bytes = left.splice(at, 1)[0]?.before;
    seen.push(bytes);
  }
  // What is left over was recorded and never written, if the file is as it was before.
  if (left.every(({ before }) => seen.some((state) => isEqual(state, before))))
    return { history, kind: "restore", bytes };
  let text = read.text;
  for (const change of changes.toReversed()) {
    const merged = mergeBack(change, text);
    if (!merged.ok)
      return { history, kind: "changed", reason: merged.reason, differences: [], isApart: false };
    text = merged.text;
  }
  return { history, kind: "merge", now: read.text, text };
}

function mergeBack({ before, after, format }: RecordedFile, now: string) {
  const [was, written, is] = [textOf(before), textOf(after), now].map((text) => readDocument(text, format));
  if (was?.ok !== true || written?.ok !== true || is?.ok !== true)
    return { ok: false, reason: "it cannot be read" } as const;
  const edits = revertEdits({ was: was.value, written: written.value, is: is.value });
  return edits.ok ? editDocument(now, format, edits.value) : edits;
}

function isEqual(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

function textOf(bytes: Buffer | undefined): string {
  return bytes?.toString("utf8") ?? "";
}
