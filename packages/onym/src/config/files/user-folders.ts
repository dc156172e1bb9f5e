// Where a user's own files are on each system: Onym's config and Onym's state. Only the environment that is passed in is
// looked at, and nothing is made here.

import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Environment } from "../json/expand-variables.js";

export interface UserMachine {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
}

/** Home as the environment says, else as the system does. */
export function homeOf({ env, platform }: UserMachine): string {
  const { HOME, USERPROFILE } = env;
  const said = platform === "win32" ? (USERPROFILE ?? HOME) : HOME;
  return said === undefined || said === "" ? homedir() : said;
}

/**
 * The user's own config, which is read where the current folder has none (CFG-6).
 *
 * @example
 * userConfigFile({ platform: "linux", env: { HOME: "/home/me" } }); // "/home/me/.config/onym/onym.json"
 */
export function userConfigFile(machine: UserMachine): string {
  const { XDG_CONFIG_HOME, APPDATA } = machine.env;
  return inFolder(machine, [XDG_CONFIG_HOME, APPDATA], {
    win32: ["AppData", "Roaming"],
    other: [".config"],
  })("onym", "onym.json");
}

/** Beside it: what the service file tells the system to fill the environment of the gateway with. */
export function userEnvFile(machine: UserMachine): string {
  return userConfigFile(machine).replace(/onym\.json$/, "onym.env");
}

/** What tells the system to run Onym in the background. */
export function userServiceFile(machine: UserMachine): string {
  const home = homeOf(machine);
  const { XDG_CONFIG_HOME: xdg, LOCALAPPDATA: local } = machine.env;
  if (machine.platform === "win32")
    return win32.join(local || win32.join(home, "AppData", "Local"), "onym", "onym-task.xml");
  if (machine.platform === "darwin")
    return posix.join(home, "Library", "LaunchAgents", "dev.onym.gateway.plist");
  return posix.join(xdg || posix.join(home, ".config"), "systemd", "user", "onym.service");
}

/** Where Onym keeps what belongs to the user and to no project: what was trusted, and the key for secrets. */
export function userStateFolder(machine: UserMachine): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = machine.env;
  return inFolder(machine, [XDG_STATE_HOME, LOCALAPPDATA], {
    win32: ["AppData", "Local"],
    other: [".local", "state"],
  })("onym");
}

/** As the XDG variable says wherever it is set; else as each system has it. */
function inFolder(
  machine: UserMachine,
  [xdg, ofWindows]: readonly [string | undefined, string | undefined],
  places: { readonly win32: readonly string[]; readonly other: readonly string[] },
): (...parts: readonly string[]) => string {
  const { platform } = machine;
  const { join, isAbsolute } = platform === "win32" ? win32 : posix;
  const chosen = (text: string | undefined) => (text !== undefined && isAbsolute(text) ? text : undefined);
  const home = homeOf(machine);
  const fallback =
    platform === "win32"
      ? (chosen(ofWindows) ?? join(home, ...places.win32))
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : join(home, ...places.other);
  return (...parts) => join(chosen(xdg) ?? fallback, ...parts);
}
