#!/usr/bin/env node
// The program `onym`: this process as a terminal, and its arguments to the command line.

import { readFileSync } from "node:fs";
import { createTerminal } from "./output/terminal.js";

const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const version = String(Reflect.get(Object(manifest), "version"));
const args = process.argv.slice(2);
const terminal = createTerminal(process);

process.exitCode =
  args[0] === "serve"
    ? await (await import("./bin-serve.js")).serve({ args, terminal, version })
    : await (await import("./cli/main.js")).main(args, terminal, version);
