// The conformance suite needs a newer Node than Onym does. Its package also offers itself as the program `node`, and
// every npm script would run with it: only the machine's own Node may be that. Run before each build too, because npm does
// not run the scripts of the workspace when a package is installed into one of its parts.

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

for (const name of ["node", "node.cmd", "node.ps1"]) {
  rmSync(fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url)), { force: true });
}
