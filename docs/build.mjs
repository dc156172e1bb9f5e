// npm run docs: the API's pages from the types, then the site in docs/.vitepress/dist.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("./", import.meta.url));

if (!existsSync(`${docs}node_modules/vitepress`)) run("npm", ["ci", "--loglevel=error"]);
run(process.execPath, ["node_modules/typedoc/bin/typedoc"]);
run(process.execPath, ["node_modules/vitepress/bin/vitepress.js", process.argv[2] ?? "build"]);

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: docs, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
