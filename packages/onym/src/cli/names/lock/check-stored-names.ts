// onym lock with a database: names are given out there, and the file is a copy of them for version control (LOCK-1).

import { diffLocks, EMPTY_LOCK, formatLock, type Lock } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { loadLockText, readLock, writeLock } from "../../../configured/lock-file.js";
import { showPath } from "../../../model/show-path.js";
import { nameProgram } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { countNoun, pathFromHere } from "../../../output/wording.js";
import { useStore } from "../../store/with-store.js";
import { formatDiff, formatOtherChanges, otherChanges, reportOther } from "./format-diff.js";

export interface StoredNamesOptions {
  readonly file: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Copies the names in the store to the file; with `check`, says how the two differ. */
export async function checkStoredNames(
  config: Config,
  options: StoredNamesOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { file } = options;
  const text = loadLockText(file);
  const before = text === undefined ? undefined : readLock(text, file);
  const stored = await useStore(config, terminal, async ({ store }) => store?.names.load("tools"));
  const after: Lock = stored?.lock ?? EMPTY_LOCK;
  const formatted = formatLock(after);
  const isEqual = before === undefined ? after.profiles.size === 0 : formatLock(before) === formatted;
  const isWritten = options.check !== true && !isEqual;
  if (isWritten) writeLock(file, formatted);
  // Without a file there is nothing in git that could disagree.
  const isInStep = isEqual || before === undefined;
  const status = isWritten ? "written" : isInStep ? "in-step" : "drift";
  const diff = diffLocks(before ?? EMPTY_LOCK, after);
  const other = before === undefined ? [] : otherChanges(before, after);
  const { paint, out } = terminal;
  const shown = showPath(file, terminal.cwd);
  if (options.json === true)
    await writeJson(terminal, {
      file: pathFromHere(file, terminal.cwd),
      status,
      ...diff,
      ...reportOther(other),
    });
  else if (status === "drift" || options.quiet !== true) {
    const heads = {
      written: `${paint("green", "✓")} ${shown} written, with the names in the store.`,
      drift: `${paint("red", "✗")} ${shown} and the store differ (+ is in the store only):`,
      "in-step":
        before === undefined
          ? `${paint("green", "✓")} There is no ${shown}; the names are in the store.`
          : `${paint("green", "✓")} ${shown} is in step with the store: ${countNoun(diff.kept, "name")} kept.`,
    };
    const lines =
      status === "in-step"
        ? []
        : [
            ...formatDiff({ before: before ?? EMPTY_LOCK, after, diff }, terminal),
            ...formatOtherChanges(other),
          ];
    await out(`${[heads[status], ...lines].join("\n")}\n`);
    if (status === "drift")
      terminal.err(
        `${nameProgram("Run onym lock to take the names in the store; gateways go by the store.", terminal.env)}\n`,
      );
  }
  return status === "drift" ? 1 : 0;
}
