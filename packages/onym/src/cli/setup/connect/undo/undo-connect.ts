// onym connect CLIENT --undo: the files as they were, byte for byte, however often
// the client was connected. Where somebody changed one since, nothing is written before the
// user says so: --keep-changes, or a yes at the terminal, takes back only what Onym wrote (LOCK-7).

import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeText } from "@onym/core";
import type { Client } from "../../../../clients/client.js";
import { homeOf, userConfigFile, userStateFolder } from "../../../../config/files/user-folders.js";
import { replaceFile } from "../../../../documents/replace-file.js";
import { showPath } from "../../../../model/show-path.js";
import { programName } from "../../../../output/package-folder.js";
import type { ExitCode } from "../../../../output/show-error.js";
import { showNote } from "../../../../output/show-note.js";
import { confirm, isInteractive, type Terminal, writeJson } from "../../../../output/terminal.js";
import { usageError } from "../../../usage-error.js";
import { formatDiff } from "../format-plan.js";
import { listClientsWithOnym } from "../list-connections.js";
import {
  forgetStep,
  keepConfigChanges,
  loadKeptConfigChanges,
  loadSteps,
  otherConnected,
} from "./connect-record.js";
import { historiesOf, type PlannedUndo, planClientUndo, planConfigUndo } from "./plan-undo.js";

interface UndoOptions {
  readonly keepChanges?: boolean;
  readonly json?: boolean;
}

export async function undoConnect(
  client: Client,
  options: UndoOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const steps = loadSteps(client.id, terminal.env);
  const [first] = steps;
  if (first === undefined)
    throw usageError(
      `There is nothing to undo: ${client.id} is not connected by onym connect.`,
      "onym connect shows what is connected.",
    );
  const others = otherConnected(client.id, terminal.env);
  const kept = others.length === 0 ? loadKeptConfigChanges(terminal.env) : [];
  const config = historiesOf([...kept, ...steps], "config");
  const plan = (asked: UndoOptions): readonly PlannedUndo[] => [
    ...historiesOf(steps, "client").map((history) => planClientUndo(history, asked)),
    ...config.map(
      (history): PlannedUndo => (others.length === 0 ? planConfigUndo(history) : { history, kind: "shared" }),
    ),
  ];
  let restored = plan(options);
  let conflicts = conflictsOf(restored);
  const show = ({ history }: PlannedUndo): string => {
    const machine = { platform: process.platform, env: terminal.env };
    return showPath(history.file, terminal.cwd, homeOf(machine));
  };
  const isApart = conflicts.every((one) => one.isApart);
  if (conflicts.length > 0 && isApart && options.json !== true && isInteractive(terminal)) {
    for (const one of conflicts) await showBoth(one, show(one), terminal);
    if (!(await confirm("Take back only what Onym wrote, and keep these changes?", terminal))) {
      terminal.err("Nothing was written.\n");
      return 1;
    }
    restored = plan({ ...options, keepChanges: true });
    conflicts = conflictsOf(restored);
  }
  if (conflicts.length === 0) {
    if (others.length > 0) for (const step of steps) keepConfigChanges(client.id, step, terminal.env);
    for (const one of restored) restore(one);
    for (const done of [...kept, ...steps]) forgetStep(done);
  }
  const status = conflicts.length === 0 ? "undone" : "changed-since";
  if (options.json === true) {
    await writeJson(terminal, {
      status,
      client: client.id,
      files: restored.map(({ kind, history }) => ({
        file: history.file,
        outcome: conflicts.length === 0 || kind === "changed" ? kind : "untouched",
      })),
      ...(conflicts.length === 0 ? {} : { backup: first.folder }),
    });
    return conflicts.length === 0 ? 0 : 1;
  }
  for (const one of restored) {
    if (one.kind === "shared")
      showNote(
        `${show(one)} stays as it is: ${others.join(", ")} ${others.length === 1 ? "uses" : "use"} it, too. The last --undo takes back what Onym wrote there.`,
        terminal,
      );
    else if (one.kind !== "changed") {
      if (conflicts.length > 0) continue;
      if (one.kind === "merge")
        await terminal.out(`${formatDiff(one.now, one.text, one.history.format, terminal).join("\n")}\n`);
      await terminal.out(`${terminal.paint("green", "✓")} ${show(one)} is ${describeUndone(one)}.\n`);
    } else if (one.history.role === "config")
      showNote(
        `${show(one)} was changed since, and stays: its servers and rules may serve others. onym list shows them.`,
        terminal,
      );
    else await showBoth(one, show(one), terminal);
  }
  if (conflicts.length === 0 && others.length === 0) {
    noteLeftConfig(restored, terminal);
    noteRemains(restored, terminal);
  }
  if (conflicts.length > 0)
    terminal.err(
      isApart
        ? `Nothing was written yet: these changes are not Onym's, and would be lost.\n  ${programName()} connect ${client.id} --undo --keep-changes keeps them, and takes back only what Onym wrote.\n`
        : `Nothing was written: what Onym wrote was changed itself. Take it out by hand; the files as they were are in ${escapeText(first.folder)}.\n`,
    );
  return conflicts.length === 0 ? 0 : 1;
}

function conflictsOf(restored: readonly PlannedUndo[]) {
  return restored.filter((one) => one.kind === "changed").filter((one) => one.history.role === "client");
}

function describeUndone(one: Extract<PlannedUndo, { readonly kind: "restore" | "merge" }>): string {
  if (one.kind === "merge") return "without what Onym wrote; the other changes stay";
  return one.bytes === undefined ? "removed: it was not there before" : "as it was";
}

/** The last client is gone, and servers that were moved here from another one, with their secrets, stay behind. */
function noteLeftConfig(restored: readonly PlannedUndo[], terminal: Terminal): void {
  const machine = { platform: process.platform, env: terminal.env };
  const file = userConfigFile(machine);
  if (restored.some((one) => one.history.role === "config") || !existsSync(file)) return;
  if (listClientsWithOnym({ ...machine, project: terminal.cwd }).length > 0) return;
  const shown = showPath(file, terminal.cwd, homeOf(machine));
  showNote(
    `${shown} stays, with its servers and their secrets; no client is connected to it now. onym list shows them; delete the file if you do not need it.`,
    terminal,
  );
}

/** What gateways wrote meanwhile; a client that is connected again has its names from there. */
function noteRemains(restored: readonly PlannedUndo[], terminal: Terminal): void {
  const machine = { platform: process.platform, env: terminal.env };
  const config =
    restored.find((one) => one.history.role === "config")?.history.file ?? userConfigFile(machine);
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

function restore(one: PlannedUndo): void {
  const { file } = one.history;
  if (one.kind === "merge") replaceFile(file, one.text);
  if (one.kind !== "restore") return;
  if (one.bytes === undefined) rmSync(file, { force: true });
  else replaceFile(file, one.bytes);
}

async function showBoth(
  { history, differences, reason }: Extract<PlannedUndo, { kind: "changed" }>,
  shown: string,
  terminal: Terminal,
): Promise<void> {
  const lines = differences.flatMap(({ written, found }) =>
    formatDiff(written, found, history.format, terminal),
  );
  await terminal.out(
    `${terminal.paint("bold", `${shown}: ${reason} since Onym wrote it (- as Onym wrote it, + as it is now)`)}\n${lines.join("\n")}\n`,
  );
}
