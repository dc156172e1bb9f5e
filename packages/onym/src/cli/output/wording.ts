// How reports word things: numbers of things, paths, words of a command line, servers and their tools.

import { homedir } from "node:os";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import type { Config } from "../../config/config.js";

/** @example countNoun(1, "profile"); // "1 profile" */
export function countNoun(number: number, noun: string, several = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : several}`;
}

// Paths, with forward slashes.

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

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** For programs (JSON, SARIF, patches): always from the current folder. */
export function pathFromHere(file: string, cwd: string): string {
  const near = relative(cwd, resolve(cwd, file));
  return slashed(isAbsolute(near) || near === "" ? file : near);
}

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

// Words of a command line that people may copy.

/** A word as it can be pasted into a shell, unless it holds what a person should not see unescaped. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${quoteText(text, Number.POSITIVE_INFINITY).slice(1, -1).replaceAll("'", "'\\''")}'`;
}

// A server as every command and the log of `serve` show it: `crm`, and in a toolbox `dev / crm`.

/** Whose tools are meant, as far as that goes. */
interface Labelled {
  readonly server: string;
  readonly toolbox?: string | undefined;
}

/** For tables: escaped, without quotes. */
export function serverLabel(owner: Labelled): string {
  return escapeText(plainLabel(owner));
}

/** For sentences. */
export function nameServer(owner: Labelled): string {
  return quoteText(plainLabel(owner));
}

/** One tool of a server, by its raw name: `dev / crm / get_leads`. */
export function toolLabel({ raw, ...owner }: Labelled & { readonly raw: string }): string {
  return escapeText(`${plainLabel(owner)} / ${raw}`);
}

function plainLabel({ server, toolbox }: Labelled): string {
  return toolbox === undefined ? server : `${toolbox} / ${server}`;
}
