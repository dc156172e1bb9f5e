// A config from disk. All that can go wrong with the file itself is told here.

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { OnymError } from "@onym/core";
import type { Config } from "./config.js";
import { configError } from "./config-problem.js";
import type { Environment } from "./expand-variables.js";
import { CONFIG_FILES, isClientFile } from "./find-config.js";
import { readConfig } from "./read-config.js";
import { readTextFile } from "./read-text-file.js";

export interface LoadConfigInput {
  /** As the user named it; where absent, the files of CFG-1 are looked for in `cwd`. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

/** @throws OnymError `config-missing` or `config-invalid`. Nothing is changed, whatever is in the file. */
export function loadConfig(input: LoadConfigInput): Config {
  const { env, cwd } = input;
  const file = findConfigFile(input.file, cwd);
  if (file === undefined) {
    throw new OnymError(
      "config-missing",
      `There is no config here: none of ${CONFIG_FILES.join(", ")}.`,
      "onym init writes onym.json from the clients on this machine; onym serve --demo is a first look without one. " +
        "Or name a file with --config.",
    );
  }
  const readText = (path: string) => readTextFile(resolve(cwd, path));
  const read = readText(file);
  if ("reason" in read) {
    throw configError([
      {
        code: "unreadable-file",
        path: "",
        place: { file, line: 1, column: 1 },
        message: `The config cannot be read: ${read.reason}.`,
        fix: read.isMissing
          ? "Name a file that exists with --config; onym init writes a first one."
          : "Make it a UTF-8 text that can be read, or name another file with --config.",
      },
    ]);
  }
  const folder = dirname(resolve(cwd, file));
  return readConfig(read.text, { file, folder, isClientFile: isClientFile(file), env, readText });
}

/** The file that is read: the one named, else the first of CFG-1 that is there. */
export function findConfigFile(named: string | undefined, cwd: string): string | undefined {
  return named ?? CONFIG_FILES.find((name) => existsSync(resolve(cwd, name)));
}
