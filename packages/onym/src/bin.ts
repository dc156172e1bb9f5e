#!/usr/bin/env node
// The program `onym`: this process as a terminal, and its arguments to the command line.

import { readFileSync } from "node:fs";
import { main } from "./cli/main.js";
import { createTerminal } from "./cli/terminal.js";

const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const version = String(Reflect.get(Object(manifest), "version"));

process.exitCode = await main(process.argv.slice(2), createTerminal(process), version);
