// Where running gateways leave word of themselves: a folder of the user's own, that nobody else may enter.

import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Of the user; `undefined` where there are none. */
  readonly uid: number | undefined;
  /** Folders for what belongs to the user, the first that can be had is used; gateways are looked for in all. */
  readonly stateFolders: readonly string[];
}

/** In the order in which a gateway tries them. */
export function runFolders({ platform, uid, stateFolders }: Machine): readonly string[] {
  const own = stateFolders.map((folder) => join(folder, "run"));
  return platform === "win32" ? own : [...own, sharedFolder(uid)];
}

/** For homes that cannot be written to, or whose path is too long for a socket. */
export function sharedFolder(uid: number | undefined): string {
  return `/tmp/onym-${uid ?? "user"}`;
}

/** Makes the folder where it is missing. `false` where it cannot be had for this user alone. */
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

/** It is a folder, no link to one, and only its owner, this user, may enter it. */
export function isPrivateFolder(
  folder: string,
  { platform, uid }: Pick<Machine, "platform" | "uid">,
): boolean {
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory()) return false;
    // There the profile of a user is closed to others, and modes say nothing.
    return platform === "win32" || (found.uid === uid && (found.mode & 0o077) === 0);
  } catch {
    return false;
  }
}
