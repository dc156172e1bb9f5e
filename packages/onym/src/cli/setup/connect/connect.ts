// onym connect: registers Onym in a client, moves its servers to Onym's config, and carries its permission lists over (LOCK-7).

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { remarkOf } from "../../../clients/client.js";
import type { Machine } from "../../../clients/client-paths.js";
import { clientOf } from "../../../clients/find-client.js";
import { homeOf } from "../../../config/files/user-folders.js";
import { replaceFile } from "../../../documents/replace-file.js";
import { programName } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showNote } from "../../../output/show-note.js";
import { CANNOT_ASK, confirm, isInteractive, type Terminal, writeJson } from "../../../output/terminal.js";
import type { DefineCommand } from "../../command.js";
import { addAliasOption, addJsonOption } from "../../options.js";
import { usageError } from "../../usage-error.js";
import { type ConfigText, openConfigText } from "../servers/config-file.js";
import { formatPlan, formatPlanDiff } from "./format-plan.js";
import { listConnections } from "./list-connections.js";
import { openClient } from "./open-client.js";
import { type ConnectPlan, planConnect } from "./plan-connect.js";
import { connectedClients, loadSteps, recordStep } from "./undo/connect-record.js";
import { keepIds } from "./undo/kept-ids.js";
import { undoConnect } from "./undo/undo-connect.js";

export interface ConnectOptions {
  readonly as?: string;
  readonly file?: string;
  readonly config?: string;
  readonly stdio?: boolean;
  readonly http?: boolean;
  readonly url?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly undo?: boolean;
  readonly keepChanges?: boolean;
  readonly json?: boolean;
}

/** A file of so many characters takes seconds to read, edit and check. */
const LARGE = 4_000_000;

const EXAMPLES =
  "\nWithout a client, it lists those on this machine and whether Onym is registered in them.\n\n" +
  "Examples:\n  onym connect\n  onym connect claude-code --dry-run\n  onym connect cursor\n  onym connect cursor --undo\n" +
  "  onym connect vscode --file .vscode/mcp.json\n  onym connect codex --url https://onym.example.com/mcp";

export const defineConnect: DefineCommand = (command, { terminal, run, version }) => {
  command
    .argument("[client]", "the client, such as claude-code or cursor")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--yes", "write it without being asked")
    .option("--undo", "restore the client's files, byte for byte")
    .option("--keep-changes", "with --undo: undo only what Onym wrote, if the files were changed since")
    .option("--file <file>", "the client's file (default: the user's own)")
    .option("--stdio", "the client starts Onym (default, unless onym service is installed)")
    .option("--http", "the client connects to a running gateway")
    .option("--url <url>", "a gateway running elsewhere; its token is read from ONYM_TOKEN")
    .option("--force", "also move servers that Onym cannot start")
    .option("-c, --config <file>", "the config that the servers move to (default: your own)");
  addAliasOption(command);
  addJsonOption(command)
    .addHelpText("after", EXAMPLES)
    .action((client: string | undefined, options: ConnectOptions) =>
      run(() => connect(client, { ...options, version }, terminal)),
    );
};

async function connect(
  name: string | undefined,
  options: ConnectOptions & { readonly version: string },
  terminal: Terminal,
): Promise<ExitCode> {
  if (name === undefined) {
    if (options.undo === true) throw whichToUndo(terminal);
    return listConnections(options, terminal);
  }
  refuseMixed(options);
  const client = clientOf(name);
  if (options.undo === true) return undoConnect(client, options, terminal);
  const machine: Machine = { platform: process.platform, env: terminal.env, project: terminal.cwd };
  const opened = openClient(client, machine, options.file);
  if (opened.text.length > LARGE)
    showNote(
      `${opened.shown} has ${Math.round(opened.text.length / 1e6)} MB; looking through it takes a while.`,
      terminal,
    );
  const config = openConfigText(options.config, terminal);
  if (options.config !== undefined) refuseUnsafePlace(config, terminal);
  refuseLostConfig(client.id, config, terminal);
  const { as: alias, ...others } = options;
  const plan = await planConnect(
    opened,
    config,
    { ...others, ...(alias === undefined ? {} : { alias }) },
    terminal,
  );
  const isChange = plan.files.length > 0;
  if (options.json !== true) {
    await terminal.out(`${[...formatPlanDiff(plan, terminal), ...formatPlan(plan, terminal)].join("\n")}\n`);
    for (const note of plan.notes) showNote(note, terminal);
  }
  const isAgreed = isChange && (await mayWrite(plan, options, terminal));
  const status = !isChange
    ? "unchanged"
    : isAgreed
      ? "connected"
      : options.dryRun === true
        ? "dry-run"
        : "refused";
  const backup = isAgreed ? writePlan(plan, terminal) : undefined;
  if (options.json === true) await writeJson(terminal, reportOf(plan, { status, backup }));
  else await printOutcome(status, plan, alias ?? DEFAULT_ALIAS, terminal);
  return status === "refused" ? 1 : 0;
}

