// onym store: a copy of the store that can be put back, made while gateways use it.

import { resolve } from "node:path";
import { showPath } from "../../model/show-path.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { DefineCommand } from "../command.js";
import { HELP_COMMAND } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { usageError } from "../usage-error.js";
import { type StoreOptions, type StoreUse, withStore } from "./with-store.js";

interface BackupOptions extends StoreOptions {
  readonly json?: boolean;
}

const EXAMPLES = "\nExamples:\n  onym store backup onym-2026-11-17.db";

export const defineStore: DefineCommand = (command, { terminal, run }) => {
  command.helpCommand(...HELP_COMMAND).addHelpText("after", EXAMPLES);
  const backup = command
    .command("backup")
    .description("writes a whole copy of the store's file, while gateways use it")
    .argument("<file>", "the file to write; it must not exist")
    .addHelpText(
      "after",
      `${EXAMPLES}\n\nTo put a copy back: end the gateways, move onym.db with its -wal, -shm and -revision aside, and move the copy in its place.`,
    );
  addJsonOption(addStoreOption(backup)).action((file: string, options: BackupOptions) =>
    run(() => withStore(options, terminal, (use) => backUp(use, file, options, terminal))),
  );
};

async function backUp(
  { store, absence }: StoreUse,
  file: string,
  { json }: BackupOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (store === undefined) {
    terminal.err(`Nothing was copied. ${absence.message}\n`);
    return 1;
  }
  if (store.backup === undefined)
    throw usageError("A database is not copied by Onym.", "Use its own tools, such as pg_dump.");
  const path = resolve(terminal.cwd, file);
  await store.backup(path);
  if (json === true) await writeJson(terminal, { file: path });
  else await terminal.out(`${showPath(path, terminal.cwd)} is a whole copy of the store.\n`);
  return 0;
}
