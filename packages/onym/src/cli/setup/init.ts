// onym init: a first config from the clients found on this machine, and how to register Onym in one of them.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import type { Machine } from "../../clients/client-paths.js";
import { type FoundFile, findClientFiles } from "../../clients/find-client.js";
import { type MergedServer, mergeServers } from "../../clients/merge-servers.js";
import type { CarriedEntry } from "../../clients/server-entry-of.js";
import { createFileReader } from "../../config/files/read-text-file.js";
import { digestLaunch, digestsToTrust, findUntrusted, recordTrust } from "../../config/files/trust.js";
import { homeOf } from "../../config/files/user-folders.js";
import { readChosenConfig } from "../../config/load-config.js";
import { maskEntry } from "../../model/mask-secrets.js";
import { OnymError } from "../../model/onym-error.js";
import { showPath } from "../../model/show-path.js";
import { formatTable } from "../../output/format-table.js";
import { nameProgram } from "../../output/package-folder.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import type { DefineCommand } from "../command.js";
import { addAliasOption, addJsonOption } from "../options.js";
import { usageError } from "../usage-error.js";
import { formatFound } from "./format-found.js";
import { buildConfigText, checkConfigText, countLiterals, noteLiterals } from "./import/build-config-text.js";
import { listClients, printRegistration } from "./register-client.js";
import { fileExists, writeConfig } from "./write-config.js";

interface InitOptions {
  readonly client?: string | true;
  readonly as?: string;
  readonly config?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const FILE = "onym.json";
const LOOK_FIRST = "look first with --dry-run";

export const defineInit: DefineCommand = (command, { terminal, run }) => {
  command
    .option("--client [id]", "print how to register Onym in a client; without an id, list the clients")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--force", "write over an onym.json that exists")
    .option(
      "-c, --config <file>",
      "with --client: the config that Onym is started with (default: onym.json here)",
    );
  addAliasOption(command);
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym init --dry-run\n  onym init\n  onym init --client claude-code\n  onym init --client cursor --as tools",
    )
    .action((options: InitOptions) => run(() => init(options, terminal)));
};

async function init(options: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const { client } = options;
  refuseMixed(options);
  if (client === true) return listClients(options, terminal);
  if (client !== undefined) return printRegistration({ ...options, client }, terminal);
  return writeFirstConfig(options, terminal);
}

/** Flags of one half beside those of the other are a mistake, not to be passed over. */
function refuseMixed({ client, as, config, dryRun, force }: InitOptions): void {
  const foreign =
    client === undefined ? { "--as": as, "--config": config } : { "--dry-run": dryRun, "--force": force };
  const [flag] = Object.entries(foreign).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return;
  throw client === undefined
    ? usageError(`${flag} goes with --client.`, "Name the client: onym init --client ID.")
    : usageError(`${flag} does not go with --client.`, "Nothing is written when a registration is printed.");
}

async function writeFirstConfig(options: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const file = join(terminal.cwd, FILE);
  const isDry = options.dryRun === true;
  if (!isDry && options.force !== true && existsSync(file)) throw fileExists(FILE, LOOK_FIRST);
  const machine: Machine = { platform: process.platform, env: terminal.env, project: terminal.cwd };
  const found = findClientFiles(machine);
  const merged = mergeServers(found.map(({ read }) => ("servers" in read ? (read.servers ?? []) : [])));
  const servers = startInProject(merged, found, terminal.cwd);
  const entries = servers.map(({ entry }) => entry);
  const text = buildConfigText(servers, terminal.cwd);
  const checked = checkConfigText(text, { file: FILE, folder: terminal.cwd, env: terminal.env });
  const shown = buildConfigText(
    servers.map((server) => ({ ...server, entry: maskEntry(server.entry) })),
    terminal.cwd,
  );
  const notes = [...merged.notes, ...noteLiterals(entries), ...checked];
  const status = servers.length === 0 ? "nothing" : isDry ? "dry-run" : "written";
  if (status === "written") {
    writeConfig(file, text, {
      force: options.force === true,
      isSecret: countLiterals(entries) > 0,
      orElse: LOOK_FIRST,
    });
    notes.push(...trustWritten(ownEntries(found, terminal.cwd), terminal));
  }

  const home = homeOf(machine);
  const files = found.map(({ client, file: path, read }, index) => ({
    client: client.id,
    title: client.title,
    file: showPath(path, terminal.cwd, home),
    entries: merged.outcomes[index] ?? [],
    problem: "reason" in read ? read.reason : undefined,
  }));
  if (options.json === true) {
    const reported = files.map(({ title: _, ...rest }) => rest);
    const config: unknown = isDry ? { config: JSON.parse(shown) } : {};
    await writeJson(terminal, {
      status,
      file: FILE,
      files: reported,
      servers: servers.map(({ id }) => id),
      notes,
      ...Object(config),
    });
  } else {
    const lines = formatFound(files, terminal);
    if (lines.length > 0) await terminal.out(`${lines.join("\n")}\n\n`);
    await printOutcome(status, { text: shown, count: servers.length, isFound: files.length > 0 }, terminal);
    for (const note of notes) showNote(note, terminal);
  }
  return status === "nothing" ? 1 : 0;
}

