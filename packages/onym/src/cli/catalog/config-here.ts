// The config of a command that names none: which one that is, where another is easily meant.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../config/config.js";
import { isDemoConfig } from "../../config/files/config-path.js";
import { homeOf, userConfigFile } from "../../config/files/user-folders.js";
import { loadConfig } from "../../config/load-config.js";
import { controlMachine } from "../../configured/control-machine.js";
import { findLiveRegistrations, realConfigPath } from "../../control/registration.js";
import { showPath } from "../../model/show-path.js";
import { showNote } from "../../output/show-note.js";
import type { Terminal } from "../../output/terminal.js";

/** Says on stderr which config it is, where a gateway runs with another, or the folder has one beside the user's own. */
export function loadConfigHere(
  options: { readonly config?: string | undefined },
  terminal: Terminal,
): Config {
  const { env, cwd } = terminal;
  const config = loadConfig({ file: options.config, env, cwd });
  const note = noteWhichConfig(config, terminal);
  if (note !== undefined) showNote(note, terminal);
  return config;
}

/** `undefined` where the user named it, or no other is in question. */
export function noteWhichConfig(
  { file, origin }: Pick<Config, "file" | "origin">,
  { env, cwd }: Pick<Terminal, "env" | "cwd">,
): string | undefined {
  if (origin === "named") return undefined;
  const machine = { platform: process.platform, env };
  const show = (path: string): string => showPath(path, cwd, homeOf(machine));
  const here = realConfigPath(resolve(cwd, file));
  const running = findLiveRegistrations(controlMachine(env)).map(({ config }) => config);
  const other = running.includes(here)
    ? undefined
    : running.find((one) => one !== here && !isDemoConfig(one));
  const about = `this is about ${show(file)}${origin === "found" ? " of this folder" : ""}.`;
  if (other !== undefined) return `${about} A gateway runs with ${show(other)}: name that with --config.`;
  const own = userConfigFile(machine);
  if (origin === "own" || !existsSync(own)) return undefined;
  return `${about} Your own config is ${show(own)}: name it with --config.`;
}
