// Paths as reports name them: from the current folder, with forward slashes.

import { isAbsolute, relative, resolve, sep } from "node:path";

export function pathFromHere(file: string, cwd: string): string {
  const near = relative(cwd, resolve(cwd, file));
  return (isAbsolute(near) || near === "" ? file : near).split(sep).join("/");
}
