// A config from disk. All that can go wrong with the file itself is reported here.

import { dirname, resolve } from "node:path";
import { OnymError } from "../model/onym-error.js";
import { showPath } from "../model/show-path.js";
import type { Config } from "./config.js";
import { configError } from "./config-problem.js";
import {
  CONFIG_FILES,
  type ConfigChoice,
  type ConfigPlace,
  chooseConfig,
  isClientFile,
} from "./files/find-config.js";
import { startsOnym } from "./files/onym-entry.js";
import { MAX_CONFIG_BYTES, readTextFile } from "./files/read-text-file.js";
import { checkSections, loadTrusted, readTextWithin } from "./files/trust.js";
import { userConfigFile } from "./files/user-folders.js";
import { readConfig } from "./read-config.js";

/**
 * @throws OnymError `config-missing`, `config-invalid` or `config-untrusted`. Nothing is changed, whatever is in the file.
 */
export function loadConfig(place: ConfigPlace): Config {
  return checkSections(loadUntrusted(place), place.env);
}

/** The same, for callers that are about to ask whether it is trusted. @throws OnymError `config-missing` or `config-invalid`. */
export function loadUntrusted(place: ConfigPlace): Config {
  const choice = chooseConfig(place);
  if (choice !== undefined) {
    const config = readChosenConfig(choice, place);
    return choice.note === undefined ? config : { ...config, notes: [...config.notes, choice.note] };
  }
  throw new OnymError(
    "config-missing",
    describeNoConfig(place),
    "onym connect CLIENT moves the servers of a client behind Onym and writes one; onym connect lists the clients here. " +
      "onym add NAME -- COMMAND adds a server by itself. onym serve --demo is a first look without a config. Or name a file with --config.",
  );
}

/** Where a config was looked for. */
export function describeNoConfig({ env }: Pick<ConfigPlace, "env">): string {
  const own = userConfigFile({ platform: process.platform, env });
  return `There is no config here: none of ${CONFIG_FILES.join(", ")}, and no ${showPath(own)}.`;
}

/** Reads the file that was chosen, and no other (CFG-4). @throws OnymError `config-invalid` or `config-untrusted`. */
export function loadChosenConfig(choice: ConfigChoice, place: Omit<ConfigPlace, "file">): Config {
  return checkSections(readChosenConfig(choice, place), place.env);
}

/** The same, trusted or not. @throws OnymError `config-invalid`. */
export function readChosenConfig(choice: ConfigChoice, { env, cwd }: Omit<ConfigPlace, "file">): Config {
  const { file, origin, isWorkbench } = choice;
  // A file that was only found may be anybody's.
  const read = readTextFile(resolve(cwd, file), origin === "found" ? MAX_CONFIG_BYTES : undefined);
  if ("reason" in read) {
    throw configError([
      {
        code: "unreadable-file",
        path: "",
        place: { file, line: 1, column: 1 },
        message: `The config cannot be read: ${read.reason}.`,
        fix: read.isMissing
          ? "Name a file that exists with --config; onym connect CLIENT writes a first one."
          : "Make it a UTF-8 text that can be read, or name another file with --config.",
      },
    ]);
  }
  const folder = dirname(resolve(cwd, file));
  const readText = (path: string) =>
    origin === "found" ? readTextWithin(folder, resolve(cwd, path)) : readTextFile(resolve(cwd, path));
  const ofClient = isClientFile(file) || isWorkbench;
  const config = readConfig(read.text, {
    file,
    folder,
    origin,
    isClientFile: ofClient,
    isWorkbench,
    env,
    readText,
    ...(origin === "found" ? { trusted: loadTrusted(env) } : {}),
  });
  return origin === "found" && isClientFile(file) ? withoutOnym(config) : config;
}

/** A client's file that was found may register Onym beside other servers: it is none of them. */
function withoutOnym(config: Config): Config {
  const servers = config.servers.filter(({ source, entry }) => !startsOnym(source.server, entry));
  return servers.length === config.servers.length ? config : { ...config, servers };
}
