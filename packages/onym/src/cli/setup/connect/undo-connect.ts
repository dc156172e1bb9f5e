// onym connect CLIENT --undo: the files as they were, byte for byte. Where somebody changed one since, nothing is written before the
// user says so: --keep-changes, or a yes at the terminal, takes back only what Onym wrote (LOCK-7).

import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeText } from "@onym/core";
import { homeOf, userConfigFile, userStateFolder } from "../../../config/files/user-folders.js";
import { showNote } from "../../catalog/open-snapshot.js";
import type { ExitCode } from "../../command.js";
import { showPath } from "../../output/wording.js";
import { confirm, isInteractive, type Terminal, writeJson } from "../../terminal.js";
import { usageError } from "../../usage-error.js";
import type { Client } from "../clients/client.js";
import { editDocument, readDocument } from "../edit/edit-document.js";
import { readFileBytes, replaceFile } from "../replace-file.js";
import {
  forgetStep,
  keepConfigChanges,
  loadKeptConfigChanges,
  loadLastStep,
  otherConnected,
  type RecordedFile,
} from "./connect-record.js";
import { formatDiff } from "./format-plan.js";
import { revertEdits } from "./revert-edits.js";

interface UndoOptions {
  readonly keepChanges?: boolean;
  readonly json?: boolean;
}

/** What is to be done with one file. */
type Restored =
  | { readonly kind: "restore"; readonly file: RecordedFile }
  | { readonly kind: "merge"; readonly file: RecordedFile; readonly now: string; readonly text: string }
  /** The config of Onym, which other clients use. */
  | { readonly kind: "shared"; readonly file: RecordedFile }
  /** Changed since: of a client a conflict; the config of Onym is left to those who changed it. */
  | {
      readonly kind: "changed";
      readonly file: RecordedFile;
      readonly now: string;
      readonly reason: string;
      /** What Onym wrote is still there as it wrote it, so that it can be taken back alone. */
      readonly isApart: boolean;
    };

export async function undoConnect(
  client: Client,
  options: UndoOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const step = loadLastStep(client.id, terminal.env);
  if (step === undefined)
    throw usageError(
      `There is nothing to undo: ${client.id} is not connected by onym connect.`,
      "onym connect shows what is connected.",
    );
  const others = otherConnected(client.id, terminal.env);
  const kept = others.length === 0 ? loadKeptConfigChanges(terminal.env) : [];
  const config = [...kept, step].flatMap(({ files }) => files.filter(({ role }) => role === "config"));
  const plan = (asked: UndoOptions): readonly Restored[] => [
    ...step.files.filter(({ role }) => role === "client").map((file) => checkFile(file, asked)),
    ...(others.length === 0
      ? config
          .filter((file, at) => config.findIndex((other) => other.file === file.file) === at)
          .map((file) => checkConfig(file, config))
      : config.map((file) => ({ kind: "shared", file }) as const)),
  ];
  let restored = plan(options);
  let conflicts = conflictsOf(restored);
  const show = ({ file }: RecordedFile): string => {
    const machine = { platform: process.platform, env: terminal.env };
    return showPath(file, terminal.cwd, homeOf(machine));
  };
  const isApart = conflicts.every((one) => one.isApart);
  if (conflicts.length > 0 && isApart && options.json !== true && isInteractive(terminal)) {
    for (const one of conflicts) await showBoth(one, show(one.file), terminal);
    if (!(await confirm("Take back only what Onym wrote, and keep these changes?", terminal))) {
      terminal.err("Nothing was written.\n");
      return 1;
    }
    restored = plan({ ...options, keepChanges: true });
    conflicts = conflictsOf(restored);
  }
  if (conflicts.length === 0) {
    if (others.length > 0) keepConfigChanges(client.id, step, terminal.env);
    for (const one of restored) restore(one);
    for (const done of [...kept, step]) forgetStep(done);
  }
  const status = conflicts.length === 0 ? "undone" : "changed-since";
  if (options.json === true) {
    await writeJson(terminal, {
      status,
      client: client.id,
      files: restored.map(({ kind, file }) => ({
        file: file.file,
        outcome: conflicts.length === 0 || kind === "changed" ? kind : "untouched",
      })),
      ...(conflicts.length === 0 ? {} : { backup: step.folder }),
    });
    return conflicts.length === 0 ? 0 : 1;
  }
  for (const one of restored) {
    if (one.kind === "shared")
      showNote(
        `${show(one.file)} stays as it is: ${others.join(", ")} ${others.length === 1 ? "uses" : "use"} it, too. The last --undo takes back what Onym wrote there.`,
        terminal,
      );
    else if (one.kind !== "changed") {
      if (conflicts.length > 0) continue;
      if (one.kind === "merge")
        await terminal.out(`${formatDiff(one.now, one.text, one.file.format, terminal).join("\n")}\n`);
      await terminal.out(`${terminal.paint("green", "✓")} ${show(one.file)} is ${describeRestored(one)}.\n`);
    } else if (one.file.role === "config")
      showNote(
        `${show(one.file)} was changed since, and stays: its servers and rules may serve others. onym list shows them.`,
        terminal,
      );
    else await showBoth(one, show(one.file), terminal);
  }
  if (conflicts.length === 0 && others.length === 0) {
    noteLeftConfig(restored, terminal);
    noteRemains(restored, terminal);
  }
  if (conflicts.length > 0)
    terminal.err(
      isApart
        ? `Nothing was written yet: these changes are not Onym's, and would be lost.\n  onym connect ${client.id} --undo --keep-changes keeps them, and takes back only what Onym wrote.\n`
        : `Nothing was written: what Onym wrote was changed itself. Take it out by hand; the files as they were are in ${escapeText(step.folder)}.\n`,
    );
  return conflicts.length === 0 ? 0 : 1;
}

