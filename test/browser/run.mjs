// Runs the console's tests in a browser: `npm run test:browser`. Installs what they need first, where it is missing; it is no part
// of `npm ci`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = join(folder, "../..");

if (!existsSync(join(folder, "node_modules"))) run("npm", ["ci", "--prefix", folder, "--loglevel=error"]);
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
run(process.execPath, [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--config",
  join(folder, "vitest.config.ts"),
  ...process.argv.slice(2),
]);

/** Ends this program where that one failed. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