/** Clients start what stands in a file of the project in the project; Onym would start it in a folder of its own. */
function startInProject(
  { servers, outcomes }: ReturnType<typeof mergeServers>,
  found: readonly FoundFile[],
  project: string,
): readonly MergedServer[] {
  const idsOf = (isMeant: (file: FoundFile) => boolean): ReadonlySet<string> =>
    new Set(
      found.flatMap((file, index) =>
        isMeant(file) ? (outcomes[index] ?? []).flatMap((one) => ("as" in one ? one.as : [])) : [],
      ),
    );
  const isOwn = ({ file }: FoundFile): boolean => relative(project, file).startsWith("..");
  const own = idsOf(isOwn);
  const ofProject = idsOf((file) => !isOwn(file));
  return servers.map((server) => {
    const { id, entry } = server;
    const isMeant = entry.command !== undefined && entry.cwd === undefined;
    return isMeant && ofProject.has(id) && !own.has(id)
      ? { ...server, entry: { ...entry, cwd: "." } }
      : server;
  });
}

/** The entries in the user's own files. Those in the project may be a stranger's. */
function ownEntries(found: readonly FoundFile[], project: string): readonly CarriedEntry[] {
  const own = found.filter(({ file }) => relative(project, file).startsWith(".."));
  const lists = own.map(({ read }) => ("servers" in read ? (read.servers ?? []) : []));
  return mergeServers(lists).servers.map(({ entry }) => entry);
}

/** What the user's own clients start is trusted already (CFG-6). */
function trustWritten(own: readonly CarriedEntry[], { env, cwd }: Terminal): readonly string[] {
  const choice = { file: FILE, origin: "found", isWorkbench: false } as const;
  const digests = new Set(own.map((entry) => digestLaunch(cwd, entry)));
  try {
    const read = createFileReader();
    const untrusted = [...findUntrusted(readChosenConfig(choice, { env, cwd }), env, read).keys()];
    const [known, strange] = [
      untrusted.filter(({ launchDigest }) => digests.has(launchDigest)),
      untrusted.filter(({ launchDigest }) => !digests.has(launchDigest)),
    ];
    recordTrust(digestsToTrust(known, { folder: cwd, env, read }), { env, change: "trust" });
    if (strange.length === 0) return [];
    const names = strange.map(({ source }) => quoteText(source.server)).join(", ");
    return [`${names} came from files of this folder and stay down until you trust them: onym trust.`];
  } catch (error) {
    if (!(error instanceof OnymError)) throw error;
    return [`${error.message} ${error.hint}`];
  }
}

async function printOutcome(
  status: "nothing" | "dry-run" | "written",
  { text, count, isFound }: { readonly text: string; readonly count: number; readonly isFound: boolean },
  { out, err, paint, env }: Terminal,
): Promise<void> {
  if (status === "nothing") {
    const what = isFound
      ? "No server to put into a config was found."
      : "No client with MCP servers was found.";
    err(
      `${what} ${nameProgram("onym add NAME -- COMMAND", env)} adds a server to your own config, for every folder. ` +
        `For this folder alone, write ${FILE} by hand:\n` +
        '  {"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}\n',
    );
    return;
  }
  if (status === "dry-run") {
    await out(`${paint("dim", `${FILE} would be:`)}\n${escapeLines(text)}`);
    return;
  }
  const next = formatTable(
    [
      [`  onym connect CLIENT --config ${FILE}`, "registers Onym in a client, in place of its servers"],
      ["  onym serve", "the gateway, for clients that connect over HTTP"],
    ].map(([command = "", what = ""]) => [nameProgram(command, env), what]),
    paint,
  );
  await out(
    `${paint("green", "✓")} ${FILE} written: ${countNoun(count, "server")}.\n\nNext:\n${next.join("\n")}\n`,
  );
}

function escapeLines(text: string): string {
  return text.split("\n").map(escapeText).join("\n");
}
