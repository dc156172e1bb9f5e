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

/** A hint with its commands as this program was started. Not for help, which documents `onym`. */
export function nameProgram(hint: string, env: Environment): string {
  return hint.replace(COMMAND, `${programName(env)} `);
}
