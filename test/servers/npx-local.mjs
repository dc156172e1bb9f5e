#!/usr/bin/env node
// `npx` without a network: `npx -y PACKAGE ARGS…` runs the program of a package that is installed here, and fails for others.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [name = "", ...rest] = process.argv.slice(2).filter((word) => word !== "-y");
const root = join(dirname(realpathSync(fileURLToPath(import.meta.url))), "../..");
const folder = join(root, "node_modules", name);
const manifest = join(folder, "package.json");
if (!existsSync(manifest)) {
  process.stderr.write(`npx: ${name} is not installed\n`);
  process.exit(1);
}
const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
const program = typeof bin === "string" ? bin : Object.values(bin)[0];
const child = spawn(process.execPath, [join(folder, program), ...rest], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 1));
