// npm run bench: installs what the benchmark needs beside Onym, in this folder alone, and runs it.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const args = process.argv.slice(2);

// The quick run works without the other gateways, and says which it left out.
const isNeeded = !["--quick", "--help", "-h", "--list"].some((option) => args.includes(option));
if (isNeeded && !existsSync(`${folder}node_modules`)) install();
await import("./gateway/run.mjs");

function install() {
  process.stderr.write("bench: installing the other gateways into bench/node_modules\n");
  // Scripts of strangers are not run, but for the native module that one of the gateways needs.
  if (npm("ci", "--ignore-scripts") !== 0) process.exit(1);
  const headers = dirname(dirname(process.execPath));
  const nodedir = existsSync(join(headers, "include/node/node.h")) ? [`--nodedir=${headers}`] : [];
  if (npm("rebuild", "better-sqlite3", ...nodedir) !== 0)
    process.stderr.write("bench: better-sqlite3 could not be built; mcp-broker will be left out\n");
}

function npm(...args) {
  return spawnSync("npm", ["--prefix", folder, ...args], { stdio: ["ignore", 2, 2] }).status;
}
