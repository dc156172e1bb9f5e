// What a started server gets beside its command: the variables its entry declares, and the project that it is for.

import { basename, dirname, isAbsolute, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { ConfigServer } from "../config.js";
import { parseEnvFile } from "../files/parse-env-file.js";
import type { LaunchInput, NoteProblem } from "./launch-input.js";

type Entry = ConfigServer["entry"];

/** Editors keep a project's file in a folder of their own, and mean the project. */
export function projectFolderOf(folder: string): string {
  return [".vscode", ".cursor"].includes(basename(folder)) ? dirname(folder) : folder;
}

/** `env` beats `envFile`; a number is its text, and `null` leaves a variable out. */
export function readEnvironment(
  entry: Entry,
  input: LaunchInput,
  note: NoteProblem,
): ReadonlyMap<string, string> {
  const env = new Map(fromFile(entry, input, note));
  for (const [name, value] of Object.entries(entry.env ?? {})) {
    if (name === "" || /[=\0]/.test(name) || String(value).includes("\0")) {
      const message = `${quoteText(name, 40)} cannot be set: a name is not empty and holds no =, and nothing holds a NUL.`;
      note(["env", name], { code: "bad-environment", message, fix: "Correct the name or the value." });
    } else if (value === null) env.delete(name);
    else env.set(name, String(value));
  }
  return env;
}

function fromFile(
  { envFile }: Entry,
  { folder, readText }: LaunchInput,
  note: NoteProblem,
): Iterable<readonly [string, string]> {
  if (envFile === undefined) return [];
  const file = isAbsolute(envFile) ? envFile : resolve(folder, envFile);
  const read = readText(file);
  if ("reason" in read) {
    note(["envFile"], {
      code: "unreadable-file",
      message: `The file ${quoteText(file)} cannot be read: ${read.reason}.`,
      fix: "Correct the path, which is relative to the config, or take it out.",
    });
    return [];
  }
  const parsed = parseEnvFile(read.text);
  if ("badLine" in parsed) {
    note(["envFile"], {
      code: "bad-env-file",
      message: `Line ${parsed.badLine} of ${quoteText(file)} is not NAME=VALUE.`,
      fix: "Write one NAME=VALUE a line; comments start with #.",
    });
    return [];
  }
  return parsed.variables;
}
