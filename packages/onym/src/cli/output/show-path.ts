// Paths as reports name them: from the current folder, with forward slashes.

import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import type { Config } from "../../config/config.js";

export function pathFromHere(file: string, cwd: string): string {
  const near = relative(cwd, resolve(cwd, file));
  return (isAbsolute(near) || near === "" ? file : near).split(sep).join("/");
}

/** Where the file of a config is, however it was named. */
export function configPath({ file, folder }: Pick<Config, "file" | "folder">): string {
  return resolve(folder, basename(file));
}
