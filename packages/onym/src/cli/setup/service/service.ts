// onym service: one gateway for the user, in the background, started with the session.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { escapeText } from "@onym/core";
import { homeOf } from "../../../config/files/user-folders.js";
import { runningAddresses } from "../../../configured/running-addresses.js";
import { readFileBytes, replaceFile } from "../../../documents/replace-file.js";
import { showPath } from "../../../model/show-path.js";
import { nameProgram, PACKAGE_FOLDER } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { type DefineCommand, HELP_COMMAND } from "../../command.js";
import { addJsonOption } from "../../options.js";
import { usageError } from "../../usage-error.js";
import { type ConfigText, openConfigText } from "../servers/config-file.js";
import { buildService, ownPath, type ServiceFile } from "./service-files.js";

interface ServiceOptions {
  readonly config?: string;
  readonly port?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const defineService: DefineCommand = (command, { terminal, run }) => {
  command.helpCommand(...HELP_COMMAND);
  const install = command
    .command("install")
    .description("install and start, or update, the service")
    .option("-c, --config <file>", "the config to serve (default: your own)")
    .option("--port <n>", "the port to listen on")
    .option("--dry-run", "print the file and the commands, and do nothing");
  addJsonOption(install).action((options: ServiceOptions) => run(() => installService(options, terminal)));
  addJsonOption(
    command.command("status").description("whether it is installed, and where it listens"),
  ).action((options: ServiceOptions) => run(() => showStatus(options, terminal)));
  const remove = command
    .command("remove")
    .description("stops it and takes it away")
    .option("--dry-run", "print what would be done, and do nothing");
  addJsonOption(remove).action((options: ServiceOptions) => run(() => removeService(options, terminal)));
  command.addHelpText(
    "after",
    "\nExamples:\n  onym service install\n  onym service install --dry-run\n  onym service status\n  onym service remove",
  );
};

interface Prepared {
  readonly service: ServiceFile;
  readonly shown: string;
  readonly config: ConfigText;
}

function prepare({ config: named, port }: ServiceOptions, terminal: Terminal): Prepared {
  const machine = { platform: process.platform, env: terminal.env };
  const config = openConfigText(named, terminal);
  if (port !== undefined && !/^[1-9]\d{0,4}$/.test(port))
    throw usageError("--port is no port.", "Write a number up to 65535.");
  const program = fileURLToPath(new URL("bin/onym.js", PACKAGE_FOLDER));
  const flags = ["serve", "--config", config.file, ...(port === undefined ? [] : ["--port", port])];
  const service = buildService({
    machine,
    command: [process.execPath, program, ...flags],
    path: ownPath(machine),
    user: userInfo().username,
  });
  return { service, config, shown: showPath(service.path, terminal.cwd, homeOf(machine)) };
}

async function installService(options: ServiceOptions, terminal: Terminal): Promise<ExitCode> {
  const { service, shown, config } = prepare(options, terminal);
  if (!config.exists)
    throw usageError(
      `There is no ${config.shown} to serve.`,
      "onym add or onym connect makes it; --config names another.",
    );
  if (options.dryRun === true) {
    if (options.json === true)
      await writeJson(terminal, {
        status: "dry-run",
        file: service.path,
        text: service.text,
        commands: service.start,
      });
    else
      await terminal.out(
        `${terminal.paint("dim", `${shown} would be:`)}\n${service.text}\n${formatCommands(service.start, terminal)}`,
      );
    return 0;
  }
  const before = readFileBytes(service.path);
  if (before.kind !== "bytes" || before.text !== service.text) replaceFile(service.path, service.text);
  const failed = runAll(service.start, terminal);
  if (options.json === true)
    await writeJson(terminal, {
      status: failed === undefined ? "installed" : "written",
      file: service.path,
      ...(failed === undefined ? {} : { failed }),
    });
  else if (failed === undefined)
    await terminal.out(
      `${terminal.paint("green", "✓")} Onym runs in the background, as ${shown} says.\n` +
        nameProgram(
          "  onym service status shows where it listens; onym connect CLIENT connects clients to it.\n",
          terminal.env,
        ),
    );
  else {
    await terminal.out(`${shown} is written.\n`);
    terminal.err(
      `It could not be started here: ${escapeText(failed.reason)}\nRun:\n${formatCommands(service.start, terminal)}`,
    );
  }
  if (/[\\/]_npx[\\/]/.test(fileURLToPath(PACKAGE_FOLDER)))
    terminal.err(
      "note: this Onym is in npx's cache, which may be cleared. npm install -g onym, and install the service again.\n",
    );
  return failed === undefined ? 0 : 1;
}

async function showStatus(options: ServiceOptions, terminal: Terminal): Promise<ExitCode> {
  const { service, shown, config } = prepare(options, terminal);
  const isInstalled = existsSync(service.path);
  const isActive = isInstalled && runAll([service.status], terminal) === undefined;
  const addresses = (await runningAddresses(config.file, terminal.env)).map(({ href }) => href);
  if (options.json === true) {
    await writeJson(terminal, { installed: isInstalled, active: isActive, file: service.path, addresses });
    return isActive ? 0 : 1;
  }
  const state = !isInstalled
    ? "not installed"
    : isActive
      ? "installed and active"
      : "installed, and not active";
  await terminal.out(`The service is ${state}${isInstalled ? ` (${shown})` : ""}.\n`);
  await terminal.out(
    addresses.length === 0
      ? `No gateway of ${config.shown} listens.\n`
      : `A gateway of ${config.shown} listens at ${addresses.join(", ")}.\n`,
  );
  return isActive ? 0 : 1;
}

async function removeService(options: ServiceOptions, terminal: Terminal): Promise<ExitCode> {
  const { service, shown } = prepare(options, terminal);
  const isInstalled = existsSync(service.path);
  const isDry = options.dryRun === true;
  const failed = isInstalled && !isDry ? runAll(service.stop, terminal) : undefined;
  if (isInstalled && !isDry) rmSync(service.path, { force: true });
  const status = !isInstalled ? "not-installed" : isDry ? "dry-run" : "removed";
  if (options.json === true) {
    await writeJson(terminal, {
      status,
      file: service.path,
      ...(isDry ? { commands: service.stop } : {}),
      ...(failed === undefined ? {} : { failed }),
    });
    return 0;
  }
  if (status === "dry-run")
    await terminal.out(`${formatCommands(service.stop, terminal)}and ${shown} would be removed.\n`);
  else
    await terminal.out(
      isInstalled
        ? `${terminal.paint("green", "✓")} ${shown} is removed.\n`
        : "The service is not installed.\n",
    );
  if (failed !== undefined)
    terminal.err(`note: ${failed.command.join(" ")} failed: ${escapeText(failed.reason)}\n`);
  return 0;
}

interface FailedCommand {
  readonly command: readonly string[];
  readonly reason: string;
}

/** Until one fails. */
function runAll(commands: readonly (readonly string[])[], { env }: Terminal): FailedCommand | undefined {
  for (const command of commands) {
    const [program = "", ...args] = command;
    const ran = spawnSync(program, args, {
      encoding: "utf8",
      env: env as NodeJS.ProcessEnv,
      timeout: 30_000,
    });
    if (ran.status !== 0)
      return {
        command,
        reason: ran.error?.message ?? (ran.stderr.trim() || ran.stdout.trim() || `exit ${ran.status}`),
      };
  }
  return undefined;
}

function formatCommands(commands: readonly (readonly string[])[], { paint }: Terminal): string {
  return commands.map((words) => `  ${paint("bold", words.join(" "))}\n`).join("");
}
