// Which id a server had in a config, by how it is started: connected again in whatever order, the same program has the same names.

import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { userStateFolder } from "../../../../config/files/user-folders.js";
import type { Environment } from "../../../../config/json/expand-variables.js";
import { readFileBytes, replaceFile } from "../../../../documents/replace-file.js";

/** How a server is started, as text, and its id. */
export interface LaunchId {
  readonly launch: string;
  readonly id: string;
}

/** Those that were used last stay. */
const MAX_KEPT = 1_000;

function fileOf(env: Environment): string {
  return join(userStateFolder({ platform: process.platform, env }), "connect-ids.json");
}

/** A launch may hold secrets, so only its digest is kept. */
function digestOf(launch: string, config: string): string {
  return createHash("sha256")
    .update(JSON.stringify([config, launch]))
    .digest("hex");
}

/** @param config The file that the server moves to. @returns The id that a launch had there. */
export function loadKeptIds(config: string, env: Environment): (launch: string) => string | undefined {
  const kept = new Map(loadAll(env));
  return (launch) => kept.get(digestOf(launch, config));
}

/** @throws OnymError `file-unwritable`. */
export function keepIds(servers: readonly LaunchId[], config: string, env: Environment): void {
  if (servers.length === 0) return;
  const added = servers.map(({ launch, id }) => [digestOf(launch, config), id] as const);
  const again = new Set(added.map(([digest]) => digest));
  const all = [...loadAll(env).filter(([digest]) => !again.has(digest)), ...added].slice(-MAX_KEPT);
  const file = fileOf(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** What cannot be read was not kept. */
function loadAll(env: Environment): readonly (readonly [string, string])[] {
  const read = readFileBytes(fileOf(env));
  if (read.kind !== "bytes") return [];
  try {
    return Object.entries(Object(JSON.parse(read.text))).flatMap(([digest, id]) =>
      typeof id === "string" ? [[digest, id] as const] : [],
    );
  } catch {
    return [];
  }
}
