// What decides, remembers and signs, and what holds secrets of servers: no isolated server sees it (SAFE-7).

import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { tracePath } from "../../model/trace-path.js";
import type { Config } from "../config.js";
import { userConfigFile, userEnvFile, userServiceFile, userStateFolder } from "../files/user-folders.js";
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
  const beside = [basename(file), "onym.env", "onym.lock", "onym.prompts.lock", ...stored];
  const files = [...beside, ...(audit.anchor === undefined ? [] : [audit.anchor])];
  const own = userConfigFile(machine);
  // Its folder is one of many programs. Where it is missing, a cover would have to be over all of them.
  const service = userServiceFile(machine);
  const { XDG_RUNTIME_DIR: sockets = "" } = env;
  return {
    files: [
      ...files.map((path) => resolve(folder, path)),
      // Also before they are there: a running server would see what comes later.
      ...[own, userEnvFile(machine)],
      ...(existsSync(dirname(service)) ? [service] : []),
    ],
    envFiles: config.envFiles.map((written) => envFileOf(written, { folder, env })),
    folders: [userStateFolder(machine), ...(isSame(dirname(own), folder) ? [] : [dirname(own)])],
    ...(isAbsolute(sockets) ? { sockets } : {}),
  };
}

function isSame(one: string, other: string): boolean {
  return tracePath(one).target === tracePath(other).target;
}
