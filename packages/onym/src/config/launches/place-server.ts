// Where a started server lives: the folder it starts in, and what stands between it and Onym's own files (SAFE-7).

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { Isolation } from "../../model/launch.js";
import type { ConfigServer } from "../config.js";
import { userStateFolder } from "../files/user-folders.js";
import type { Environment } from "../json/expand-variables.js";
import type { EntryLaunch } from "./entry-launch.js";
import type { LaunchInput, NoteProblem, OwnFiles } from "./launch-input.js";

type StartedEntry = Extract<EntryLaunch, { readonly kind: "stdio" }>;

interface Placed {
  /** What relative words of the launch refer to. */
  readonly cwd: string;
  /** Where it starts instead. */
  readonly ownFolder?: string;
  readonly isolation?: Isolation;
}

/** Programs that run what the folder they start in holds, and the file that says so there. */
const NODE_FILES = ["package.json", "node_modules"];
const PYTHON_FILES = ["pyproject.toml", "Pipfile"];
const RUNNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", NODE_FILES],
  ["npx", NODE_FILES],
  ["pnpm", NODE_FILES],
  ["pnpx", NODE_FILES],
  ["yarn", NODE_FILES],
  ["bun", NODE_FILES],
  ["bunx", NODE_FILES],
  ["deno", ["deno.json", "deno.jsonc"]],
  ["uv", PYTHON_FILES],
  ["poetry", PYTHON_FILES],
  ["pdm", PYTHON_FILES],
  ["pipenv", PYTHON_FILES],
  ["cargo", ["Cargo.toml"]],
  ["go", ["go.mod"]],
  ["make", ["Makefile"]],
]);

/** @param input `folder` is that of the config, or the project where an editor's folder holds the config. */
export function placeServer(
  entry: StartedEntry,
  input: LaunchInput & { readonly ownFolder: string },
  note: NoteProblem,
): Placed {
  const { folder, ownFolder, isProjectFile = false } = input;
  const cwd = entry.cwd === undefined ? folder : resolve(folder, entry.cwd);
  const isOwn = entry.cwd === undefined && !isProjectFile && !refersTo(folder, entry);
  const isolation = readIsolation(entry, input, note);
  return {
    cwd,
    ...(isOwn ? { ownFolder } : {}),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

/** One for each server of each config, so that two configs with one id do not share files. */
export function ownFolderOf(server: {
  readonly env: Environment;
  /** The folder of the config. */
  readonly config: string;
  readonly id: string;
  readonly toolbox: string | undefined;
}): string {
  const { env, config, id, toolbox } = server;
  const digest = createHash("sha256")
    .update(JSON.stringify([config, toolbox ?? null, id]))
    .digest("hex")
    .slice(0, 12);
  const plain = id.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return join(userStateFolder({ platform: process.platform, env }), "servers", `${plain}-${digest}`);
}

/** A file that a client keeps for one project: entries there are written to be started in that project. */
export function isProjectFile(file: string): boolean {
  return basename(file) === ".mcp.json" || [".vscode", ".cursor"].includes(basename(dirname(resolve(file))));
}

/** Whether some word of the launch names what is in the folder: elsewhere it would not be found (decision 0056). */
function refersTo(folder: string, { command, args }: Pick<StartedEntry, "command" | "args">): boolean {
  const manifests = RUNNERS.get(basename(command).replace(/\.(?:cmd|exe)$/i, "")) ?? [];
  if (manifests.some((file) => existsSync(join(folder, file)))) return true;
  if (/[/\\]/.test(command) && !isAbsolute(command)) return true;
  return args.some((word) => wordsIn(word).some((path) => isThere(folder, path)));
}

/** Programs that fetch what they run: a project's manifest makes no difference to most of it. */
const FETCHERS = new Set(["npx", "pnpx", "bunx"]);

/** The same for an entry that is about to leave the folder: whether it has to be started there. */
export function belongsTo(
  folder: string,
  { command = "", args = [] }: { readonly command?: string; readonly args?: readonly string[] },
): boolean {
  const program = FETCHERS.has(basename(command).replace(/\.(?:cmd|exe)$/i, "")) ? "" : command;
  return refersTo(folder, { command: program, args });
}

/** `--file=./a` holds a path, too. */
function wordsIn(word: string): readonly string[] {
  const [, value] = /^--?[^=]+=(.+)$/.exec(word) ?? [];
  return value === undefined ? [word] : [word, value];
}

function isThere(folder: string, path: string): boolean {
  if (path === "" || path.startsWith("-") || isAbsolute(path)) return false;
  // `python -m server` names a module by the name of its file.
  return [path, `${path}.py`].some((name) => existsSync(join(folder, name)));
}

/** Whether what is started of it is kept from Onym's own files. */
export function isIsolated({ entry: { command, isolation = "none", disabled } }: ConfigServer): boolean {
  return command !== undefined && isolation !== "none" && disabled !== true;
}

const NOTHING: OwnFiles = { files: [], envFiles: [], folders: [] };

function readIsolation(
  { isolation = "none", cwd, envFile }: StartedEntry,
  { folder, ownFolder, own = NOTHING }: LaunchInput & { readonly ownFolder: string },
  note: NoteProblem,
): Isolation | undefined {
  if (isolation === "none") return undefined;
  if (isolation === "bubblewrap") {
    const fixed = envFile === undefined ? [] : [resolve(folder, envFile)];
    const ofOthers = own.envFiles.filter((file) => !fixed.includes(file));
    return {
      kind: "bubblewrap",
      home: ownFolder,
      writesCwd: cwd !== undefined,
      hidden: [...own.files, ...ofOthers],
      fixed,
      folders: own.folders,
      ...(own.sockets === undefined ? {} : { sockets: own.sockets }),
    };
  }
  const [command = ""] = isolation;
  if (command.trim() !== "" && !isolation.some((word) => word.includes("\0")))
    return { kind: "prefix", words: isolation };
  note(["isolation"], {
    code: "bad-command",
    message: `${quoteText(command, 40)} is no command to start the server with.`,
    fix: 'Write its words, such as ["sudo", "-n", "-u", "mcp", "--"], "bubblewrap" or "none".',
  });
  return undefined;
}
