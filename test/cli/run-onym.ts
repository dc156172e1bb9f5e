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
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { atEnd } from "../at-end.js";
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

let host: Host | undefined;
let waitingHost: WaitingHost | undefined;

/** Removed when the tests of the file have run. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-cli-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
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
  if (isAlone(args)) return runAlone(command);
  host ??= startHost();
  return host.run(command);
}

/** Where the test has to answer meanwhile: the command speaks with servers that the test is, or directs. */
export function awaitOnym(
  cwd: string,
  args: readonly string[],
  { input = "", env = {} }: OnymRunOptions = {},
): Promise<OnymRun> {
  const command = { cwd, args, input, env: onymEnvironment(cwd, env) };
  if (isAlone(args)) return awaitAlone(command);
  waitingHost ??= startWaitingHost();
  return waitingHost.run(command);
}

/** A gateway takes signals and ends its servers when it ends: that is a process. */
function isAlone([command]: readonly string[]): boolean {
  return command === "serve" || process.env["ONYM_TEST_PROCESSES"] !== undefined;
}

const HOST_PROGRAM = join(projectRoot, "test/cli/onym-host.mjs");

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

async function awaitAlone({ args, input, ...options }: Command): Promise<OnymRun> {
  const child = spawn(process.execPath, [ONYM_BIN, ...args], options);
  child.stdin.end(input);
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out: await out, err: await err };
}

async function textOf(stream: Readable): Promise<string> {
  return (await stream.setEncoding("utf8").toArray()).join("");
}

interface Host {
  readonly run: (command: Command) => OnymRun;
}

/** Named pipes, because they can be read and written without giving up the thread. */
function startHost(): Host {
  const folder = newFolder();
  const [commands, outcomes] = [join(folder, "commands"), join(folder, "outcomes")];
  execFileSync("mkfifo", [commands, outcomes]);
  // The shell opens both ends, so that a host that fails to start, or ends, is read as the end of its outcomes.
  const start = ["-c", 'exec "$2" "$3" "$4" <"$0" >"$1"'];
  const child = spawn("/bin/sh", [...start, commands, outcomes, process.execPath, HOST_PROGRAM, ONYM_BIN], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  child.unref();
  const input = openSync(commands, "w");
  const output = openSync(outcomes, "r");
  atEnd(() => {
    host = undefined;
    closeSync(input);
    closeSync(output);
  });
  return {
    run(command) {
      writeSync(input, `${JSON.stringify(command)}\n`);
      return JSON.parse(readLine(output)) as OnymRun;
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

interface WaitingHost {
  readonly run: (command: Command) => Promise<OnymRun>;
}

/** Commands that are given while another runs have their turn after it. */
function startWaitingHost(): WaitingHost {
  const child = spawn(process.execPath, [HOST_PROGRAM, ONYM_BIN], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: { readonly resolve: (run: OnymRun) => void; readonly reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)));
  child.once("close", () => {
    for (const { reject } of waiting) reject(new Error("The process that runs commands has ended."));
  });
  atEnd(() => {
    waitingHost = undefined;
    child.stdin.end();
  });
  return {
    run: (command) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(command)}\n`);
      }),
  };
}
