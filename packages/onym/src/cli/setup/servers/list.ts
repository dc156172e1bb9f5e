// onym list: the servers of the config, as they are written (CFG-6).

import { escapeText } from "@onym/core";
import { memberOf } from "../../../documents/edit-document.js";
import { maskEntry } from "../../../model/mask-secrets.js";
import { fitColumns } from "../../../output/fit-columns.js";
import { type Cell, formatTable } from "../../../output/format-table.js";
import { nameProgram } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showNote } from "../../../output/show-note.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { serverLabel } from "../../../output/wording.js";
import type { DefineCommand } from "../../command.js";
import { addJsonOption } from "../../options.js";
import { listWritten, noteOtherConfig, openConfigText, type WrittenServer } from "./config-file.js";

interface ListOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export const defineList: DefineCommand = (command, { terminal, run }) => {
  command.option("-c, --config <file>", "the config to read (default: your own)");
  addJsonOption(command)
    .addHelpText("after", "\nExamples:\n  onym list\n  onym list --config onym.json --json")
    .action((options: ListOptions) => run(() => listServers(options, terminal)));
};

async function listServers({ config, json }: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const opened = openConfigText(config, terminal);
  const servers = listWritten(opened.value);
  if (json === true) {
    await writeJson(terminal, {
      file: opened.file,
      exists: opened.exists,
      servers: servers.map(({ id, toolbox, entry }) => ({
        server: id,
        ...(toolbox === undefined ? {} : { toolbox }),
        enabled: !isDisabled(entry),
        entry: maskEntry(Object(entry)),
      })),
    });
    return 0;
  }
  if (servers.length === 0) {
    const there = opened.exists ? `${opened.shown} has no servers.` : `There is no ${opened.shown} yet.`;
    const how = "Add one: onym add NAME -- COMMAND, or onym connect CLIENT moves those of a client.";
    terminal.err(`${there} ${nameProgram(how, terminal.env)}\n`);
    return 0;
  }
  const { paint, columns } = terminal;
  const rows = servers.map((server) => rowOf(server));
  const head: readonly Cell[] = ["SERVER", "", "REACHED BY"].map((text) => ({ text, style: "dim" }));
  const table = formatTable(fitColumns([head, ...rows], columns, [{ column: 2, least: 20 }]), paint);
  await terminal.out(`${paint("dim", opened.shown)}\n${table.join("\n")}\n`);
  for (const note of noteOtherConfig(opened, terminal)) showNote(note, terminal);
  return 0;
}

function rowOf({ id, toolbox, entry }: WrittenServer): readonly Cell[] {
  const off = isDisabled(entry);
  return [
    { text: serverLabel({ server: id, toolbox }), style: off ? "dim" : "bold" },
    { text: off ? "off" : "on", style: off ? "dim" : "green" },
    escapeText(describeEntry(entry)),
  ];
}

/** What is started or connected to, without secrets. */
export function describeEntry(entry: unknown): string {
  const masked = maskEntry(Object(entry));
  const { command, args, tools } = masked as {
    readonly command?: unknown;
    readonly args?: unknown;
    readonly tools?: unknown;
  };
  const url = ["url", "httpUrl", "serverUrl"]
    .map((key) => memberOf(masked, key))
    .find((text) => typeof text === "string");
  if (typeof command === "string")
    return [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ");
  if (url !== undefined) return String(url);
  return tools === undefined ? "nothing: it has no command and no url" : "the tools in the config";
}

export function isDisabled(entry: unknown): boolean {
  return memberOf(entry, "disabled") === true || memberOf(entry, "enabled") === false;
}