function whichToUndo({ env }: Terminal): Error {
  const connected = connectedClients(env);
  return usageError(
    "--undo needs the client.",
    connected.length === 0
      ? "No client is connected by this command."
      : connected.map((id) => `onym connect ${id} --undo`).join(", or "),
  );
}

/** Connecting again would write an empty config, and the client's servers would look lost: they are in what `--undo` restores. */
function refuseLostConfig(client: string, { file, shown, exists }: ConfigText, { env }: Terminal): void {
  if (exists) return;
  const moved = loadSteps(client, env).some(({ files }) => files.some((one) => one.file === file));
  if (moved)
    throw usageError(
      `${shown} is gone, and the servers that moved there with it.`,
      `onym connect ${client} --undo puts them back into the client; then connect again.`,
    );
}

function refuseMixed({ stdio, http, url, undo, keepChanges, dryRun }: ConnectOptions): void {
  if (stdio === true && (http === true || url !== undefined))
    throw usageError("--stdio does not go with --http or --url.", "Use one of them.");
  if (keepChanges === true && undo !== true)
    throw usageError("--keep-changes goes with --undo.", "Use both.");
  if (undo === true && dryRun === true)
    throw usageError(
      "--undo does not go with --dry-run.",
      "Where files were changed since, it changes nothing and shows both.",
    );
}

/** The client's servers will stand there and nowhere else: a config is made only where it will stay. */
function refuseUnsafePlace({ file, shown, exists }: ConfigText, { env }: Terminal): void {
  if (exists) return;
  const hint =
    "Name a config that there is, or leave --config out: your own is used, and made where there is none.";
  if (!existsSync(dirname(file))) throw usageError(`There is no ${shown}, and no folder for it.`, hint);
  const { TMPDIR: temporary = tmpdir() } = env;
  const home = homeOf({ platform: process.platform, env });
  if (isWithin(temporary, file) && !isWithin(temporary, home))
    throw usageError(
      `There is no ${shown}, and it would be in a temporary folder: the servers of the client would be lost with it.`,
      hint,
    );
}

function isWithin(folder: string, path: string): boolean {
  const near = relative(folder, path);
  return near !== ".." && !near.startsWith(`..${sep}`) && !isAbsolute(near);
}

async function mayWrite(plan: ConnectPlan, options: ConnectOptions, terminal: Terminal): Promise<boolean> {
  if (options.dryRun === true) return false;
  if (options.yes === true) return true;
  if (options.json === true || !isInteractive(terminal))
    throw usageError(CANNOT_ASK, "Use --dry-run to see the changes, --yes to write them.");
  return confirm(`Write ${plan.files.map(({ shown }) => shown).join(" and ")}?`, terminal);
}

/** The record first: whatever happens then, it can be undone. */
function writePlan({ opened, files, launches, config }: ConnectPlan, { env }: Terminal): string {
  const folder = recordStep(
    opened.client.id,
    files.map(({ file, role, format, before, after }) => ({
      file,
      role,
      format,
      before,
      after: Buffer.from(after),
    })),
    env,
  );
  for (const { file, after } of files) replaceFile(file, after);
  keepIds(launches, config, env);
  return folder;
}

async function printOutcome(
  status: "unchanged" | "connected" | "dry-run" | "refused",
  { opened }: ConnectPlan,
  alias: string,
  { out, paint }: Terminal,
): Promise<void> {
  const { client } = opened;
  const remark = remarkOf(client, { alias, file: opened.path });
  const lines = {
    unchanged: [`${paint("green", "✓")} ${client.title} is already connected; nothing to do.`],
    connected: [
      `${paint("green", "✓")} ${client.title} is connected. Restart it to have its tools from Onym.`,
      ...(remark === undefined ? [] : [`  ${remark}`]),
      `  ${programName()} connect ${client.id} --undo puts the files back.`,
    ],
    "dry-run": ["Nothing was written."],
    refused: ["Nothing was written."],
  }[status];
  await out(`\n${lines.join("\n")}\n`);
}

function reportOf(
  { opened, gateway, files, servers, carry, denied, notes }: ConnectPlan,
  { status, backup }: { readonly status: string; readonly backup: string | undefined },
) {
  return {
    status,
    client: opened.client.id,
    transport: gateway.transport,
    reason: gateway.reason,
    files: files.map(({ file, role, before }) => ({ file, role, isNew: before === undefined })),
    servers,
    permissions: {
      carried: carry.carried.map(({ rule, to }) => ({ effect: rule.effect, entry: rule.text, to })),
      left: carry.left.map(({ rule, reason, instead }) => ({
        effect: rule.effect,
        entry: rule.text,
        reason,
        instead,
      })),
    },
    denied,
    ...(backup === undefined ? {} : { backup }),
    notes,
  };
}
