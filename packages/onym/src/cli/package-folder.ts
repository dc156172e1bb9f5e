// Where the files of this package are, from the source as from the bundle, and how its program is called there.

import { existsSync } from "node:fs";

/** Every file of the bundle but the program itself is one folder below `dist`, as this one is one below `src`. */
export const PACKAGE_FOLDER = new URL("../../", import.meta.url);

/** What people type: in a clone, nothing has put `onym` on their path. */
export function programName(): "onym" | "npx onym" {
  return existsSync(new URL("../core/src/naming/", PACKAGE_FOLDER)) ? "npx onym" : "onym";
}
