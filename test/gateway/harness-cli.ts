// The command line beside a running Onym, in its folder: another process on the same store.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { awaitOnym, type OnymRun } from "../cli/run-onym.js";
import type { RunningOnym } from "./harness.js";

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

export function runCli({ dir }: Pick<RunningOnym, "dir">, ...args: readonly string[]): Promise<OnymRun> {
  return awaitOnym(dir, nameConfig(dir, args));
}