function conflictsOf(restored: readonly Restored[]) {
  return restored.filter((one) => one.kind === "changed").filter((one) => one.file.role === "client");
}

function describeRestored({
  kind,
  file,
}: Exclude<Restored, { readonly kind: "changed" | "shared" }>): string {
  if (kind === "merge") return "without what Onym wrote; the other changes stay";
  return file.before === undefined ? "removed: it was not there before" : "as it was";
}

/** The last client is gone, and servers that were moved here from another one, with their secrets, stay behind. */
function noteLeftConfig(restored: readonly Restored[], terminal: Terminal): void {
  const machine = { platform: process.platform, env: terminal.env };
  const file = userConfigFile(machine);
  if (restored.some((one) => one.file.role === "config") || !existsSync(file)) return;
  const shown = showPath(file, terminal.cwd, homeOf(machine));
  showNote(
    `${shown} stays, with its servers and their secrets; no client is connected to it now. onym list shows them; delete the file if you do not need it.`,
    terminal,
  );
}

/** What gateways wrote meanwhile; a client that is connected again has its names from there. */
function noteRemains(restored: readonly Restored[], terminal: Terminal): void {
  const machine = { platform: process.platform, env: terminal.env };
  const config = restored.find((one) => one.file.role === "config")?.file.file ?? userConfigFile(machine);
  const remains = [
    ...["onym.db", "onym.lock"].map((name) => join(dirname(config), name)),
    userStateFolder(machine),
  ].filter((each) => existsSync(each));
  if (remains.length === 0) return;
  const shown = remains.map((each) => showPath(each, terminal.cwd, homeOf(machine)));
  showNote(
    `what Onym kept remains: ${shown.join(", ")}. Connected again, tools have the same names; delete them to uninstall.`,
    terminal,
  );
}

/**
 * Taken back in whatever order it was written: each change whose result stands there gives way to what was before it. Where others
 * have written, too, only what Onym wrote goes.
 */
function checkConfig(file: RecordedFile, all: readonly RecordedFile[]): Restored {
  const read = readFileBytes(file.file);
  if (read.kind !== "bytes") return checkFile(file, {});
  const changes = all.filter((change) => change.file === file.file);
  const left = [...changes];
  let bytes: Buffer | undefined = read.bytes;
  while (bytes !== undefined) {
    const at = left.findLastIndex(({ after }) => bytes?.equals(after));
    if (at === -1) break;
    bytes = left.splice(at, 1)[0]?.before;
  }
  if (left.length === 0) return { kind: "restore", file: { ...file, before: bytes } };
  let text = read.text;
  for (const change of changes.toReversed()) {
    const merged = mergeBack(change, text);
    if (!merged.ok) return { kind: "changed", file, now: read.text, reason: merged.reason, isApart: false };
    text = merged.text;
  }
  return { kind: "merge", file, now: read.text, text };
}

function checkFile(file: RecordedFile, { keepChanges }: UndoOptions): Restored {
  const read = readFileBytes(file.file);
  if (read.kind === "bytes" && read.bytes.equals(file.after)) return { kind: "restore", file };
  // Somebody has put it back already.
  if (
    read.kind === "missing"
      ? file.before === undefined
      : read.kind === "bytes" && file.before?.equals(read.bytes) === true
  )
    return { kind: "restore", file };
  const now = read.kind === "bytes" ? read.text : "";
  if (read.kind !== "bytes")
    return {
      kind: "changed",
      file,
      now,
      reason: read.kind === "missing" ? "it is gone" : read.reason,
      isApart: false,
    };
  const merged = mergeBack(file, now);
  if (!merged.ok) return { kind: "changed", file, now, reason: merged.reason, isApart: false };
  return keepChanges === true
    ? { kind: "merge", file, now, text: merged.text }
    : { kind: "changed", file, now, reason: "it was changed", isApart: true };
}

function mergeBack({ before, after, format }: RecordedFile, now: string) {
  const values = [before?.toString("utf8") ?? "", after.toString("utf8"), now].map((text) =>
    readDocument(text, format),
  );
  const [was, written, is] = values;
  if (was?.ok !== true || written?.ok !== true || is?.ok !== true)
    return { ok: false, reason: "it cannot be read" } as const;
  const edits = revertEdits({ was: was.value, written: written.value, is: is.value });
  return edits.ok ? editDocument(now, format, edits.value) : edits;
}

function restore(one: Restored): void {
  if (one.kind === "merge") replaceFile(one.file.file, one.text);
  if (one.kind !== "restore") return;
  if (one.file.before === undefined) rmSync(one.file.file, { force: true });
  else replaceFile(one.file.file, one.file.before);
}

async function showBoth(
  { file, now, reason }: Extract<Restored, { kind: "changed" }>,
  shown: string,
  terminal: Terminal,
): Promise<void> {
  const lines = formatDiff(file.after.toString("utf8"), now, file.format, terminal);
  await terminal.out(
    `${terminal.paint("bold", `${shown}: ${reason} since Onym wrote it (- as Onym wrote it, + as it is now)`)}\n${lines.join("\n")}\n`,
  );
}
