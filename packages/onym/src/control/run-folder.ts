// Where running gateways register: a folder that belongs to the user and that no other user may enter.

import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";

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
