// Paths as people read them, in every message: with forward slashes, escaped.

import { homedir } from "node:os";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { escapeText } from "@onym/core";

/** For people: from the current folder or from home where it is below one of them; else whichever form is shorter. */
export function showPath(file: string, cwd = process.cwd(), home = homedir()): string {
  const whole = resolve(cwd, file);
  const near = relative(cwd, whole);
  if (isBelow(near)) return escapeText(slashed(near));
  const fromHome = relative(home, whole);
  if (isBelow(fromHome)) return escapeText(`~/${slashed(fromHome)}`);
  return escapeText(slashed(near === "" || isAbsolute(near) || near.length > whole.length ? whole : near));
}

function isBelow(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

export function slashed(path: string): string {
  return path.split(sep).join("/");
}
