#!/usr/bin/env node
// Stands in the checkout, so that npm can link the command before anything is built.
import { existsSync } from "node:fs";

const program = new URL("../dist/bin.js", import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write(
    "Onym is not built yet.\n  Run `npm run build` in the folder of the checkout first.\n",
  );
  process.exitCode = 2;
}
