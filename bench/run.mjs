// npm run bench: installs what the benchmark needs beside Onym, in this folder alone, and runs it.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const args = process.argv.slice(2);

// The quick run works without the other gateways, and says which it left out.
const isNeeded = !["--quick", "--help", "-h", "--list"].some((option) => args.includes(option));
if (isNeeded && !existsSync(`${folder}node_modules`)) {
  process.stderr.write("bench: installing the other gateways into bench/node_modules\n");
  const { status } = spawnSync("npm", ["ci", "--prefix", folder, "--ignore-scripts"], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
await import("./gateway/run.mjs");
