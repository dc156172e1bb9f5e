// The command line beside a running Onym, in its folder: another process on the same store.

import { spawn } from "node:child_process";
import { ONYM_BIN, onymEnvironment, type RunningOnym } from "./harness.js";

export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function runCli({ dir }: Pick<RunningOnym, "dir">, ...args: readonly string[]): Promise<CliRun> {
  const child = spawn(process.execPath, [ONYM_BIN, ...args], {
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
