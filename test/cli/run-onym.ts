// Commands of the built program, run to their end in folders of their own. All commands of a test file share one process,
// because starting it costs many times what a command does; with ONYM_TEST_PROCESSES each has its own (npm run test:processes).

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { ONYM_BIN, onymEnvironment } from "../gateway/harness.js";
import { projectRoot } from "../project-files.js";

export interface OnymRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface OnymRunOptions {
  readonly input?: string;
  /** Beside PATH and a HOME that is the folder. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Removed when the tests of the file have run. */
const folders: string[] = [];
let host: Host | undefined;
afterAll(() => {
  host?.close();
  host = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-cli-"));
  folders.push(folder);
  return folder;
}

/** A folder with these files; a value that is no text is written as JSON. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** Blocks until the command has ended, as `spawnSync` does. */
export function runOnym(
  cwd: string,
  args: readonly string[],
  { input = "", env = {} }: OnymRunOptions = {},
): OnymRun {
  const command = { cwd, args, input, env: onymEnvironment(cwd, env) };
  // A gateway takes signals and ends its servers when it ends: that is a process.
  if (args[0] === "serve" || process.env["ONYM_TEST_PROCESSES"] !== undefined) return runAlone(command);
  host ??= startHost();
  return host.run(command);
}

interface Command {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

function runAlone({ args, ...options }: Command): OnymRun {
  const ran = spawnSync(process.execPath, [ONYM_BIN, ...args], {
    ...options,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

interface Host {
  readonly run: (command: Command) => OnymRun;
  readonly close: () => void;
}

/** Named pipes, because they can be read and written without giving up the thread. */
function startHost(): Host {
  const folder = newFolder();
  const [commands, outcomes] = [join(folder, "commands"), join(folder, "outcomes")];
  execFileSync("mkfifo", [commands, outcomes]);
  const program = join(projectRoot, "test/cli/onym-host.mjs");
  // The shell opens both ends, so that a host that fails to start, or ends, is read as the end of its outcomes.
  const start = ["-c", 'exec "$2" "$3" "$4" <"$0" >"$1"'];
  const child = spawn("/bin/sh", [...start, commands, outcomes, process.execPath, program, ONYM_BIN], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  child.unref();
  const input = openSync(commands, "w");
  const output = openSync(outcomes, "r");
  return {
    run(command) {
      writeSync(input, `${JSON.stringify(command)}\n`);
      return JSON.parse(readLine(output)) as OnymRun;
    },
    close() {
      closeSync(input);
      closeSync(output);
    },
  };
}

function readLine(from: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(1 << 16);
    const length = readSync(from, part);
    if (length === 0) throw new Error("The process that runs commands has ended.");
    parts.push(part.subarray(0, length));
    if (part[length - 1] === 0x0a) return Buffer.concat(parts).toString("utf8");
  }
}
