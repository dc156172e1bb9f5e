// Runs the tests with SDKs that want a newer Node than Onym does, on a newer Node: `npm run test:newer-node`.
// Installs them first, where they are missing; they are no part of `npm ci`.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = join(folder, "../..");

if (!existsSync(join(folder, "node_modules"))) {
  run("npm", ["ci", "--prefix", folder, "--loglevel=error"]);
}
const bundled = join(folder, "node_modules/node-24/bin/node");
const node = existsSync(bundled) ? bundled : process.execPath;
run(node, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
run(node, [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--config",
  join(folder, "vitest.config.ts"),
]);

/** Ends this program where that one failed. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
