// Where clients keep their files on each system. Only the environment that is passed in is looked at.

import { posix, win32 } from "node:path";
import { homeOf, type UserMachine } from "../config/files/user-folders.js";
import type { ClientFile } from "./client.js";

export interface Machine extends UserMachine {
  /** The folder in which project files are looked for. */
  readonly project: string;
}

/**
 * The path that a place stands for:
 * `{home}`; `{appData}`, where desktop programs keep theirs; `{config}`, where terminal programs do; `{xdg}`, where those do
 * that have one place on every system; `{codex}`, `{copilot}`, `{kimi}`; `{project}`.
 *
 * @example
 * resolvePlace("{home}/.cursor/mcp.json", machine); // "/home/me/.cursor/mcp.json"
 */
export function resolvePlace(place: string, machine: Machine): string {
  const { platform, env, project } = machine;
  const { join } = platform === "win32" ? win32 : posix;
  const home = homeOf(machine);
  const { APPDATA, XDG_CONFIG_HOME, CODEX_HOME, COPILOT_HOME, KIMI_CODE_HOME } = env;
  const xdg = filled(XDG_CONFIG_HOME) ?? join(home, ".config");
  const roaming = filled(APPDATA) ?? join(home, "AppData", "Roaming");
  const library = join(home, "Library", "Application Support");
  const starts: ReadonlyMap<string, string> = new Map([
    ["home", home],
    ["appData", platform === "win32" ? roaming : platform === "darwin" ? library : xdg],
    ["config", platform === "win32" ? roaming : xdg],
    ["xdg", xdg],
    ["codex", filled(CODEX_HOME) ?? join(home, ".codex")],
    ["copilot", filled(COPILOT_HOME) ?? join(home, ".copilot")],
    ["kimi", filled(KIMI_CODE_HOME) ?? join(home, ".kimi-code")],
    ["project", project],
  ]);
  const [, start = "", rest = ""] = /^\{(\w+)\}\/(.*)$/.exec(place) ?? [];
  return join(starts.get(start) ?? project, ...rest.split("/"));
}

/** Where a file of a client is on this machine. */
export function resolveFile(
  { place, windows }: Pick<ClientFile, "place" | "windows">,
  machine: Machine,
): string {
  return resolvePlace(machine.platform === "win32" ? (windows ?? place) : place, machine);
}

const SHOWN: ReadonlyMap<string, string> = new Map([
  ["home", "~/"],
  ["appData", "APPDATA/"],
  ["config", "~/.config/"],
  ["xdg", "~/.config/"],
  ["codex", "~/.codex/"],
  ["copilot", "~/.copilot/"],
  ["kimi", "~/.kimi-code/"],
  ["project", ""],
]);

/** A place as the docs write it, for every system at once. */
export function showPlace(place: string): string {
  return place.replace(/^\{(\w+)\}\//, (whole, start: string) => SHOWN.get(start) ?? whole);
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
