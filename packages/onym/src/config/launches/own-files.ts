// What decides, remembers and signs, and what holds secrets of servers: no isolated server sees it (SAFE-7).

import { existsSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import type { Config } from "../config.js";
import { userConfigFile, userStateFolder } from "../files/user-folders.js";
import type { Environment } from "../json/expand-variables.js";
import type { OwnFiles } from "./launch-input.js";
import { envFileOf } from "./launch-of.js";

export function ownFilesOf(config: Config, env: Environment): OwnFiles {
  const { file, folder, store = "onym.db", audit } = config;
  const machine = { platform: process.platform, env };
  const isDatabase = /^[a-z][a-z0-9+.-]+:/i.test(store);
  const stored = isDatabase
    ? []
    : ["", "-wal", "-shm", "-journal", "-revision", ".key"].map((end) => `${store}${end}`);
  const beside = [basename(file), "onym.lock", "onym.prompts.lock", ...stored];
  const own = userConfigFile(machine);
  const others = [audit.anchor, existsSync(own) ? own : undefined];
  const { XDG_RUNTIME_DIR: sockets = "" } = env;
  return {
    files: [...beside, ...others].flatMap((path) => (path === undefined ? [] : [resolve(folder, path)])),
    envFiles: config.envFiles.map((written) => envFileOf(written, { folder, env })),
    folders: [userStateFolder(machine), ...(isAbsolute(sockets) ? [sockets] : [])],
  };
}
