// Where the files of this package are, from the source as from the bundle, and how its program is called there.

import { existsSync } from "node:fs";

/** Every file of the bundle but the program itself is one folder below `dist`, as this one is one below `src`. */
export const PACKAGE_FOLDER = new URL("../../", import.meta.url);

/** For whoever reads it elsewhere than at the terminal that started this: in a clone, nothing need have put `onym` on the path. */
export function installedName(): "onym" | "npx onym" {
  return existsSync(new URL("../core/src/naming/", PACKAGE_FOLDER)) ? "npx onym" : "onym";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What people type: whoever started this with npx (or npm start), in a clone or elsewhere, need not have `onym` on the path. */
export function programName({ npm_command: npm }: Environment = process.env): "onym" | "npx onym" {
  return npm === undefined ? "onym" : "npx onym";
}

/** A command in a sentence: hints are written with `onym`, wherever they come from, and shown as people can type them. */
const COMMAND = /(?<!\bnpx |[\w/.@~-])onym (?=[a-z])/g;

/** A hint with its commands as this program was started. */
export function nameProgram(hint: string, env: Environment): string {
  return hint.replace(COMMAND, `${programName(env)} `);
}

/** In help, `onym` also stands before placeholders: `onym [options]`, `onym COMMAND --help`. */
const HELP_COMMAND = /(?<!\bnpx |[\w/.@~-])onym (?=[a-z[(<A-Z])/g;

/** Help as this program was started. What commands grow by is taken from the space after them, so that columns stay. */
export function nameProgramInHelp(help: string, env: Environment): string {
  const program = programName(env);
  if (program === "onym") return help;
  return help
    .split("\n")
    .map((line) => {
      const gapStart = line.indexOf("  ", line.length - line.trimStart().length);
      const term = gapStart < 0 ? line : line.slice(0, gapStart);
      const meaning = gapStart < 0 ? "" : line.slice(gapStart).trimStart();
      const named = term.replace(HELP_COMMAND, `${program} `);
      const width = line.length - meaning.length - 2;
      return gapStart < 0 ? named : `${named.padEnd(width)}  ${meaning.replace(HELP_COMMAND, `${program} `)}`;
    })
    .join("\n");
}
