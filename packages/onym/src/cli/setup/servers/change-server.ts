// onym remove, enable, disable: one server of the config, found by its id; everything else in the file stays (CFG-6).

import { escapeText, quoteText } from "@onym/core";
import { didYouMean } from "../../../config/json/near-text.js";
import type { Edit } from "../../../documents/edit.js";
import { memberOf } from "../../../documents/edit-document.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import type { DefineCommand } from "../../command.js";
import { addJsonOption } from "../../options.js";
import { usageError } from "../../usage-error.js";
import {
  type ConfigText,
  editConfigText,
  listWritten,
  openConfigText,
  saveConfigText,
  type WrittenServer,
} from "./config-file.js";
import { isDisabled } from "./list.js";

interface ChangeOptions {
  readonly toolbox?: string;
  readonly config?: string;
  readonly json?: boolean;
}

type Change = "remove" | "enable" | "disable";

const DONE = { remove: "removed", enable: "enabled", disable: "disabled" } as const;

function defineChange(change: Change): DefineCommand {
  return (command, { terminal, run }) => {
    command
      .argument("<name>", "the id of the server")
      .option("--toolbox <id>", "the toolbox it is in, where several have one of this id")
      .option("-c, --config <file>", "the config to edit (default: your own)");
    addJsonOption(command)
      .addHelpText("after", `\nExamples:\n  onym ${change} memory\n  onym ${change} memory --toolbox notes`)
      .action((name: string, options: ChangeOptions) =>
        run(() => changeServer(change, name, options, terminal)),
      );
  };
}

export const defineRemove = defineChange("remove");
export const defineEnable = defineChange("enable");
export const defineDisable = defineChange("disable");

async function changeServer(
  change: Change,
  id: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const opened = openConfigText(options.config, terminal);
  const server = findWritten(id, options.toolbox, opened);
  const edits = editsOf(change, server);
  if (edits.length > 0) saveConfigText(editConfigText(opened, edits), opened, terminal);
  const status = edits.length === 0 ? "unchanged" : DONE[change];
  if (options.json === true) await writeJson(terminal, { status, server: id, file: opened.file });
  else {
    const { paint } = terminal;
    const what =
      status === "unchanged"
        ? `is ${DONE[change]} already in`
        : change === "remove"
          ? "removed from"
          : `${DONE[change]} in`;
    await terminal.out(`${paint("green", "✓")} ${escapeText(id)} ${what} ${opened.shown}.\n`);
  }
  return 0;
}

/** Switching on takes the switch away, whichever of the two clients write. */
function editsOf(change: Change, { path, entry }: WrittenServer): readonly Edit[] {
  if (change === "remove") return [{ path }];
  if (change === "disable") return isDisabled(entry) ? [] : [{ path: [...path, "disabled"], value: true }];
  return ["disabled", "enabled"].flatMap((key) =>
    memberOf(entry, key) === undefined || !isDisabled(entry) ? [] : [{ path: [...path, key] }],
  );
}

function findWritten(id: string, toolbox: string | undefined, { value, shown }: ConfigText): WrittenServer {
  const all = listWritten(value);
  const found = all.filter((one) => one.id === id && (toolbox === undefined || one.toolbox === toolbox));
  const [server, ...others] = found;
  if (server === undefined)
    throw usageError(
      `${shown} has no server ${quoteText(id)}${toolbox === undefined ? "" : ` in the toolbox ${quoteText(toolbox)}`}.`,
      `${didYouMean(
        id,
        all.map((one) => one.id),
      )}onym list shows them.`,
    );
  if (others.length > 0)
    throw usageError(`${shown} has several servers ${quoteText(id)}.`, "Say which with --toolbox ID.");
  return server;
}
