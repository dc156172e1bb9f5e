// The registration of a running gateway: a small file per gateway, named after its config and its process.

import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../mcp/json.js";
import type { GatewayTransport } from "./protocol.js";

export interface Registration {
  /** The protocol number of the socket. */
  readonly onym: number;
  /** Several machines may share a home directory, and their pids are independent. */
  readonly host: string;
  readonly pid: number;
  /** The config file, with links resolved. */
  readonly config: string;
  readonly transport: GatewayTransport;
  /** ms since 1970. */
  readonly startedAt: number;
  /** A Unix socket or a named pipe. */
  readonly socket: string;
  readonly token: string;
}

const MAX_FILE_BYTES = 16_384;
/** The maximum number of files read to find a gateway. */
const MAX_FILES = 200;

/** The same path for every way to name the file. */
export function realConfigPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

/** The base name of a gateway's files, without extensions. */
export function registrationName(config: string, pid: number): string {
  return `${configDigest(config)}-${pid}`;
}

/** Written atomically, and readable only by its owner. */
export function writeRegistration(folder: string, registration: Registration): string {
  const file = join(folder, `${registrationName(registration.config, registration.pid)}.json`);
  const draft = join(folder, `.${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, `${JSON.stringify(registration)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return file;
}

/** The registered gateways of a config, or of all, on this machine, newest first. They may have ended. Reads only. */
export function findRegistrations(config: string | undefined, machine: Machine): readonly Registration[] {
  const path = config === undefined ? undefined : realConfigPath(config);
  const start = path === undefined ? "" : `${configDigest(path)}-`;
  return runFolders(machine)
    .flatMap((folder) =>
      listFiles(folder, machine)
        .filter((name) => name.startsWith(start))
        .map((name) => join(folder, name)),
    )
    .slice(0, MAX_FILES)
    .flatMap((file) => readRegistration(file) ?? [])
    .filter((found) => (path === undefined || found.config === path) && found.host === hostname())
    .sort((a, b) => b.startedAt - a.startedAt || b.pid - a.pid);
}

/** Those of all configs whose process runs still, newest first. Reads only. */
export function findLiveRegistrations(machine: Machine): readonly Registration[] {
  return findRegistrations(undefined, machine).filter(({ pid }) => isAlive(pid));
}

/** Removes the files of gateways that ended without cleaning up. */
export function removeDead(folder: string, machine: Machine): void {
  for (const name of listFiles(folder, machine).slice(0, MAX_FILES)) {
    const file = join(folder, name);
    const found = readRegistration(file);
    if (found === undefined || found.host !== hostname() || isAlive(found.pid)) continue;
    rmSync(file, { force: true });
    if (machine.platform !== "win32" && found.socket.endsWith(".sock")) removeSocket(found.socket);
  }
}

function removeSocket(path: string): void {
  try {
    if (lstatSync(path).isSocket()) rmSync(path, { force: true });
  } catch {
    // It is already gone, or we may not remove it.
  }
}

function listFiles(folder: string, machine: Machine): readonly string[] {
  if (!isPrivateFolder(folder, machine)) return [];
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{16}-\d+\.json$/.test(name));
  } catch {
    return [];
  }
}

function readRegistration(file: string): Registration | undefined {
  try {
    const { size } = lstatSync(file);
    if (size > MAX_FILE_BYTES) return undefined;
    const parsed = parseJson(readFileSync(file, "utf8"));
    return parsed.ok && isRegistration(parsed.value) ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

function isRegistration(value: unknown): value is Registration {
  if (!isJsonObject(value)) return false;
  const { onym, host, pid, config, transport, startedAt, socket, token } = value;
  return (
    [onym, pid, startedAt].every((each) => typeof each === "number") &&
    [host, config, socket, token].every((each) => typeof each === "string") &&
    (transport === "stdio" || transport === "http")
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function configDigest(config: string): string {
  return createHash("sha256").update(config).digest("hex").slice(0, 16);
}

// Where running gateways register: a folder that belongs to the user and that no other user may enter.

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The user's id; `undefined` on platforms without user ids. */
  readonly uid: number | undefined;
  /** Folders for the user's data. A gateway uses the first one available; commands search all of them. */
  readonly stateFolders: readonly string[];
}

/** In the order in which a gateway tries them. */
export function runFolders({ platform, uid, stateFolders }: Machine): readonly string[] {
  const own = stateFolders.map((folder) => join(folder, "run"));
  return platform === "win32" ? own : [...own, sharedFolder(uid)];
}

/** For home directories that are not writable, or whose path is too long for a socket. */
export function sharedFolder(uid: number | undefined): string {
  return `/tmp/onym-${uid ?? "user"}`;
}

/** Creates the folder if it is missing. Returns `false` if it cannot be private to this user. */
export function preparePrivateFolder(folder: string, machine: Machine): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isPrivateFolder(folder, machine)) return true;
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== machine.uid) return false;
    chmodSync(folder, 0o700);
    return isPrivateFolder(folder, machine);
  } catch {
    return false;
  }
}

/** It is a folder, not a link, and only its owner, this user, may enter it. */
export function isPrivateFolder(
  folder: string,
  { platform, uid }: Pick<Machine, "platform" | "uid">,
): boolean {
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory()) return false;
    // On Windows a user's profile is closed to others, and file modes say nothing.
    return platform === "win32" || (found.uid === uid && (found.mode & 0o077) === 0);
  } catch {
    return false;
  }
}
