// The launches of all servers of a config; every mistake in them is told at once, before anything starts (CFG-2).

import { resolve } from "node:path";
import type { Config, ConfigServer } from "./config.js";
import { type ConfigProblem, configError } from "./config-problem.js";
import type { Environment } from "./expand-variables.js";
import { launchOf, type ServerLaunch } from "./launch-of.js";
import { readTextFile } from "./read-text-file.js";

/** @throws OnymError `config-invalid`. Reads env files, and starts nothing. */
export function loadLaunches(config: Config, env: Environment): ReadonlyMap<ConfigServer, ServerLaunch> {
  const launches = new Map<ConfigServer, ServerLaunch>();
  const problems: ConfigProblem[] = [];
  const readText = (file: string) => readTextFile(resolve(config.folder, file));
  for (const server of config.servers) {
    const read = launchOf(server, { folder: config.folder, env, readText });
    if ("launch" in read) launches.set(server, read.launch);
    else problems.push(...read.problems);
  }
  if (problems.length > 0) throw configError(problems);
  return launches;
}
