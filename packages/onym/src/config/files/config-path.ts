// Where the file of a config is, and which file is that of the demo.

import { basename, resolve } from "node:path";
import type { Config } from "../config.js";

/** The file of the demo's config, as people read it. */
export const DEMO_CONFIG = "the bundled demo";

/** There is no such file: the demo's config is made when it starts, and its folder is gone when it ends. */
export function isDemoConfig(file: string): boolean {
  return basename(file) === DEMO_CONFIG;
}

/** Where the file of a config is, however it was named. */
export function configPath({ file, folder }: Pick<Config, "file" | "folder">): string {
  return resolve(folder, basename(file));
}
