// The launches of all servers of a config; every mistake in them is reported at once, before anything starts (CFG-2). What is
// not known or not trusted of one server makes that one unusable, and no other (CFG-6).

import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import { findMisplaced, findNested, type Launch } from "../../model/launch.js";
import { showPath } from "../../model/show-path.js";
import type { Config, ConfigServer } from "../config.js";
import { type ConfigProblem, configError } from "../config-problem.js";
import { createFileReader, readTextFile, type TextFile } from "../files/read-text-file.js";
import { findUntrusted, readTextWithin } from "../files/trust.js";
import type { Environment } from "../json/expand-variables.js";
import { launchOf } from "./launch-of.js";
import { ownFilesOf } from "./own-files.js";
import { isProjectFile } from "./place-server.js";

/** @throws OnymError `config-invalid`. Reads env files, and starts nothing. */
export function loadLaunches(config: Config, env: Environment): ReadonlyMap<ConfigServer, Launch> {
  const read = createFileReader();
  const untrusted = findUntrusted(config, env, read);
  return launchesOf(config, env, (server) => {
    const part = untrusted.get(server);
    return part === undefined ? read : part === "launch" ? UNTRUSTED : untrustedEnvFile(server);
  });
}

/**
 * The launches as they are written, trusted or not: to tell which server was seen before. Nothing is started from them.
 *
 * @throws OnymError `config-invalid`. Reads env files; for a server that is not trusted only those of the folder.
 */
export function writtenLaunches(config: Config, env: Environment): ReadonlyMap<ConfigServer, Launch> {
  const untrusted = findUntrusted(config, env, createFileReader());
  const readWithin = (file: string): TextFile => readTextWithin(config.folder, file);
  return launchesOf(config, env, (server) => (untrusted.has(server) ? readWithin : readTextFile));
}

function launchesOf(
  config: Config,
  env: Environment,
  /** How the files of a server are read, or why there is no launch of it. */
  readerFor: (server: ConfigServer) => ((file: string) => TextFile) | UnusableLaunch,
): ReadonlyMap<ConfigServer, Launch> {
  const launches = new Map<ConfigServer, Launch>();
  const problems: ConfigProblem[] = [];
  const own = ownFilesOf(config, env);
  for (const server of config.servers) {
    const reader = readerFor(server);
    if (typeof reader !== "function") {
      launches.set(server, reader);
      continue;
    }
    // Trusted since the file was read, or not at all.
    if (server.isWithheld === true && server.runs) {
      launches.set(server, UNTRUSTED);
      continue;
    }
    const unfilled = describeUnfilled(server.unfilled);
    if (unfilled !== undefined) {
      launches.set(server, unfilled);
      continue;
    }
    const read = launchOf(server, {
      folder: config.folder,
      env,
      readText: (file) => reader(resolve(config.folder, file)),
      isProjectFile: isProjectFile(config.file),
      own,
    });
    const launch = "launch" in read ? refuseMisplaced(read.launch) : describeUnfilled(read.problems);
    if (launch !== undefined) launches.set(server, launch);
    else if ("problems" in read) problems.push(...read.problems);
  }
  if (problems.length > 0) throw configError(problems);
  return refuseNested(launches);
}

/** An isolated server that another one could lead elsewhere is not isolated (SAFE-7). */
function refuseNested(launches: ReadonlyMap<ConfigServer, Launch>): ReadonlyMap<ConfigServer, Launch> {
  const all = [...launches.values()];
  return new Map(
    Array.from(launches, ([server, launch]) => {
      const around = findNested(launch, all);
      return [server, around === undefined ? launch : nestedLaunch(around)] as const;
    }),
  );
}

function nestedLaunch(around: string): UnusableLaunch {
  return {
    kind: "unusable",
    code: "not-isolated",
    variable: undefined,
    reason: `its "cwd" lies in ${showPath(around)}, which another isolated server may write to and could put a link in, so that nothing isolates it`,
    hint: 'Give each a folder of its own, side by side: "cwd".',
  };
}

/** An isolated server that could see or replace what decides about it is not isolated (SAFE-7). */
function refuseMisplaced(launch: Launch): Launch {
  const misplaced = findMisplaced(launch);
  if (misplaced === undefined) return launch;
  const shown = showPath(misplaced.path);
  const isWritten = misplaced.could === "replace";
  return {
    kind: "unusable",
    code: "not-isolated",
    variable: undefined,
    reason: isWritten
      ? `it may write to its "cwd", from where it could replace ${shown}, so that nothing isolates it`
      : `it would start in ${shown}, where Onym keeps files of its own, so that nothing isolates it`,
    hint: isWritten
      ? 'Give it a folder of its own: "cwd". Or leave "cwd" out.'
      : 'Give it a folder of its own: "cwd".',
  };
}

/** Shows nothing of the entry: its text comes from a stranger. */
const UNTRUSTED: UnusableLaunch = {
  kind: "unusable",
  code: "untrusted",
  variable: undefined,
  reason: "its config was found in this folder, and nobody has trusted this launch yet",
  hint: "Look at it and trust it: onym trust. Or name the config with --config.",
};

/** The entry itself is trusted, so that the path may be shown. */
function untrustedEnvFile({ entry: { envFile = "" } }: ConfigServer): UnusableLaunch {
  return {
    ...UNTRUSTED,
    reason: `its config was found in this folder, and nobody has trusted the variables in its envFile ${quoteText(envFile)} as they are now`,
    hint: "Look at them and trust them: onym trust. Or name the config with --config.",
  };
}

export type UnusableLaunch = Extract<Launch, { readonly kind: "unusable" }>;

/** `undefined` where there is no problem, or another than variables that cannot be filled in. */
export function describeUnfilled(problems: readonly ConfigProblem[]): UnusableLaunch | undefined {
  const [first, ...others] = problems;
  if (first === undefined || !problems.every(({ code }) => isUnfilled(code))) return undefined;
  const more = others.length === 0 ? "" : `, and ${others.length} more like it`;
  return {
    kind: "unusable",
    code: first.code === "editor-variable" ? "editor-variable" : "missing-variable",
    variable: first.variable,
    reason: `${sentenceIn(first.message)} (${first.path}${more})`,
    hint: first.fix,
  };
}

function isUnfilled(code: string): boolean {
  return code === "missing-variable" || code === "editor-variable";
}

function sentenceIn(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}
