// The command line beside a running Onym, in its folder: another process on the same store.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ONYM_BIN, onymEnvironment, type RunningOnym } from "./harness.js";

export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Those that may start servers. */
const STARTING = new Set([
  "names",
  "resolve",
  "explain",
  "matrix",
  "lint",
  "lock",
  "policy",
  "renames",
  "doctor",
]);

/** The config is named where servers may be started: one that is only found has to be trusted first (CFG-6). */
function nameConfig(dir: string, args: readonly string[]): readonly string[] {
  const isNamed = args.some((word) => /^(?:-c|--config|--url|--)$/.test(word));
  if (isNamed || !STARTING.has(args[0] ?? "") || !existsSync(join(dir, "onym.json"))) return args;
  return [...args, "--config", "onym.json"];
}

export function runCli({ dir }: Pick<RunningOnym, "dir">, ...args: readonly string[]): Promise<CliRun> {
  const child = spawn(process.execPath, [ONYM_BIN, ...nameConfig(dir, args)], {
    cwd: dir,
    env: onymEnvironment(dir, {}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    said.out += part;
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said.err += part;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said })));
}
