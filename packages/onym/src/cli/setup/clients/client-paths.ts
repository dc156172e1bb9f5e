// Where clients keep their files on each system. Only the environment that is passed in is looked at.

import { posix, win32 } from "node:path";
import { homeOf, type UserMachine } from "../../../config/files/user-folders.js";

export interface Machine extends UserMachine {
  /** The folder in which project files are looked for. */
  readonly project: string;
}

/**
 * The path that a place stands for:
 * `{home}`; `{appData}`, where desktop programs keep theirs; `{config}`, where terminal programs do; `{codex}`;
 * `{project}`.
 *
 * @example
 * resolvePlace("{home}/.cursor/mcp.json", machine); // "/home/me/.cursor/mcp.json"
 */
export function resolvePlace(place: string, machine: Machine): string {
  const { platform, env, project } = machine;
  const { join } = platform === "win32" ? win32 : posix;
  const home = homeOf(machine);
  const { APPDATA, XDG_CONFIG_HOME, CODEX_HOME } = env;
  const xdg = filled(XDG_CONFIG_HOME) ?? join(home, ".config");
  const roaming = filled(APPDATA) ?? join(home, "AppData", "Roaming");
  const library = join(home, "Library", "Application Support");
  const starts: ReadonlyMap<string, string> = new Map([
    ["home", home],
    ["appData", platform === "win32" ? roaming : platform === "darwin" ? library : xdg],
    ["config", platform === "win32" ? roaming : xdg],
    ["codex", filled(CODEX_HOME) ?? join(home, ".codex")],
    ["project", project],
  ]);
  const [, start = "", rest = ""] = /^\{(\w+)\}\/(.*)$/.exec(place) ?? [];
  return join(starts.get(start) ?? project, ...rest.split("/"));
}

const SHOWN: ReadonlyMap<string, string> = new Map([
  ["home", "~/"],
  ["appData", "APPDATA/"],
  ["config", "~/.config/"],
  ["codex", "~/.codex/"],
  ["project", ""],
]);

/** A place as the docs write it, for every system at once. */
export function showPlace(place: string): string {
  return place.replace(/^\{(\w+)\}\//, (whole, start: string) => SHOWN.get(start) ?? whole);
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
