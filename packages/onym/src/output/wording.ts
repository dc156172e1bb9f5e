// How reports word things: numbers of things, paths, words of a command line, servers and their tools.

import { isAbsolute, relative, resolve } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import { slashed } from "../model/show-path.js";

/** @example countNoun(1, "profile"); // "1 profile" */
export function countNoun(number: number, noun: string, several = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : several}`;
}

/** @example joinWords(["a", "b", "c"]); // "a, b and c" */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

// Paths, with forward slashes; for people, `showPath` of `model/show-path.ts`.

/** For programs (JSON, SARIF, patches): always from the current folder. */
export function pathFromHere(file: string, cwd: string): string {
  const near = relative(cwd, resolve(cwd, file));
  return slashed(isAbsolute(near) || near === "" ? file : near);
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
